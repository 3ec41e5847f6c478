#include "core/connectivity.hpp"

#include <stdexcept>
#include <utility>

namespace emmy {

Connectivity::Connectivity(std::vector<Node> nodes, Grounding grounding)
    : nodes_(std::move(nodes)), grounding_(grounding) {
  for (const Node& node : nodes_)
    unknowns_ += node.unknowns();
  if (unknowns_ > max_port_unknowns)
    throw std::length_error("a port may depend on at most " + std::to_string(max_port_unknowns) + " unknowns");
}

void Connectivity::add_geometric(const Step&, const PortMotion&, const Vec12&, MatrixRef) const {}

void Connectivity::add_support(const Vec12&, const Vec3&, Vec3&, Vec3&) const {}

MapPattern Connectivity::map_pattern() const {
  return {Pattern::Ones(12, unknowns_), Pattern::Ones(12, unknowns_)};
}

Pattern Connectivity::geometric_pattern(const PortPattern&) const {
  return Pattern::Ones(unknowns_, unknowns_);
}

Ground::Ground() : Connectivity({}, Grounding::none) {}

namespace {
Vec12 fixed_port() {
  Vec12 q;
  q << Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ();
  return q;
}
} // namespace

void Ground::move(const Step&, PortMotion& m) const {
  m.q_n = m.q_n1 = fixed_port();
  m.P_bar.resize(12, 0);
  m.D.resize(12, 0);
}

void Ground::at(const State&, Vec12& q, Vec12& q_dot) const {
  q = fixed_port();
  q_dot.setZero();
}

} // namespace emmy
