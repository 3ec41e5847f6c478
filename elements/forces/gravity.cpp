#include "elements/forces/gravity.hpp"

#include <utility>

namespace emmy {

Gravity::Gravity(std::string name, const Ports& ports, Index port, double mass, const Vec3& g)
    : NaturalInteractionOf(
          std::move(name), "gravity", ports, {body_point(port, Vec3::Zero())},
          {ConstraintRows::none(), no_history, Acts::from_outside, Forces::constant, Nonlinear::in_turns}),
      weight_(mass * g) {}

NaturalNumbers Gravity::numbers(double, double) const {
  return {weight_.x(), weight_.y(), weight_.z()};
}

double Gravity::potential(const NaturalStep& s) const {
  return -weight_.dot(s.q_n1);
}

void Gravity::book(const MovedStep& s, const State& n1, StepBooks& books) const {
  if (is_grounded()) {
    Interaction::book(s, n1, books);
    return;
  }
  // The same in a few lines, since every body has its weight.
  const PortMotion& port = s.motions[static_cast<std::size_t>(variables().front().port)];
  const Vec3 x_m = (port.q_n.head<3>() + port.q_n1.head<3>()) / 2;
  const Vec3 impulse = s.h * weight_, moment = x_m.cross(impulse);
  books.potential -= weight_.dot(port.q_n1.head<3>());
  books.impulse += impulse;
  books.angular_impulse += moment;
  books.impulse_sum += impulse.norm();
  books.angular_impulse_sum += moment.norm();
}

std::string Gravity::row_name(Index) const {
  return "weight";
}

} // namespace emmy
