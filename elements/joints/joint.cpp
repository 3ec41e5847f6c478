#include "elements/joints/joint.hpp"

#include "elements/joints/angle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace emmy {

namespace {

Index counting(const std::vector<CoordinateMeasure>& coordinates) {
  return std::count_if(coordinates.begin(), coordinates.end(), [](const auto& c) { return c.counts_turns(); });
}

} // namespace

Joint::Joint(std::string name, std::string kind, const Ports& ports, JointComposition composition)
    : Interaction(std::move(name), std::move(kind), ports, composition.variables, composition.rows,
                  counting(composition.coordinates) + (composition.offset_row < 0 ? 0 : 1)),
      composition_(std::move(composition)), counted_(counting(composition_.coordinates)) {
  for (const CoordinateMeasure& coordinate : composition_.coordinates)
    labels_.push_back(coordinate.label());
}

void Joint::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  for (const auto& [primitive, row, factor] : composition_.terms) {
    add_value(primitive, factor, s.q_n1, row, out.phi);
    add_gradient(primitive, factor, s.q_m, row, out.G_bar); // [D15]
    if (out.tangent) {
      add_gradient(primitive, factor, s.q_n1, row, out.G);
      add_hessian(primitive, factor / 2, row, s.lambda, out.k); // [D16]: the mean moves half as far as the end point
    }
  }
  if (!has_offset())
    return;
  const Index row = composition_.offset_row;
  out.phi[row] += s.history[counted_];
  for (const auto& [first, factor] : composition_.angles) {
    const Index i = 3 * first;
    const AngleStep angle = angle_step(s.q_n.segment<9>(i), s.q_n1.segment<9>(i), out.tangent);
    out.phi[row] += factor * angle.theta;
    out.G_bar.block<1, 9>(row, i) += factor * angle.G_bar.transpose(); // [D18]
    if (out.tangent) {
      out.G.block<1, 9>(row, i) += factor * angle.G.transpose();
      out.k.block<9, 9>(i, i) += factor * s.lambda[row] * angle.K;
    }
  }
}

bool Joint::bends() const {
  return std::any_of(composition_.terms.begin(), composition_.terms.end(),
                     [](const auto& term) { return std::holds_alternative<Distance>(term.primitive); });
}

double Joint::bending_length(const Step&, const PortMotions&) const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& term : composition_.terms)
    if (const auto* distance = std::get_if<Distance>(&term.primitive))
      least = std::min(least, distance->length);
  return least;
}

void Joint::end_of_constraints(const NaturalStep& s, const NaturalVector& q_dot, MultiplierVector& phi,
                               MultiplierVector& phi_dot) const {
  if (has_offset()) { // angles come with their gradient
    Interaction::end_of_constraints(s, q_dot, phi, phi_dot);
    return;
  }
  for (const auto& [primitive, row, factor] : composition_.terms) {
    add_value(primitive, factor, s.q_n1, row, phi);
    add_rate(primitive, factor, s.q_n1, q_dot, row, phi_dot);
  }
}

NaturalPattern Joint::natural_pattern() const {
  const auto n = static_cast<Index>(3 * variables().size());
  NaturalPattern pattern{Pattern::Zero(n, n), Pattern::Zero(multipliers(), n)};
  for (const auto& term : composition_.terms)
    add_pattern(term.primitive, term.row, pattern);
  for (const auto& angle : composition_.angles) {
    pattern.G.block<1, 9>(composition_.offset_row, 3 * angle.first).setOnes();
    pattern.k.block<9, 9>(3 * angle.first, 3 * angle.first).setOnes();
  }
  return pattern;
}

std::string Joint::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  const Index row = i - unknowns();
  if (row == composition_.offset_row)
    return "ratio of its motions";
  for (const auto& term : composition_.terms)
    if (row >= term.row && row < term.row + rows(term.primitive))
      return emmy::row_name(term.primitive, row - term.row);
  return {};
}

Reaction Joint::reaction_on_second(const Step& s, const PortMotions& motions) const {
  const Index second = composition_.second;
  return reaction(s, motions, variables()[static_cast<std::size_t>(second)].port, second);
}

void Joint::coordinates_at(const State& state, VectorRef value, VectorRef rate) const {
  Index slot = first_history();
  for (std::size_t i = 0; i < composition_.coordinates.size(); ++i) {
    const CoordinateMeasure& coordinate = composition_.coordinates[i];
    const double counted = coordinate.counts_turns() ? state.history[slot++] : 0;
    value[static_cast<Index>(i)] = coordinate.value(state, counted);
    rate[static_cast<Index>(i)] = coordinate.rate(state);
  }
}

double Joint::offset_at_start(const NaturalVector& q) const {
  MultiplierVector phi = MultiplierVector::Zero(multipliers());
  for (const auto& term : composition_.terms)
    add_value(term.primitive, term.factor, q, term.row, phi);
  const double others = phi[composition_.offset_row];
  if (composition_.period == 0)
    return -others;
  double angles = 0;
  for (const auto& [first, factor] : composition_.angles)
    angles += factor * angle_at(q.segment<9>(3 * first));
  return std::remainder(others + angles, composition_.period) - others;
}

void Joint::begin(const Step& still, const PortMotions& motions, State& state) const {
  Index slot = first_history();
  double offset = 0;
  if (has_offset())
    offset = state.history[slot + counted_] = offset_at_start(natural_step(still, motions).q_n);
  for (const CoordinateMeasure& coordinate : composition_.coordinates)
    if (coordinate.counts_turns()) {
      double& counted = state.history[slot++];
      counted = coordinate.first_angle(motions);
      if (composition_.period > 0) // the turns of a screw follow from its displacement
        counted = with_turns(counted, offset / composition_.angles.front().factor);
    }
}

void Joint::advance(const Step& s, const PortMotions& motions, State& n1) const {
  Index slot = first_history();
  for (const CoordinateMeasure& coordinate : composition_.coordinates)
    if (coordinate.counts_turns()) {
      n1.history[slot] = coordinate.counted_after(motions, s.n.history[slot]);
      ++slot;
    }
  if (!has_offset())
    return;
  const NaturalStep step = natural_step(s, motions);
  double sum = step.history[counted_];
  for (const auto& [first, factor] : composition_.angles)
    sum += factor * angle_increment(step.q_n.segment<9>(3 * first), step.q_n1.segment<9>(3 * first));
  n1.history[slot] = sum;
}

} // namespace emmy
