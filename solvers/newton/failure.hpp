#pragma once
/// Why a step could not be solved, in words: what happened, how far it got, where.

#include "solvers/newton/residual_test.hpp"

#include <string>

namespace emmy {

struct Failure {
  SNESConvergedReason reason;
  int iterations;
  int max_iterations; ///< allowed
  /// Of the linear solver that was asked for, if it iterates and did not converge.
  KSPConvergedReason linear = KSP_CONVERGED_ITERATING;
};

std::string explain(const Failure& failure, Assembler& assembler, const ResidualTest& test);

} // namespace emmy
