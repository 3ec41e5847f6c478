#include "core/element.hpp"

#include <utility>

namespace emmy {

Element::Element(std::string name, std::string kind, std::vector<Node> nodes, Index multipliers, Index history)
    : name_(std::move(name)), kind_(std::move(kind)), nodes_(std::move(nodes)), multipliers_(multipliers),
      history_(history) {
  for (const Node& node : nodes_)
    unknowns_ += node.unknowns();
}

Pattern Element::pattern() const {
  return Pattern::Ones(unknowns_ + multipliers_, unknowns_ + multipliers_);
}

void Element::begin(const Step&, const PortMotions&, State&) const {}

void Element::advance(const Step&, const PortMotions&, State&) const {}

} // namespace emmy
