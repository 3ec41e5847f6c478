#pragma once
/// What is wrong with a deck, collected so that one reading reports every mistake:
///
///   pendulum.yaml:14:18: error: unknown formulation 'spring_tetar' of body 'link1'
///      14 |     formulation: spring_tetar
///         |                  ^~~~~~~~~~~~
///     expected one of: director, frame, spring_tetra
///     did you mean 'spring_tetra'?

#include "io/deck/source.hpp"

#include <cstddef>
#include <deque>
#include <iosfwd>
#include <string>
#include <vector>

namespace emmy::deck {

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  Location where;                 ///< line 0 when there is no place in a file
  std::string message;            ///< what was found
  std::string excerpt;            ///< the marked source line, empty without a place
  std::vector<std::string> notes; ///< what was expected, a guess
};

/// Owns the sources of a reading, so that later parts of the program can still report at a `Location` of the deck.
class Diagnostics {
public:
  /// Keeps a text for excerpts. The reference stays valid as long as this object.
  const Source& add_source(std::string name, std::string text, bool has_places = true);

  void error(const Span& at, std::string message, std::vector<std::string> notes = {});
  void error(const Location& at, std::string message, std::vector<std::string> notes = {});
  void warning(const Span& at, std::string message, std::vector<std::string> notes = {});
  void warning(const Location& at, std::string message, std::vector<std::string> notes = {});

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  std::size_t warning_count() const { return warning_count_; }

  /// True once further errors are only counted; a caller may then save the work of finding hints.
  bool is_full() const { return error_count_ >= most_kept; }

  /// What was kept, ordered by place.
  std::vector<Diagnostic> sorted() const;

  /// Everything as the user sees it, one line break at the end of each line; empty when there is nothing to say.
  std::string text() const;

  static constexpr std::size_t most_kept = 50; ///< of errors, and of warnings

  /// While it lives nothing is added: for copies of what has been complained about.
  class Silence {
  public:
    explicit Silence(Diagnostics& diagnostics) : diagnostics_(diagnostics) { diagnostics_.is_silent_ = true; }
    ~Silence() { diagnostics_.is_silent_ = false; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    Diagnostics& diagnostics_;
  };

private:
  void add(Severity severity, const Span& at, Location where, std::string message, std::vector<std::string> notes);

  std::deque<Source> sources_;
  std::vector<Diagnostic> kept_;
  std::size_t error_count_ = 0;
  std::size_t warning_count_ = 0;
  bool is_silent_ = false;
};

std::ostream& operator<<(std::ostream& out, const Diagnostics& diagnostics);

} // namespace emmy::deck
