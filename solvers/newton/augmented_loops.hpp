#pragma once
/// Multipliers of augmented Lagrangians are found on the way: with every linear solve (merged [A22]), or in a loop
/// around Newton (nested [A4]). Without Newton, one linear solve about the start is the step, and they are improved
/// once after it (linearised [A26]).

#include "solvers/newton/failure.hpp"
#include "solvers/newton/linear_system.hpp"
#include "solvers/newton/newton_options.hpp"
#include "solvers/newton/residual_test.hpp"
#include "solvers/newton/snes_adapter.hpp"
#include "solvers/newton/spectator.hpp"

#include <limits>

namespace emmy {

/// What came of a loop: a report, and whether linear systems were what failed.
struct LoopReport {
  NewtonReport newton;
  bool linear_failed = false;
};

class AugmentedLoops {
public:
  AugmentedLoops(Assembler& assembler, ResidualTest& test, Iterate& at, const NewtonOptions& options);

  /// One linear solve by `system` after the other, shown to `spectator` unless that is null.
  LoopReport solve_merged(LinearSystem& system, Spectator* spectator);
  /// One solution by SNES after the other.
  LoopReport solve_nested(SnesAdapter& snes);
  LoopReport solve_linearised(LinearSystem& system);

private:
  struct Standstill {                                           ///< of an iteration of the merged form
    double error = std::numeric_limits<double>::infinity();     ///< of joints
    double equations = std::numeric_limits<double>::infinity(); ///< relative residual of all others
  };
  bool is_contradiction(const Standstill& before, const Standstill& now, double moved) const;
  static std::string describe_contradiction(const ConstraintSet::Error& error);
  void explain_sweeps(double tolerance, double contraction, NewtonReport& report) const;
  void explain(SNESConvergedReason reason, int iterations, const LinearSystem* system, NewtonReport& report) const;

  Assembler& assembler_;
  ResidualTest& test_;
  Iterate& at_;
  const NewtonOptions& options_;
};

} // namespace emmy
