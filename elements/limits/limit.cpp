#include "elements/limits/limit.hpp"

#include "elements/joints/angle.hpp"
#include "elements/limits/limit_equations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// Natural variables in the order of limit_equations.hpp.
std::vector<NaturalVariable> ends_of(const CoordinateMeasure& measure) {
  const auto& v = measure.variables();
  switch (measure.kind()) {
  case CoordinateMeasure::Kind::angle:
    return {v[0], v[1], v[2]};
  case CoordinateMeasure::Kind::displacement:
    return {v[1], v[2], v[0]};
  case CoordinateMeasure::Kind::length:
    break;
  }
  return {v[1], v[2]};
}

/// The upper bound first.
std::vector<RowBound> rows_of(const CoordinateMeasure& measure, const Bounds& bounds) {
  const bool is_length = measure.kind() == CoordinateMeasure::Kind::length;
  std::vector<RowBound> rows;
  if (bounds.upper)
    rows.push_back({1, *bounds.upper, is_length});
  if (bounds.lower)
    rows.push_back({-1, *bounds.lower, is_length});
  return rows;
}

template <int Count>
std::unique_ptr<MeasureEquations> equations_of(CoordinateMeasure::Kind kind, const std::vector<RowBound>& rows) {
  BoundNumbers<double, Count> numbers;
  for (int i = 0; i < Count; ++i) {
    numbers.sign[i] = rows[static_cast<std::size_t>(i)].sign;
    numbers.bound[i] = rows[static_cast<std::size_t>(i)].bound;
  }
  switch (kind) {
  case CoordinateMeasure::Kind::angle:
    return std::make_unique<EquationsOf<AngleLimitEquations<Count>>>(numbers);
  case CoordinateMeasure::Kind::displacement:
    return std::make_unique<EquationsOf<DisplacementLimitEquations<Count>>>(numbers);
  case CoordinateMeasure::Kind::length:
    break;
  }
  return std::make_unique<EquationsOf<LengthLimitEquations<Count>>>(numbers);
}

std::unique_ptr<MeasureEquations> equations_of(const CoordinateMeasure& measure, const std::vector<RowBound>& rows) {
  if (rows.empty())
    throw std::invalid_argument("a limit needs a bound");
  return rows.size() == 1 ? equations_of<1>(measure.kind(), rows) : equations_of<2>(measure.kind(), rows);
}

} // namespace

Limit::Limit(std::string name, std::string kind, const Ports& ports, const CoordinateMeasure& measure,
             const Bounds& bounds, double restitution)
    : MeasureInteraction(
          std::move(name), std::move(kind), ports, ends_of(measure), equations_of(measure, rows_of(measure, bounds)),
          {ConstraintRows::one_sided(rows_of(measure, bounds), restitution), measure.counts_turns() ? 1 : no_history,
           Acts::between_bodies, Forces::of_configuration, Nonlinear::in_displacements}),
      measure_(measure) {
  const char* force_unit = is_angle() ? "N m" : "N";
  for (const RowBound& row : this->bounds()) {
    labels_.push_back({row.sign > 0 ? "upper" : "lower", measure_.label().unit, force_unit});
    if (is_length() && !(row.bound > 0))
      throw std::invalid_argument(this->kind() + " '" + this->name() + "' needs lengths above zero");
  }
  if (bounds.upper && bounds.lower && !(*bounds.lower < *bounds.upper))
    throw std::invalid_argument(this->kind() + " '" + this->name() + "' has bounds without room between them");
  if (!(restitution >= 0 && restitution <= 1))
    throw std::invalid_argument(this->kind() + " '" + this->name() + "' needs a restitution between 0 and 1");
}

std::string Limit::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  const LimitRow& row = labels_[static_cast<std::size_t>(i - unknowns())];
  return std::string(row.name) + " bound [" + row.gap_unit + "]";
}

void Limit::gaps_at(const State& state, VectorRef gap, VectorRef rate) const {
  const double y = measure_.value(state, is_angle() ? state.history[first_history()] : 0);
  const double y_dot = measure_.rate(state);
  for (std::size_t i = 0; i < bounds().size(); ++i) {
    const RowBound& row = bounds()[i];
    gap[static_cast<Index>(i)] = row.sign * (row.bound - y);
    rate[static_cast<Index>(i)] = -row.sign * y_dot;
  }
}

MultiplierVector Limit::forces(const Step& s) const {
  return s.lambda.segment(first_multiplier(), multipliers());
}

Reaction Limit::reaction_on_second(const MovedStep& s) const {
  const Index last = is_angle() ? 2 : 1;
  return reaction(s, variables()[static_cast<std::size_t>(last)].port, last);
}

void Limit::begin_history(const NaturalStep& still, HistoryVector& history) const {
  Memory memory;
  const MeasureValues dots = MeasureInteraction::measure(still, memory);
  const double y = std::atan2(dots.n1[1], dots.n1[0]);
  const std::vector<RowBound>& rows = bounds();
  const bool is_outside = rows.size() == 2 && (y > rows[0].bound || y < rows[1].bound);
  history[0] = is_outside ? with_turns(y, (rows[0].bound + rows[1].bound) / 2) : y;
}

std::unique_ptr<Limit> wall(std::string name, const Ports& ports, const JointSide& I, const NaturalVariable& b,
                            double radius, double restitution) {
  const auto distance = CoordinateMeasure::displacement("distance", ports, body_direction(I.port, I.axes.col(0)),
                                                        body_point(I.port, I.at), b);
  return std::make_unique<Limit>(std::move(name), "wall", ports, distance, Bounds{radius, {}}, restitution);
}

std::unique_ptr<Limit> stop(std::string name, const Ports& ports, const CoordinateMeasure& coordinate,
                            const Bounds& bounds, double restitution) {
  return std::make_unique<Limit>(std::move(name), "stop", ports, coordinate, bounds, restitution);
}

std::unique_ptr<Limit> rope(std::string name, const Ports& ports, const NaturalVariable& a, const NaturalVariable& b,
                            const Bounds& bounds, double restitution) {
  return std::make_unique<Limit>(std::move(name), "rope", ports, CoordinateMeasure::length("length", ports, a, b),
                                 bounds, restitution);
}

} // namespace emmy
