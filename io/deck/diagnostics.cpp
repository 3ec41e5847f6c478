#include "io/deck/diagnostics.hpp"

#include "core/counted.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <tuple>
#include <utility>

namespace emmy::deck {

namespace {

/// Longest stretch of a source line that is shown, in bytes: a deck may be one line of megabytes.
constexpr std::size_t excerpt_width = 100;

bool inside_character(std::string_view line, std::size_t i) {
  return i < line.size() && (line[i] & 0xC0) == 0x80;
}

/// "   14 |     mass: -3" and the marks below it.
std::string make_excerpt(const Span& span) {
  const std::string_view line = span.source->line(span.line);
  const auto column = std::min(static_cast<std::size_t>(std::max(span.column, 1)) - 1, line.size());
  std::size_t begin = column > excerpt_width / 2 && line.size() > excerpt_width ? column - excerpt_width / 2 : 0;
  while (inside_character(line, begin))
    --begin;
  std::size_t end = std::min(line.size(), begin + excerpt_width);
  while (inside_character(line, end))
    ++end;

  std::string shown(line.substr(begin, end - begin));
  std::string lead(line.substr(begin, column - begin));
  std::replace(shown.begin(), shown.end(), '\t', ' '); // so that the marks stand below what they mark
  const std::string left = begin > 0 ? "..." : "";
  const std::size_t marked = std::min(static_cast<std::size_t>(marked_length(span)), end - column);
  const int marks = std::max(1, character_count(line.substr(column, marked)));

  std::string number = std::to_string(span.line);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::ostringstream out;
  out << number << " | " << left << shown << (end < line.size() ? "..." : "") << '\n'
      << std::string(number.size(), ' ') << " | "
      << std::string(left.size() + static_cast<std::size_t>(character_count(lead)), ' ') << '^'
      << std::string(static_cast<std::size_t>(marks - 1), '~') << '\n';
  return out.str();
}

} // namespace

const Source& Diagnostics::add_source(std::string name, std::string text, bool has_places) {
  return sources_.emplace_back(std::move(name), std::move(text), has_places);
}

void Diagnostics::add(Severity severity, const Span& at, Location where, std::string message,
                      std::vector<std::string> notes) {
  if (is_silent_)
    return;
  std::size_t& count = severity == Severity::error ? error_count_ : warning_count_;
  if (count++ >= most_kept)
    return;
  std::string excerpt = where.line > 0 && at.source != nullptr ? make_excerpt(at) : std::string{};
  kept_.push_back({severity, std::move(where), std::move(message), std::move(excerpt), std::move(notes)});
}

void Diagnostics::error(const Span& at, std::string message, std::vector<std::string> notes) {
  add(Severity::error, at, location(at), std::move(message), std::move(notes));
}

void Diagnostics::warning(const Span& at, std::string message, std::vector<std::string> notes) {
  add(Severity::warning, at, location(at), std::move(message), std::move(notes));
}

namespace {

/// Back from a place as the user counts it to the bytes of its source, when the source is known.
Span find_span(const std::deque<Source>& sources, const Location& at) {
  for (const Source& source : sources) {
    if (source.name() != at.file || at.line == 0)
      continue;
    const std::string_view line = source.line(at.line);
    std::size_t byte = 0;
    for (int character = 1; byte < line.size() && character < at.column; ++character)
      for (++byte; inside_character(line, byte);)
        ++byte;
    return {&source, at.line, static_cast<int>(byte) + 1, 0};
  }
  return {};
}

} // namespace

void Diagnostics::error(const Location& at, std::string message, std::vector<std::string> notes) {
  add(Severity::error, find_span(sources_, at), at, std::move(message), std::move(notes));
}

void Diagnostics::warning(const Location& at, std::string message, std::vector<std::string> notes) {
  add(Severity::warning, find_span(sources_, at), at, std::move(message), std::move(notes));
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result = kept_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  return result;
}

std::string Diagnostics::text() const {
  std::ostringstream out;
  for (const Diagnostic& d : sorted()) {
    out << d.where.file << ':';
    if (d.where.line > 0)
      out << d.where.line << ':' << d.where.column << ':';
    out << (d.severity == Severity::error ? " error: " : " warning: ") << d.message << '\n' << d.excerpt;
    for (const std::string& note : d.notes)
      out << "  " << note << '\n';
  }
  if (error_count_ > most_kept)
    out << "and " << counted(error_count_ - most_kept, "more error", "more errors") << '\n';
  if (warning_count_ > most_kept)
    out << "and " << counted(warning_count_ - most_kept, "more warning", "more warnings") << '\n';
  return out.str();
}

std::ostream& operator<<(std::ostream& out, const Diagnostics& diagnostics) {
  return out << diagnostics.text();
}

} // namespace emmy::deck
