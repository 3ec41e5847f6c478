#include "solvers/analysis/initial_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace emmy {

namespace {

std::vector<bool> held_unknowns(const Model& model, const std::vector<const Body*>& bodies) {
  if (bodies.empty())
    return {};
  std::vector<bool> held(static_cast<std::size_t>(model.unknowns()), false);
  for (const Body* body : bodies)
    for (const Node& node : body->nodes())
      std::fill_n(held.begin() + node.unknown, node.unknowns(), true);
  return held;
}

std::string gap_message(const char* what, double gap, const std::string& where, const std::string& tried = {}) {
  std::ostringstream text;
  text << what << " of " << gap << " remains in " << where
       << ": joints contradict one another or bodies that stay; check points and axes of the joints of this loop";
  if (!tried.empty())
    text << "\n  tried: the nearest positions, " << tried;
  return text.str();
}

/// Velocities: smallest change with G v + phi_t = 0.
void project_rates(const Model& model, const MassMetric& metric, State& state, AssemblyReport& report) {
  State unloaded = state;
  unloaded.multipliers.setZero();
  const GapOptions options{{}, true, {}, 0, false};
  const Gaps gaps = gaps_at(model, unloaded, options);
  VecX phi_t = VecX::Zero(gaps.phi.size());
  phi_t.head(model.multipliers()) = constraint_time_rates(model, state);
  const VecX before = state.rates.cwiseAbs();
  state.rates += smallest_move(gaps, metric, options, -(gaps.G * state.rates + phi_t));
  const VecX left = gaps.G * state.rates + phi_t;
  if (left.size() == 0)
    return;
  report.velocity_gap = left.cwiseAbs().maxCoeff();
  const VecX size = gaps.G.cwiseAbs() * (before + state.rates.cwiseAbs()) + phi_t.cwiseAbs();
  // Rates are known to rounding of the fastest, which passes through the factorisation.
  const double floor = 1e-10 * (size.maxCoeff() + std::numeric_limits<double>::min());
  if (report.velocity_gap > floor && report.converged) {
    report.converged = false;
    report.worst = gaps.name_of_largest(left);
    report.message = gap_message("a velocity gap", report.velocity_gap, report.worst);
  }
}

} // namespace

AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options) {
  std::vector<BodyMotion> before;
  for (const Body* body : model.bodies())
    before.push_back(body->motion(state));

  const VecX rates = state.rates, multipliers = state.multipliers;
  const MassMetric metric(model, state);
  State moving = state;
  moving.multipliers.setZero(); // springs that hold bodies together start unloaded
  model.begin(moving);
  const SearchReport search = search_closed(
      model, metric, {held_unknowns(model, options.fixed), true, {}, options.max_iterations, true}, moving);
  AssemblyReport report;
  report.iterations = search.gaps.iterations;
  report.attempts = search.attempts;
  report.first_gap = search.first_gap;
  report.tried = search.tried;
  report.converged = search.gaps.closed;
  report.gap = search.gaps.gap;
  report.worst = search.gaps.worst;
  if (!report.converged)
    report.message = gap_message("a gap", report.gap, report.worst, report.tried);

  moving.rates = rates;
  project_rates(model, metric, moving, report);
  moving.multipliers = multipliers;
  state = moving;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Body* body = model.bodies()[i];
    const BodyMotion a = before[i], b = body->motion(state);
    report.bodies.push_back({body, a, b, (b.position - a.position).norm(),
                             rotation_vector(a.orientation.conjugate() * b.orientation).norm(),
                             (b.velocity - a.velocity).norm(), (b.angular_velocity - a.angular_velocity).norm()});
  }
  return report;
}

} // namespace emmy
