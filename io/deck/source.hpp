#pragma once
/// Texts that errors point into, and places in them.

#include "io/deck/deck.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace emmy::deck {

/// A text with a name: a deck file, or one `--set` argument. The latter has no lines worth counting (`has_places`
/// false): its name already shows the whole text.
class Source {
public:
  Source(std::string name, std::string text, bool has_places = true);
  Source(const Source&) = delete; // spans and nodes point into the text
  Source& operator=(const Source&) = delete;

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  bool has_places() const { return has_places_; }

  /// Line `number`, 1-based, without its end; empty when there is no such line.
  std::string_view line(int number) const;
  /// The text from a place to the end; both counts 1-based, the column in bytes.
  std::string_view from(int line, int column) const;
  /// Characters of a line before a column in bytes, in constant time: a line may be the whole of a large deck.
  int characters_before(int line, int column) const;

private:
  std::size_t continuation_bytes_before(std::size_t offset) const;

  std::string name_;
  std::string text_;
  bool has_places_;
  std::vector<std::size_t> line_starts_;
  std::vector<std::size_t> continuation_bytes_; ///< of UTF-8 sequences, before each block of the text
};

/// A stretch of one line of a source. Line and column are 1-based, columns and lengths count bytes; line 0 is the
/// source as a whole. Length 0 means "the token that starts here", measured only when an error is shown.
struct Span {
  const Source* source = nullptr;
  int line = 0;
  int column = 0;
  int length = 0;
};

/// The place as a user counts it: columns in characters, nothing for sources without places.
Location location(const Span& span);

/// Number of characters (code points) of UTF-8 text.
int character_count(std::string_view text);

/// Length in bytes of what the span marks, at least 1 and at most to the end of the line.
int marked_length(const Span& span);

/// Bytes of the quoted scalar that starts the text, both quotes included; npos when its quote is not closed.
std::size_t quoted_length(std::string_view text);

/// Byte offset of the first byte that is not UTF-8 text (a control character or a broken sequence); npos when all is
/// text.
std::size_t first_non_text_byte(std::string_view bytes);

} // namespace emmy::deck
