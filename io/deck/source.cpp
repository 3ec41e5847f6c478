#include "io/deck/source.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace emmy::deck {

namespace {

constexpr std::size_t block = 1024;
bool is_continuation(char c) {
  return (c & 0xC0) == 0x80;
}

} // namespace

Source::Source(std::string name, std::string text, bool has_places)
    : name_(std::move(name)), text_(std::move(text)), has_places_(has_places), line_starts_{0} {
  std::size_t continuation_bytes = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % block == 0)
      continuation_bytes_.push_back(continuation_bytes);
    continuation_bytes += is_continuation(text_[i]) ? 1 : 0;
    if (text_[i] == '\n')
      line_starts_.push_back(i + 1);
  }
}

std::size_t Source::continuation_bytes_before(std::size_t offset) const {
  const std::size_t start = offset / block * block;
  const std::size_t before = start / block < continuation_bytes_.size() ? continuation_bytes_[start / block] : 0;
  return before +
         static_cast<std::size_t>(std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(start),
                                                text_.begin() + static_cast<std::ptrdiff_t>(offset), is_continuation));
}

int Source::characters_before(int line, int column) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_starts_.size() || column < 1)
    return 0;
  const std::size_t start = line_starts_[static_cast<std::size_t>(line) - 1];
  const std::size_t offset = std::min(start + static_cast<std::size_t>(column) - 1, text_.size());
  if (offset == text_.size() && offset % block == 0) // no block starts at the end
    return character_count(std::string_view(text_).substr(start, offset - start));
  return static_cast<int>(offset - start - continuation_bytes_before(offset) + continuation_bytes_before(start));
}

std::string_view Source::line(int number) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size())
    return {};
  const auto n = static_cast<std::size_t>(number);
  const std::size_t start = line_starts_[n - 1];
  std::size_t end = n < line_starts_.size() ? line_starts_[n] - 1 : text_.size();
  if (end > start && text_[end - 1] == '\r')
    --end;
  return std::string_view(text_).substr(start, end - start);
}

std::string_view Source::from(int line, int column) const {
  if (line < 1 || static_cast<std::size_t>(line) > line_starts_.size() || column < 1)
    return {};
  const std::size_t at = line_starts_[static_cast<std::size_t>(line) - 1] + static_cast<std::size_t>(column) - 1;
  return at < text_.size() ? std::string_view(text_).substr(at) : std::string_view{};
}

int character_count(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

Location location(const Span& span) {
  Location where;
  if (span.source == nullptr)
    return where;
  where.file = span.source->name();
  if (!span.source->has_places() || span.line == 0)
    return where;
  where.line = span.line;
  where.column = span.source->characters_before(span.line, span.column) + 1;
  return where;
}

std::size_t quoted_length(std::string_view text) {
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool escapes = quote == '"' && text[i] == '\\';
    const bool doubled = quote == '\'' && text[i] == quote && i + 1 < text.size() && text[i + 1] == quote;
    if (escapes || doubled)
      ++i; // the next character is meant as it is
    else if (text[i] == quote)
      return i + 1;
  }
  return std::string_view::npos;
}

namespace {

/// End of a list or map in brackets that starts at 0.
std::size_t bracketed_end(std::string_view text) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'')
      i += std::min(quoted_length(text.substr(i)), text.size() - i) - 1;
    else if (c == '[' || c == '{')
      ++open;
    else if ((c == ']' || c == '}') && --open == 0)
      return i + 1;
    else if (c == '#' && i > 0 && text[i - 1] == ' ')
      return i;
  }
  return text.size();
}

std::size_t word_end(std::string_view text) {
  return std::min(text.find_first_of(" ,:]}\t"), text.size());
}

} // namespace

int marked_length(const Span& span) {
  if (span.length > 0)
    return span.length;
  if (span.source == nullptr)
    return 1;
  const std::string_view line = span.source->line(span.line);
  if (span.column < 1 || static_cast<std::size_t>(span.column) > line.size())
    return 1;
  const std::string_view rest = line.substr(static_cast<std::size_t>(span.column) - 1);
  std::size_t end = 0;
  if (rest[0] == '"' || rest[0] == '\'')
    end = std::min(quoted_length(rest), rest.size());
  else if (rest[0] == '[' || rest[0] == '{')
    end = bracketed_end(rest);
  else
    end = word_end(rest);
  while (end > 1 && (rest[end - 1] == ' ' || rest[end - 1] == '\t'))
    --end;
  return std::max(1, static_cast<int>(end));
}

namespace {

/// Length of the UTF-8 sequence that starts at `i`, 0 when it is broken, overlong, a surrogate or beyond U+10FFFF.
std::size_t sequence_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0U; };
  const unsigned first = byte(i);
  std::size_t length = 0;
  unsigned smallest = 0, code = 0;
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first < 0xE0)
    length = 2, smallest = 0x80, code = first & 0x1FU;
  else if (first >= 0xE0 && first < 0xF0)
    length = 3, smallest = 0x800, code = first & 0x0FU;
  else if (first >= 0xF0 && first < 0xF5)
    length = 4, smallest = 0x10000, code = first & 0x07U;
  else
    return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80U)
      return 0;
    code = (code << 6U) | (byte(i + k) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < smallest || code > 0x10FFFF || surrogate ? 0 : length;
}

} // namespace

std::size_t first_non_text_byte(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    const std::size_t length = control ? 0 : sequence_length(bytes, i);
    if (length == 0)
      return i;
    i += length;
  }
  return std::string_view::npos;
}

} // namespace emmy::deck
