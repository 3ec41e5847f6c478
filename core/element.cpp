#include "core/element.hpp"

#include <cmath>
#include <utility>

namespace emmy {

Element::Element(std::string name, std::string kind, std::vector<Node> nodes, Index multipliers, Index history)
    : name_(std::move(name)), kind_(std::move(kind)), nodes_(std::move(nodes)), multipliers_(multipliers),
      history_(history) {
  for (const Node& node : nodes_)
    unknowns_ += node.unknowns();
}

void book_support(const Connectivity& port, double h, const Vec12& r, const Vec3& moment_of_r, StepBooks& books) {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  port.add_support(r, moment_of_r, force, moment);
  books.impulse += h * force;
  books.angular_impulse += h * moment;
  books.impulse_sum += std::abs(h) * force.norm();
  books.angular_impulse_sum += std::abs(h) * moment.norm();
}

Pattern Element::pattern() const {
  return Pattern::Ones(unknowns_ + multipliers_, unknowns_ + multipliers_);
}

void Element::begin(const Step&, const PortMotions&, State&) const {}

void Element::advance(const Step&, const PortMotions&, State&) const {}

} // namespace emmy
