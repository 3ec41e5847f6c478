#include "elements/joints/drive.hpp"

#include "elements/joints/angle.hpp"

#include <cmath>
#include <utility>

namespace emmy {

namespace {

/// s1, s2 of I and t1 of J for an angle; n of I and the two points for a displacement.
std::vector<NaturalVariable> variables_of(Drive::Coordinate coordinate, const JointSide& I, const JointSide& J) {
  if (coordinate == Drive::Coordinate::angle)
    return {body_direction(I.port, I.axes.col(1)), body_direction(I.port, I.axes.col(2)),
            body_direction(J.port, J.axes.col(1))};
  return {body_direction(I.port, I.axes.col(0)), body_point(I.port, I.at), body_point(J.port, J.at)};
}

} // namespace

Drive::Drive(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, Coordinate coordinate,
             Prescribes prescribes, TimeFunction function)
    : Interaction(std::move(name), coordinate == Coordinate::angle ? "angle drive" : "displacement drive", ports,
                  variables_of(coordinate, I, J), 1, prescribes == Prescribes::rate ? 1 : 0),
      coordinate_(coordinate), prescribes_(prescribes), function_(std::move(function)) {
  if (coordinate == Coordinate::angle)
    primitives_ = {Dot{0, 2}, Dot{1, 2}};
  else
    primitives_ = {Slide{0, 1, 2}};
}

Drive::Targets Drive::targets(const NaturalStep& s) const {
  if (prescribes_ == Prescribes::value)
    return {function_(s.t), function_(s.t + s.h)};
  return {s.history[0], s.history[0] + function_.integral(s.t, s.h)};
}

Vec3 Drive::coefficients(double f) const {
  if (coordinate_ == Coordinate::angle)
    return {-std::sin(f), std::cos(f), 0};
  return {1, 0, -f};
}

Vec3 Drive::slopes(double f) const {
  if (coordinate_ == Coordinate::angle)
    return {-std::cos(f), -std::sin(f), 0};
  return {0, 0, -1};
}

Vec3 Drive::values(const NaturalVector& q) const {
  Vec3 all(0, 0, 1);
  for (std::size_t i = 0; i < primitives_.size(); ++i) {
    MultiplierVector value = MultiplierVector::Zero(1);
    add_value(primitives_[i], 1, q, 0, value);
    all[static_cast<Index>(i)] = value[0];
  }
  return all;
}

void Drive::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const auto [f_n, f_n1] = targets(s);
  const Vec3 a_n1 = coefficients(f_n1), a_m = (coefficients(f_n) + a_n1) / 2;
  const Vec3 at_end = values(s.q_n1);
  out.phi[0] = a_n1.dot(at_end);
  for (std::size_t i = 0; i < primitives_.size(); ++i) {
    const auto k = static_cast<Index>(i);
    add_gradient(primitives_[i], a_m[k], s.q_m, 0, out.G_bar); // [D17]: time means of the coefficients
    if (out.tangent) {
      add_gradient(primitives_[i], a_n1[k], s.q_n1, 0, out.G);
      add_hessian(primitives_[i], a_m[k] / 2, 0, s.lambda, out.k);
    }
  }
  if (out.tangent) {
    const double t = s.t + s.h;
    out.phi_t[0] = slopes(f_n1).dot(at_end) * (prescribes_ == Prescribes::value ? function_.rate(t) : function_(t));
  }
}

NaturalPattern Drive::natural_pattern() const {
  NaturalPattern pattern{Pattern::Zero(9, 9), Pattern::Zero(1, 9)};
  for (const Primitive& primitive : primitives_)
    add_pattern(primitive, 0, pattern);
  return pattern;
}

std::string Drive::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  return coordinate_ == Coordinate::angle ? "prescribed angle [rad]" : "prescribed displacement [m]";
}

double Drive::effort(const Step& s, const PortMotions& motions) const {
  const NaturalStep step = natural_step(s, motions);
  const auto [f_n, f_n1] = targets(step);
  // lambda times the change of Phi by time, over the change of the target [D17]: that of the coefficients is their
  // slope at the mean target times the factor of a chord.
  const Vec3 mean = (values(step.q_n) + values(step.q_n1)) / 2;
  const double half = (f_n1 - f_n) / 2;
  const double chord = coordinate_ == Coordinate::angle && half != 0 ? std::sin(half) / half : 1;
  return step.lambda[0] * chord * slopes((f_n + f_n1) / 2).dot(mean);
}

Reaction Drive::reaction_on_second(const Step& s, const PortMotions& motions) const {
  return reaction(s, motions, variables()[2].port, 2);
}

void Drive::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  const auto [f_n, f_n1] = targets(s);
  const Vec3 mean = (values(s.q_n) + values(s.q_n1)) / 2;
  books.work += s.lambda[0] * (coefficients(f_n1) - coefficients(f_n)).dot(mean); // [D17]
}

void Drive::begin_history(const NaturalStep& still, HistoryVector& history) const {
  if (prescribes_ == Prescribes::rate)
    history[0] = coordinate_ == Coordinate::angle ? angle_at(still.q_n.segment<9>(0)) : values(still.q_n)[0];
}

void Drive::advance_history(const NaturalStep& s, HistoryVector& history) const {
  if (prescribes_ == Prescribes::rate)
    history[0] = targets(s).f_n1;
}

} // namespace emmy
