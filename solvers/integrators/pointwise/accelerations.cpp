#include "solvers/integrators/pointwise/accelerations.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Motion over which constraints are differenced [m, rad], and most time it may take [s]. Joints are quadratic in the
/// coordinates, for which differences are exact; rounding is divided by its square.
constexpr double differenced = 1e-3;

/// What a one-sided constraint is told: it is open.
constexpr double open = -1;

} // namespace

bool AccelerationEquations::holds(const Element& element) const {
  return element.multipliers() > 0 && !element.is_one_sided() && !is_penalty(element);
}

AccelerationEquations::AccelerationEquations(const Model& model, const std::string& scheme)
    : PointwiseEquations(model, 0, scheme), a_(VecX::Zero(model.unknowns())), z_(a_),
      gamma_(VecX::Zero(model.multipliers())), motions_(model.port_motions()), inertia_(model) {
  require_inertia_at_instant(model, scheme);
  for (const auto& element : model.elements())
    has_joints_ = has_joints_ || holds(*element);
}

/// Adds the constraints of joints after motion with the velocities of `at` for the time tau.
void AccelerationEquations::add_constraints(const State& at, double tau, double weight) {
  z_ = tau * at.rates;
  const Step step{at, tau, tau == no_time ? 0 : 1 / tau, z_, at.multipliers};
  model().move_ports(step, motions_);
  for (const auto& element : model().elements()) {
    if (!holds(*element))
      continue;
    const LocalSystem there = evaluate_apart(*element, {step, motions_}, false);
    gamma_.segment(element->first_multiplier(), element->multipliers()) +=
        weight * there.r.tail(element->multipliers());
  }
}

void AccelerationEquations::begin(const State& at) {
  gamma_.setZero();
  if (!has_joints_)
    return;
  const double tau = differenced / std::max(1.0, at.rates.cwiseAbs().maxCoeff()), weight = 1 / (tau * tau);
  add_constraints(at, tau, weight);
  add_constraints(at, no_time, -2 * weight);
  add_constraints(at, -tau, weight);
}

void AccelerationEquations::move(const Step& s) {
  PointwiseEquations::move(s);
  a_ = factor * s.inv_h * s.inv_h * s.z;
}

void AccelerationEquations::evaluate_body(const Step& s, const Body& body, LocalSystem& out) const {
  inertia_.evaluate(body, {at().values, s.n.rates, a_}, out.tangent);
  out.r += inertia_.f();
  if (out.tangent)
    out.k += factor * s.inv_h * s.inv_h * inertia_.M();
}

void AccelerationEquations::add_body_magnitude(const Step& s, const Body& body, VectorRef size) const {
  inertia_.add_magnitude(body, {at().values, s.n.rates, a_}, a_, s.n.rates, size);
}

void AccelerationEquations::evaluate_rows(const Step& s, const Element& element, LocalSystem& out) const {
  if (is_penalty(element)) {
    PointwiseEquations::evaluate_rows(s, element, out);
    return;
  }
  const Index nz = element.unknowns(), m = element.multipliers();
  if (element.is_one_sided()) {
    out.r.tail(m).setConstant(open);
    if (out.tangent)
      out.k.bottomLeftCorner(m, nz).setZero();
    return;
  }
  const LocalSystem instant = evaluate_apart(element, still(s), true);
  const auto G = instant.k.bottomLeftCorner(m, nz);
  auto rows = out.r.tail(m);
  rows = gamma_.segment(element.first_multiplier(), m) / (factor * s.inv_h * s.inv_h);
  Index column = 0;
  for (const Node& node : element.nodes())
    for (Index i = node.unknown; i < node.unknown + node.unknowns(); ++i, ++column)
      rows += s.z[i] * G.col(column); // G a + gamma = 0, in terms of z
  if (out.tangent)
    out.k.bottomLeftCorner(m, nz) = G;
}

void AccelerationEquations::add_row_magnitude(const Step& s, const Element& element, VectorRef size) const {
  if (!holds(element))
    return;
  const Index nz = element.unknowns(), m = element.multipliers();
  const LocalSystem instant = evaluate_apart(element, still(s), true);
  size.tail(m) = gamma_.segment(element.first_multiplier(), m).cwiseAbs() / (factor * s.inv_h * s.inv_h);
  Index column = 0;
  for (const Node& node : element.nodes())
    for (Index i = node.unknown; i < node.unknown + node.unknowns(); ++i, ++column)
      size.tail(m) += std::abs(s.z[i]) * instant.k.block(nz, column, m, 1).cwiseAbs();
}

namespace {
/// Constraints are accelerations here: what was chosen for positions, their tolerance, rho or one solve a step, means
/// nothing to them.
NewtonOptions to_rounding(NewtonOptions options) {
  const bool cold = options.augmented.cold;
  options.augmented = {};
  options.augmented.cold = cold;
  options.remembers = false;
  return options;
}
} // namespace

Accelerations::Accelerations(const Model& model, const NewtonOptions& options, const std::string& scheme)
    : equations_(model, scheme), assembler_(equations_, to_rounding(options).augmented),
      newton_(assembler_, to_rounding(options)), at_(model.rest_state()) {}

StepReport Accelerations::solve(const State& at) {
  at_.time = at.time;
  at_.values = at.values;
  at_.rates = at.rates;
  at_.history = at.history; // multipliers stay zero: nothing pushes yet
  equations_.begin(at_);
  return newton_.solve(at_, AccelerationEquations::h);
}

} // namespace emmy
