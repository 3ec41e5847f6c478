#pragma once
/// One energy-momentum step of a small model by a dense Newton iteration, independent of the program's own solver.

#include "verification/support/trial.hpp"

namespace emmy::test {

struct Solution {
  Trial trial;     ///< converged; n1 holds the new state
  double residual; ///< norm of the force balance that is left [N]
  int iterations;
};

/// Solves the step from `n`; throws if thirty iterations do not suffice.
Solution solve_step(const Model& model, const State& n, double h);

} // namespace emmy::test
