#pragma once
/// CPU time, and runs of a problem that are timed. Time shared with other programs counts only what this one used.

#include "solvers/integrators/energy_momentum.hpp"
#include "verification/benchmarks/problems.hpp"

namespace emmy::benchmark {

/// CPU time of this process so far [s].
double cpu_time();

/// A problem with its integrator, ready to be timed again and again over the same steps.
class Runner {
public:
  Runner(const Problem& problem, double h, const NewtonOptions& options = {})
      : Runner(problem, h, std::make_unique<EnergyMomentum>(*problem.model, options)) {}
  Runner(const Problem& problem, double h, std::unique_ptr<Integrator> integrator)
      : problem_(problem), h_(h), integrator_(std::move(integrator)), state_(problem.initial) {}

  /// CPU time of `steps` steps from the start [s]; throws if one fails.
  double time(int steps);

  /// The same steps with the ledger: the largest relative imbalance of energy.
  double energy_imbalance(int steps);

  /// CPU time that booking one step in the ledger takes [s].
  double booking_time(int repeats);

  double iterations_per_step() const { return iterations_; } ///< of the last timed run
  const Integrator& integrator() const { return *integrator_; }
  const State& state() const { return state_; }

private:
  void step();

  const Problem& problem_;
  double h_;
  std::unique_ptr<Integrator> integrator_;
  State state_;
  double iterations_ = 0;
};

/// Where the time of a step goes, in parts of one, by PETSc's own log (wall time of each event).
struct Shares {
  double evaluation = 0, assembly = 0, factorisation = 0, solution = 0;
  double rest() const { return 1 - evaluation - assembly - factorisation - solution; }
};
Shares shares(Runner& runner, int steps);

} // namespace emmy::benchmark
