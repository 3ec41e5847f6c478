#include "solvers/integrators/step_solver.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

StepSolver::StepSolver(Discretisation& discretisation, const NewtonOptions& options)
    : model_(discretisation.model()), assembler_(discretisation, options.augmented, options.kernels),
      newton_(assembler_, options), start_(model_.rest_state()) {
  for (const auto& element : model_.elements())
    if (element->advances())
      advancing_.push_back(element.get());
  findings_.resize(newton_.findings_size());
  unknown_weight_.resize(model_.unknowns());
  for (Index i = 0; i < model_.unknowns(); ++i)
    unknown_weight_[i] = newton_.norm().weights()[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(i)]];
}

StepReport StepSolver::solve(const State& state, double h, const double* memory, const VecX* accelerations) {
  start_.copy_motion(state); // same sizes: copies without allocating
  return report_of(newton_.solve(start_, h, memory, accelerations));
}

void StepSolver::finish(State& state) const {
  model_.retract_nodes(step(), state.values);
  conclude(state);
}

/// What does not depend on how configurations move.
void StepSolver::conclude(State& state) const {
  assembler_.write_multipliers(state.multipliers);
  state.time = start_.time + assembler_.step_length();
  if (advancing_.empty())
    return;
  const Step s = step();
  const PortMotions& moved = motions();
  for (const Element* element : advancing_)
    element->advance(s, moved, state);
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h, const double* memory, const VecX* accelerations) {
  StepReport report = solve(state, h, memory, accelerations);
  if (report.converged) {
    assembler_.advance_by_mean_rule(state);
    conclude(state);
  }
  return report;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  const bool remembers = state.memory.size() == memory_size();
  StepReport report = advance_by_mean_rule(state, h, remembers ? state.memory.data() : nullptr);
  if (report.converged) {
    if (!remembers)
      state.memory.setZero(memory_size());
    newton_.write_findings(findings_); // and the solution from where it is: copies are for those with stages
    newton_.start_values().remember(state.memory.data(), h, findings_.data(), newton_.solution(), free_error(state, h));
  }
  return report;
}

void StepSolver::write_solution(VectorRef out) const {
  newton_.write_findings(out.head(newton_.findings_size()));
  std::copy_n(newton_.solution(), assembler_.size(), out.data() + newton_.findings_size());
}

double StepSolver::free_error(const State& state, double h, const VecX* accelerations) const {
  // z - h rates_n = h (rates_n1 - rates_n) / 2
  if (accelerations != nullptr)
    return std::abs(h) / 2 *
           std::sqrt(
               (unknown_weight_.array() * (state.rates - start_.rates - h * *accelerations).array().square()).sum());
  return std::abs(h) / 2 * std::sqrt((unknown_weight_.array() * (state.rates - start_.rates).array().square()).sum());
}

std::string StepSolver::description() const {
  return newton_.method() + (newton_.fell_back() ? " (the factorisation without pivoting failed)" : "") + ", " +
         std::to_string(assembler_.size()) + " unknowns";
}

StepReport report_of(const NewtonReport& newton) {
  return {newton.converged, newton.iterations, newton.why,      newton.rescued,
          newton.warning,   newton.sweeps,     newton.violation};
}

} // namespace emmy
