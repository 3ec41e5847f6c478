#include "elements/joints/drive.hpp"

#include "elements/joints/angle.hpp"

#include <utility>

namespace emmy {

namespace {

const Primitive displacement = Slide{0, 1, 2};

// What a drive remembers.
constexpr Index counted = 0; // coordinate, for its turns
constexpr Index target = 1;  // of a prescribed rate

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
                  variables_of(coordinate, I, J), 1, prescribes == Prescribes::rate ? 2 : 1),
      coordinate_(coordinate), prescribes_(prescribes), function_(std::move(function)) {}

Drive::Targets Drive::targets(const NaturalStep& s) const {
  if (prescribes_ == Prescribes::value)
    return {function_(s.t), function_(s.t + s.h)};
  return {s.history[target], s.history[target] + function_.integral(s.t, s.h)};
}

double Drive::coordinate_at_end(const NaturalStep& s) const {
  if (coordinate_ == Coordinate::angle)
    return counted_angle(s.history[counted], s.q_n, s.q_n1);
  MultiplierVector value = MultiplierVector::Zero(1);
  add_value(displacement, 1, s.q_n1, 0, value);
  return value[0];
}

void Drive::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  out.phi[0] = coordinate_at_end(s) - targets(s).f_n1; // [D17]
  if (coordinate_ == Coordinate::angle) {
    const AngleStep phi = angle_step(s.q_n, s.q_n1, out.tangent);
    out.G_bar = phi.G_bar.transpose(); // [D18]
    if (out.tangent) {
      out.G = phi.G.transpose();
      out.k += s.lambda[0] * phi.K;
    }
  } else {
    add_gradient(displacement, 1, s.q_m, 0, out.G_bar);
    if (out.tangent) {
      add_gradient(displacement, 1, s.q_n1, 0, out.G);
      add_hessian(displacement, 0.5, 0, s.lambda, out.k);
    }
  }
  if (out.tangent)
    out.phi_t[0] = -(prescribes_ == Prescribes::value ? function_.rate(s.t + s.h) : function_(s.t + s.h));
}

NaturalPattern Drive::natural_pattern() const {
  if (coordinate_ == Coordinate::angle)
    return Interaction::natural_pattern();
  NaturalPattern pattern{Pattern::Zero(9, 9), Pattern::Zero(1, 9)};
  add_pattern(displacement, 0, pattern);
  return pattern;
}

std::string Drive::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  return coordinate_ == Coordinate::angle ? "prescribed angle [rad]" : "prescribed displacement [m]";
}

double Drive::effort(const Step& s, const PortMotions&) const {
  return -s.lambda[first_multiplier()];
}

Reaction Drive::reaction_on_second(const Step& s, const PortMotions& motions) const {
  return reaction(s, motions, variables()[2].port, 2);
}

void Drive::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  const auto [f_n, f_n1] = targets(s);
  books.work -= s.lambda[0] * (f_n1 - f_n); // [D17]
}

void Drive::begin_history(const NaturalStep& still, HistoryVector& history) const {
  const bool by_value = prescribes_ == Prescribes::value;
  history[counted] = by_value ? function_(still.t) : 0; // with_turns() looks for the turn that is nearest
  history[counted] = coordinate_ == Coordinate::angle ? with_turns(angle_at(still.q_n), history[counted]) : 0;
  if (!by_value)
    history[target] = coordinate_ == Coordinate::angle ? history[counted] : coordinate_at_end(still);
}

void Drive::advance_history(const NaturalStep& s, HistoryVector& history) const {
  history[counted] = coordinate_at_end(s);
  if (prescribes_ == Prescribes::rate)
    history[target] = targets(s).f_n1;
}

} // namespace emmy
