#include "solvers/integrators/step_solver.hpp"

namespace emmy {

StepSolver::StepSolver(Discretisation& discretisation, const NewtonOptions& options)
    : model_(discretisation.model()), assembler_(discretisation, options.augmented, options.kernels),
      newton_(assembler_, options), start_(model_.rest_state()) {
  for (const auto& element : model_.elements())
    if (element->advances())
      advancing_.push_back(element.get());
}

StepReport StepSolver::solve(const State& state, double h, const double* memory) {
  start_.copy_motion(state); // same sizes: copies without allocating
  return report_of(newton_.solve(start_, h, memory));
}

void StepSolver::finish(State& state) const {
  model_.retract_nodes(step(), state.values);
  conclude(state);
}

/// What does not depend on how configurations move.
void StepSolver::conclude(State& state) const {
  const Step s = step();
  state.multipliers = s.lambda;
  state.time = start_.time + s.h;
  if (advancing_.empty())
    return;
  const PortMotions& moved = motions();
  for (const Element* element : advancing_)
    element->advance(s, moved, state);
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h, const double* memory) {
  StepReport report = solve(state, h, memory);
  if (report.converged) {
    assembler_.advance_by_mean_rule(state);
    conclude(state);
  }
  return report;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  if (state.memory.size() != memory_size())
    state.memory.setZero(memory_size());
  StepReport report = advance_by_mean_rule(state, h, state.memory.data());
  if (report.converged)
    remember(h, solution(), state.memory.data());
  return report;
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
