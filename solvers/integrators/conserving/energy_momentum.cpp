#include "solvers/integrators/conserving/energy_momentum.hpp"

#include <functional>

namespace emmy {

namespace {
/// Owner of a memory, and the version of what it keeps: that of the solver, then that of the kicks.
const std::string between_kicks = "start values and kicks, 1";
} // namespace

EnergyMomentum::EnergyMomentum(const Model& model, const NewtonOptions& options, VelocityConstraints velocities)
    : equations_(model), solver_(equations_, options), kicks_(model, velocities, options),
      solution_(solver_.solution_size()) {}

StepReport EnergyMomentum::step(State& state, double h) {
  return kicks_.empty() ? solver_.advance_by_mean_rule(state, h) : kicked_step(state, h);
}

StepReport EnergyMomentum::kicked_step(State& state, double h) {
  const Index of_solver = solver_.memory_size(), of_steps = kicks_.history_size();
  const Index size = of_solver + of_steps + kicks_.account_size();
  const bool remembers = state.memory.is_of(between_kicks, size);
  if (!remembers)
    solver_.forget();
  const double* memory = remembers ? state.memory.data() : nullptr;
  double free_error = 0;
  const double *history = remembers ? memory + of_solver : nullptr, *account = remembers ? history + of_steps : nullptr;
  const auto advance = [&](State& between, StartFrom start) {
    StepReport step = solver_.advance_by_mean_rule(between, h, memory, nullptr, start);
    if (step.converged)
      free_error = solver_.free_error(between, h);
    return step;
  };
  StepReport report = kicks_.take(state, h, history, account, std::cref(advance)); // a reference allocates nothing
  if (!report.converged)
    return report;
  if (!remembers)
    state.memory.start(between_kicks, size);
  solver_.write_solution(solution_);
  solver_.remember(h, solution_, free_error, state.memory.data());
  state.memory.numbers.segment(of_solver, of_steps) = kicks_.history();
  state.memory.numbers.tail(kicks_.account_size()) = kicks_.account();
  return report;
}

StepBooks EnergyMomentum::books(const State& n1) const {
  StepBooks books = solver_.books(n1);
  solver_.constraints().book(solver_.step().lambda, books);
  if (!kicks_.empty())
    kicks_.book(books);
  return books;
}

std::string EnergyMomentum::description() const {
  return std::string("energy-momentum") + (kicks_.empty() ? "" : " between kicks") + ", " + solver_.description();
}

} // namespace emmy
