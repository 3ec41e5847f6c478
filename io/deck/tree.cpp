#include "io/deck/tree.hpp"

#include <algorithm>

namespace emmy::deck {

const Member* Node::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return found != members.end() ? &*found : nullptr;
}

Span span_of(const Node& node) {
  Span span = node.at;
  const std::string_view rest = span.source != nullptr ? span.source->from(span.line, span.column) : std::string_view{};
  if (node.is_scalar() && !node.text.empty() && rest.data() == node.text.data())
    span.length = static_cast<int>(std::min(node.text.find('\n'), node.text.size()));
  return span;
}

Span span_of(const Node& node, std::size_t offset, std::size_t length) {
  Span span = node.at;
  const std::string_view rest = span.source != nullptr ? span.source->from(span.line, span.column) : std::string_view{};
  const bool literal = !rest.empty() && (rest.data() == node.text.data() || rest.data() + 1 == node.text.data());
  const bool one_line = node.text.find('\n') == std::string_view::npos;
  if (!literal || !one_line || offset >= node.text.size())
    return span_of(node);
  span.column += static_cast<int>(node.text.data() - rest.data()) + static_cast<int>(offset);
  span.length = static_cast<int>(std::min(std::max<std::size_t>(length, 1), node.text.size() - offset));
  return span;
}

} // namespace emmy::deck
