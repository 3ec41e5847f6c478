#include "core/element.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace emmy {

Element::Element(std::string name, std::string kind, std::vector<Node> nodes, std::vector<Index> ports,
                 ElementFacts facts)
    : name_(std::move(name)), kind_(std::move(kind)), nodes_(std::move(nodes)), ports_(std::move(ports)),
      facts_(std::move(facts)) {
  for (const Node& node : nodes_)
    unknowns_ += node.unknowns();
}

double RowBound::beyond(double phi) const {
  if (!is_length)
    return phi;
  const double squared = bound * (bound + 2 * sign * phi); // of the length
  return sign * (std::sqrt(std::max(0.0, squared)) - bound);
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
  return Pattern::Ones(unknowns_ + multipliers(), unknowns_ + multipliers());
}

void Element::begin(const MovedStep&, State&) const {}

void Element::advance(const MovedStep&, State&) const {}

} // namespace emmy
