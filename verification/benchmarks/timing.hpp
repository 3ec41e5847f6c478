#pragma once
/// CPU time, and runs of a problem that are timed. Time shared with other programs counts only what this one used.

#include "verification/benchmarks/method.hpp"

#include <functional>
#include <vector>

namespace emmy::benchmark {

/// CPU time of this process so far [s].
double cpu_time();

/// Best time of each run, in rounds that are interleaved, so that a busy moment of the machine spoils one round and not
/// one run. A run returns its own time.
std::vector<double> best_times(const std::vector<std::function<double()>>& runs, int rounds);

/// How many steps fill `goal` [s] if one takes `per_step` [s].
int steps_to_fill(double goal, double per_step, int most);

/// A problem with its integrator, ready to be timed again and again over the same steps.
class Runner {
public:
  Runner(const Problem& problem, double h, const Method& method = {})
      : Runner(problem, h, conserving(problem, h, method)) {}
  Runner(const Problem& problem, double h, std::unique_ptr<Integrator> integrator)
      : problem_(problem), h_(h), integrator_(std::move(integrator)), start_(problem.initial) {
    integrator_->begin(start_);
    state_ = start_;
  }

  /// Takes steps that nobody times: from here on, timed ones begin where these have ended, with what the integrator
  /// has learned on the way.
  void warm_up(int steps);
  /// The same from a state that another of the same kind has reached.
  void start_from(const State& state) { start_ = state; }

  /// CPU time of `steps` steps from where timed runs begin [s]; throws if one fails. What the first step sets up is not
  /// counted.
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
  State start_, state_;
  double iterations_ = 0;
  bool is_set_up_ = false;
};

/// Where the time of a step goes, in parts of one, by PETSc's own log (wall time of each event).
struct Shares {
  double evaluation = 0, assembly = 0, factorisation = 0, solution = 0;
  double rest() const { return 1 - evaluation - assembly - factorisation - solution; }
};
Shares shares(Runner& runner, int steps);

} // namespace emmy::benchmark
