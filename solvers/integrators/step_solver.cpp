#include "solvers/integrators/step_solver.hpp"

namespace emmy {

StepSolver::StepSolver(Discretisation& discretisation, const NewtonOptions& options)
    : model_(discretisation.model()), assembler_(discretisation, options.augmented), newton_(assembler_, options),
      start_(model_.rest_state()) {}

StepReport StepSolver::solve(const State& state, double h) {
  start_ = state; // same sizes: copies without allocating
  return report_of(newton_.solve(start_, h));
}

void StepSolver::finish(State& state) const {
  const Step s = step();
  model_.retract_nodes(s, state.values);
  state.multipliers = s.lambda;
  state.time = start_.time + s.h;
  for (const auto& element : model_.elements())
    element->advance(s, motions(), state);
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  StepReport report = solve(state, h);
  if (report.converged) {
    const Step s = step();
    // The same z/h - rates as in the residual [D11]: written otherwise, its rounding makes energy drift.
    state.rates.noalias() += 2 * (s.z * s.inv_h - s.n.rates);
    finish(state);
  }
  return report;
}

std::string StepSolver::description() const {
  const ConstraintSet& constraints = assembler_.constraints();
  const char* method = !constraints.iterates()   ? "Newton by SNES, "
                       : constraints.is_merged() ? "Newton merged with augmented Lagrangians, "
                                                 : "augmented Lagrangians around Newton by SNES, ";
  return method + newton_.factorisation() +
         (newton_.fell_back() ? " (the factorisation without pivoting failed)" : "") + ", " +
         std::to_string(assembler_.size()) + " unknowns";
}

StepReport report_of(const NewtonReport& newton) {
  return {newton.converged, newton.iterations, newton.why,      newton.rescued,
          newton.warning,   newton.sweeps,     newton.violation};
}

} // namespace emmy
