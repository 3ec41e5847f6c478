#pragma once
/// Why a step could not be solved, in words: what happened, how far it got, where; and what may help.

#include "solvers/newton/newton_options.hpp"
#include "solvers/newton/residual_test.hpp"
#include "solvers/step_report.hpp"

namespace emmy {

struct Failure {
  SNESConvergedReason reason;
  int iterations;
  int max_iterations; ///< allowed
  /// Of the linear solver that was asked for, if it iterates and did not converge.
  KSPConvergedReason linear = KSP_CONVERGED_ITERATING;
};

/// Writes why, and what may help, into the report.
void explain(const Failure& failure, Assembler& assembler, const ResidualTest& test, StepReport& report);

} // namespace emmy
