#include "elements/forces/gravity.hpp"

#include <utility>

namespace emmy {

Gravity::Gravity(std::string name, const Ports& ports, Index port, double mass, const Vec3& g)
    : Interaction(std::move(name), "gravity", ports, {body_point(port, Vec3::Zero())}), weight_(mass * g) {}

void Gravity::evaluate_natural(const NaturalStep&, NaturalSystem& out) const {
  out.r -= weight_;
}

NaturalPattern Gravity::natural_pattern() const {
  return {Pattern::Zero(3, 3), Pattern::Zero(0, 3)}; // the force does not change
}

double Gravity::potential(const NaturalStep& s) const {
  return -weight_.dot(s.q_n1);
}

std::string Gravity::row_name(Index) const {
  return "weight";
}

} // namespace emmy
