#include "elements/limits/limit.hpp"

#include "elements/joints/angle.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

constexpr Index counted = 0; // what a limit of an angle remembers

/// The three variables of an angle or a displacement, the two points of a length.
std::vector<NaturalVariable> variables_of(const CoordinateMeasure& measure) {
  const auto& v = measure.variables();
  return {measure.kind() == CoordinateMeasure::Kind::length ? v.begin() + 1 : v.begin(), v.end()};
}

Index count(const Bounds& bounds) {
  return (bounds.upper ? 1 : 0) + (bounds.lower ? 1 : 0);
}

} // namespace

Limit::Limit(std::string name, std::string kind, const Ports& ports, const CoordinateMeasure& measure,
             const Bounds& bounds, double restitution)
    : Interaction(std::move(name), std::move(kind), ports, variables_of(measure), count(bounds),
                  measure.counts_turns() ? 1 : 0),
      measure_(measure), restitution_(restitution) {
  const char* force_unit = is_angle() ? "N m" : "N";
  const auto add = [&](const char* label, double sign, const std::optional<double>& bound) {
    if (!bound)
      return;
    rows_.push_back({sign, *bound});
    labels_.push_back({label, measure_.label().unit, force_unit});
    if (is_length() && !(*bound > 0))
      throw std::invalid_argument(this->kind() + " '" + this->name() + "' needs lengths above zero");
  };
  add("upper", 1, bounds.upper);
  add("lower", -1, bounds.lower);
  if (rows_.empty() || (bounds.upper && bounds.lower && !(*bounds.lower < *bounds.upper)))
    throw std::invalid_argument(this->kind() + " '" + this->name() + "' has no bounds, or none with room between them");
  if (!(restitution >= 0 && restitution <= 1))
    throw std::invalid_argument(this->kind() + " '" + this->name() + "' needs a restitution between 0 and 1");
}

Primitive Limit::primitive(const Row& row) const {
  if (is_length())
    return Distance{0, 1, row.bound};
  return Slide{0, 1, 2};
}

void Limit::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  if (is_angle()) {
    evaluate_angle(s, out);
    return;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const Primitive p = primitive(rows_[i]);
    const double f = factor(rows_[i]);
    add_value(p, f, s.q_n1, row, out.phi);
    if (!is_length()) // which has its bound in the primitive
      out.phi[row] -= rows_[i].sign * rows_[i].bound;
    add_gradient(p, f, s.q_m, row, out.G_bar); // [D15]
    if (out.tangent) {
      add_gradient(p, f, s.q_n1, row, out.G);
      add_hessian(p, f / 2, row, s.lambda, out.k); // [D16]
    }
  }
}

void Limit::evaluate_angle(const NaturalStep& s, NaturalSystem& out) const {
  const double y = counted_angle(s.history[counted], s.q_n, s.q_n1);
  const AngleStep step = angle_step(s.q_n, s.q_n1, out.tangent);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const auto& [sign, bound] = rows_[i];
    out.phi[row] = sign * (y - bound);
    out.G_bar.row(row) = sign * step.G_bar.transpose(); // [D18]
    if (out.tangent) {
      out.G.row(row) = sign * step.G.transpose();
      out.k += sign * s.lambda[row] * step.K;
    }
  }
}

NaturalPattern Limit::natural_pattern() const {
  if (is_angle())
    return Interaction::natural_pattern();
  const auto n = static_cast<Index>(3 * variables().size());
  NaturalPattern pattern{Pattern::Zero(n, n), Pattern::Zero(multipliers(), n)};
  for (std::size_t i = 0; i < rows_.size(); ++i)
    add_pattern(primitive(rows_[i]), static_cast<Index>(i), pattern);
  return pattern;
}

std::string Limit::row_name(Index i) const {
  if (i < unknowns())
    return "reaction";
  const LimitRow& row = labels_[static_cast<std::size_t>(i - unknowns())];
  return std::string(row.name) + " bound [" + row.gap_unit + "]";
}

double Limit::beyond(Index row, double phi) const {
  if (!is_length())
    return phi;
  const auto [sign, bound] = rows_[static_cast<std::size_t>(row)];
  const double squared = bound * (bound + 2 * sign * phi); // of the length
  return sign * (std::sqrt(std::max(0.0, squared)) - bound);
}

void Limit::gaps_at(const State& state, VectorRef gap, VectorRef rate) const {
  const double y = measure_.value(state, is_angle() ? state.history[first_history() + counted] : 0);
  const double y_dot = measure_.rate(state);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto& [sign, bound] = rows_[i];
    gap[static_cast<Index>(i)] = sign * (bound - y);
    rate[static_cast<Index>(i)] = -sign * y_dot;
  }
}

MultiplierVector Limit::forces(const Step& s) const {
  return s.lambda.segment(first_multiplier(), multipliers());
}

Reaction Limit::reaction_on_second(const Step& s, const PortMotions& motions) const {
  return reaction(s, motions, variables().back().port, static_cast<Index>(variables().size()) - 1);
}

void Limit::begin_history(const NaturalStep& still, HistoryVector& history) const {
  const double y = angle_at(still.q_n);
  const bool is_outside = rows_.size() == 2 && (y > rows_[0].bound || y < rows_[1].bound);
  history[counted] = is_outside ? with_turns(y, (rows_[0].bound + rows_[1].bound) / 2) : y;
}

void Limit::advance_history(const NaturalStep& s, HistoryVector& history) const {
  history[counted] = counted_angle(history[counted], s.q_n, s.q_n1);
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
