#include "elements/joints/drive.hpp"

#include "elements/joints/angle.hpp"
#include "elements/joints/drive_equations.hpp"

#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

// What a drive remembers.
constexpr Index coordinate_at = 0; // with its turns
constexpr Index target_at = 1;     // of a prescribed rate

std::vector<NaturalVariable> ends_of(Drive::Coordinate coordinate, const JointSide& I, const JointSide& J) {
  if (coordinate == Drive::Coordinate::angle)
    return {I.s1(), I.s2(), J.s1()};
  return {I.point(), J.point(), I.n()};
}

std::unique_ptr<MeasureEquations> equations_of(Drive::Coordinate coordinate) {
  using None = NoNumbers<double>;
  if (coordinate == Drive::Coordinate::angle)
    return std::make_unique<EquationsOf<AngleDriveEquations>>(None());
  return std::make_unique<EquationsOf<DisplacementDriveEquations>>(None());
}

} // namespace

Drive::Drive(std::string name, const Ports& ports, const JointSide& I, const JointSide& J, Coordinate coordinate,
             Prescribes prescribes, TimeFunction function)
    : MeasureInteraction(std::move(name), coordinate == Coordinate::angle ? "angle drive" : "displacement drive", ports,
                         ends_of(coordinate, I, J), equations_of(coordinate),
                         {ConstraintRows::equations(1), prescribes == Prescribes::rate ? 2 : 1, Acts::as_motor,
                          Forces::of_configuration, Nonlinear::in_turns}),
      coordinate_(coordinate), prescribes_(prescribes), function_(std::move(function)) {
  if (prescribes_ == Prescribes::value && !function_.has_rate())
    throw std::invalid_argument(this->kind() + " '" + this->name() + "' needs a target with a rate");
}

Drive::Targets Drive::targets(double t, double h, const double* history) const {
  if (prescribes_ == Prescribes::value)
    return {function_(t), function_(t + h)};
  return {history[target_at], history[target_at] + function_.integral(t, h)};
}

void Drive::recall(double t, double h, const double* history, double* memory) const {
  static_assert(static_cast<int>(AngleDriveEquations::target) == static_cast<int>(DisplacementDriveEquations::target));
  memory[AngleDriveEquations::counted] = history[coordinate_at];
  memory[AngleDriveEquations::target] = targets(t, h, history).f_n1;
  memory[AngleDriveEquations::target_rate] = target_rate(t + h);
}

std::string Drive::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  return turns() ? "prescribed angle [rad]" : "prescribed displacement [m]";
}

double Drive::effort(const MovedStep& s) const {
  return -s.lambda[first_multiplier()];
}

double Drive::target_rate(double t) const {
  return prescribes_ == Prescribes::value ? function_.rate(t) : function_(t);
}

Drive::Targets Drive::targets(const State& n, double h) const {
  return targets(n.time, h, n.history.data() + first_history());
}

Reaction Drive::reaction_on_second(const MovedStep& s) const {
  const Index second = turns() ? 2 : 1;
  return reaction(s, variables()[static_cast<std::size_t>(second)].port, second);
}

void Drive::book_energy(const NaturalStep& s, const NaturalVector&, StepBooks& books) const {
  const auto [f_n, f_n1] = targets(s.t, s.h, s.history.data());
  books.work -= s.lambda[0] * (f_n1 - f_n); // [D17]
}

void Drive::begin_history(const NaturalStep& still, HistoryVector& history) const {
  Memory memory;
  const MeasureValues y = measure(still, memory);
  const bool by_value = prescribes_ == Prescribes::value;
  if (turns()) // the turn that is nearest to the target
    history[coordinate_at] = with_turns(std::atan2(y.n1[1], y.n1[0]), by_value ? function_(still.t) : 0);
  else
    history[coordinate_at] = y.n1[0];
  if (!by_value)
    history[target_at] = history[coordinate_at];
}

void Drive::advance_history(const NaturalStep& s, HistoryVector& history) const {
  Memory memory;
  const MeasureValues y = measure(s, memory);
  equations().remember(y, memory.data());
  history[coordinate_at] = memory[AngleDriveEquations::counted];
  if (prescribes_ == Prescribes::rate)
    history[target_at] = targets(s.t, s.h, s.history.data()).f_n1;
}

} // namespace emmy
