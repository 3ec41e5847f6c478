#pragma once
/// What came of one attempted step: written by whoever solves it, and handed on as it is.

#include "solvers/remedy.hpp"

#include <string>

namespace emmy {

struct StepReport {
  bool converged = false;
  int iterations = 0;
  std::string why;              ///< of a failure: what happened, how far it got, where
  bool linear_failed = false;   ///< linear systems were what failed
  bool rescued = false;         ///< solved only with more regularisation than usual: near a singular configuration
  std::string warning;          ///< something that a person should know
  int sweeps = 0;               ///< updates of the multipliers of augmented Lagrangians
  double violation = 0;         ///< what they left of their constraints, e of [A4]
  bool is_final = false;        ///< a failure that shorter steps are not to be tried for
  std::string topic;            ///< of a warning that comes again and again: told once a run
  Remedy remedy = Remedy::none; ///< of the failure, or of what the warning is about
};

} // namespace emmy
