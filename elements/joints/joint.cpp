#include "elements/joints/joint.hpp"

#include "elements/joints/angle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace emmy {

namespace {

/// It remembers the turns of its coordinates and what its equations do.
InteractionFacts facts_of(const MeasureEquations& equations, const std::vector<CoordinateMeasure>& coordinates) {
  const Index counting =
      std::count_if(coordinates.begin(), coordinates.end(), [](const auto& c) { return c.counts_turns(); });
  return {ConstraintRows::equations(equations.multipliers), counting + equations.memory,
          equations.memory > 0 ? Acts::between_bodies : Acts::as_constraint, Forces::of_configuration,
          has_square(equations) ? Nonlinear::in_displacements : Nonlinear::in_turns};
}

} // namespace

Joint::Joint(std::string name, std::string kind, const Ports& ports, std::vector<NaturalVariable> ends,
             std::unique_ptr<MeasureEquations> equations, Parts parts)
    : MeasureInteraction(std::move(name), std::move(kind), ports, std::move(ends), std::move(equations),
                         facts_of(*equations, parts.coordinates)),
      parts_(std::move(parts)) {
  for (const CoordinateMeasure& coordinate : parts_.coordinates)
    labels_.push_back(coordinate.label());
}

std::string Joint::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  const auto row = static_cast<int>(i - unknowns());
  if (row == 0 && has_constant())
    return "ratio of its motions";
  const MeasureEquations& e = equations();
  const auto is_from_point_to_point = [&](int vector) { return is_span(e.vectors[vector]); };
  for (const Term* term = e.terms; term != e.terms + e.term_count; ++term)
    if (term->v == itself && row >= term->row && row < term->row + 3) {
      static const char* const axes[] = {"x", "y", "z"};
      return std::string("position along ") + axes[row - term->row] + " [m]";
    } else if (row == term->row) {
      if (term->u == term->v)
        return "distance [m]";
      return is_from_point_to_point(term->u) || is_from_point_to_point(term->v)
                 ? "position across a direction it keeps to [m]"
                 : "alignment of its axes [rad]";
    }
  return {};
}

Reaction Joint::reaction_on_second(const MovedStep& s) const {
  return reaction(s, variables()[static_cast<std::size_t>(parts_.second)].port, parts_.second);
}

void Joint::coordinates_at(const State& state, VectorRef value, VectorRef rate) const {
  Index slot = first_history();
  for (std::size_t i = 0; i < parts_.coordinates.size(); ++i) {
    const CoordinateMeasure& coordinate = parts_.coordinates[i];
    const double counted = coordinate.counts_turns() ? state.history[slot++] : 0;
    value[static_cast<Index>(i)] = coordinate.value(state, counted);
    rate[static_cast<Index>(i)] = coordinate.rate(state);
  }
}

double Joint::constant_at_start(const NaturalStep& still, const PortMotions& motions) const {
  NaturalStep nothing_known = still;
  nothing_known.history.setZero();
  const double others = response(nothing_known).phi[0];
  if (parts_.period == 0)
    return -others;
  const double angle = parts_.per_angle * parts_.coordinates.back().first_angle(motions);
  return std::remainder(others + angle, parts_.period) - others;
}

void Joint::begin(const MovedStep& still, State& state) const {
  double constant = 0;
  if (has_constant())
    constant = state.history[first_history() + history() - 1] = constant_at_start(natural_step(still), still.motions);
  Index slot = first_history();
  for (const CoordinateMeasure& coordinate : parts_.coordinates)
    if (coordinate.counts_turns()) {
      double& counted = state.history[slot++];
      counted = coordinate.first_angle(still.motions);
      if (parts_.period > 0) // the turns of a screw follow from its displacement
        counted = with_turns(counted, constant / parts_.per_angle);
    }
}

void Joint::advance(const MovedStep& s, State& n1) const {
  if (has_constant())
    MeasureInteraction::advance(s, n1);
  Index slot = first_history();
  for (const CoordinateMeasure& coordinate : parts_.coordinates)
    if (coordinate.counts_turns()) {
      n1.history[slot] = coordinate.counted_after(s.motions, s.n.history[slot]);
      ++slot;
    }
}

} // namespace emmy
