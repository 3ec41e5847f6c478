#include "elements/forces/rotational_spring_damper.hpp"

#include "elements/joints/angle.hpp"

#include <utility>

namespace emmy {

namespace {

/// The history counts turns and no more: the rest is read from the bodies, wherever they have been put.
double angle_at_start(const NaturalStep& s) {
  return counted_angle(s.history[0], s.q_n, s.q_n);
}

double angle_at_end(const NaturalStep& s) {
  return counted_angle(s.history[0], s.q_n, s.q_n1);
}

} // namespace

RotationalSpringDamper::RotationalSpringDamper(std::string name, const Ports& ports, const JointSide& I,
                                               const JointSide& J, const SpringLaw& law)
    : Interaction(std::move(name), "rotational spring damper", ports,
                  {body_direction(I.port, I.axes.col(1)), body_direction(I.port, I.axes.col(2)),
                   body_direction(J.port, J.axes.col(1))},
                  0, 1),
      law_(law) {}

double RotationalSpringDamper::moment(const NaturalStep& s, double theta) const {
  return law_.force(angle_at_start(s) + theta / 2, theta, s.inv_h);
}

void RotationalSpringDamper::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const AngleStep phi = angle_step(s.q_n, s.q_n1, out.tangent);
  const double M = moment(s, phi.theta);
  out.r += M * phi.G_bar;
  if (out.tangent)
    out.k += M * phi.K + law_.slope(s.inv_h) * phi.G_bar * phi.G.transpose();
}

void RotationalSpringDamper::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  Interaction::evaluate_instant(s, out);
  if (law_.c == 0)
    return;
  const AngleVector G = angle_gradient(s.q);
  out.viscous += law_.c * G.dot(s.q_dot) * G;
}

double RotationalSpringDamper::potential(const NaturalStep& s) const {
  return law_.potential(angle_at_end(s));
}

void RotationalSpringDamper::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  books.dissipation += law_.dissipation(angle_increment(s.q_n, s.q_n1), s.inv_h);
}

void RotationalSpringDamper::begin_history(const NaturalStep& still, HistoryVector& history) const {
  history[0] = angle_at(still.q_n);
}

void RotationalSpringDamper::advance_history(const NaturalStep& s, HistoryVector& history) const {
  history[0] = angle_at_end(s);
}

std::string RotationalSpringDamper::row_name(Index) const {
  return "spring moment";
}

double RotationalSpringDamper::torque(const Step& s, const PortMotions& motions) const {
  const NaturalStep step = natural_step(s, motions);
  return moment(step, angle_increment(step.q_n, step.q_n1));
}

double RotationalSpringDamper::angle(const Step& s, const PortMotions& motions) const {
  return angle_at_end(natural_step(s, motions));
}

} // namespace emmy
