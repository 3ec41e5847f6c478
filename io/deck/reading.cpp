#include "io/deck/reading.hpp"

#include <algorithm>
#include <sstream>

namespace emmy::deck {

void Names::add(std::string_view name) {
  index_.emplace(std::string(name), static_cast<int>(list_.size()));
  list_.emplace_back(name);
}

int Names::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found != index_.end() ? found->second : -1;
}

const std::vector<Counter>* Names::copies(std::string_view name) const {
  const auto found = copies_.find(std::string(name));
  return found != copies_.end() ? &found->second : nullptr;
}

const Node* Reading::fallback(const Field& field) {
  if (field.fallback.empty())
    return nullptr;
  const Node*& node = fallbacks_[&field];
  if (node == nullptr)
    node =
        parse_yaml(diagnostics.add_source("default of '" + field.name + "'", field.fallback, false), tree, diagnostics);
  return node;
}

std::string Target::describe() const {
  std::string text = component > 0 ? "component " + std::to_string(component) + " of " : "";
  text += quoted(field.name);
  if (!owner.empty())
    text += " of " + owner;
  return text;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::size_t end = std::min(longest, text.find_first_of("\r\n")); // a message stays on its line
  if (text.size() <= end)
    return "'" + std::string(text) + "'";
  while (end > 0 && (text[end] & 0xC0) == 0x80) // not inside a character
    --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

std::string number_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

} // namespace emmy::deck
