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

class AugmentedLoops {
public:
  AugmentedLoops(Assembler& assembler, ResidualTest& test, Iterate& at, const NewtonOptions& options);

  /// One linear solve by `system` after the other, shown to `spectator` unless that is null.
  StepReport solve_merged(LinearSystem& system, Spectator* spectator);
  /// One solution by SNES after the other.
  StepReport solve_nested(SnesAdapter& snes);
  StepReport solve_linearised(LinearSystem& system);

private:
  struct Standstill {                                           ///< of an iteration of the merged form
    double error = std::numeric_limits<double>::infinity();     ///< of joints
    double equations = std::numeric_limits<double>::infinity(); ///< relative residual of all others
  };
  bool is_contradiction(const Standstill& before, const Standstill& now, double moved) const;
  static std::string describe_contradiction(const ConstraintSet::Error& error);
  void explain_sweeps(double tolerance, double contraction, StepReport& report) const;
  void explain(SNESConvergedReason reason, int iterations, const LinearSystem* system, StepReport& report) const;

  Assembler& assembler_;
  ResidualTest& test_;
  Iterate& at_;
  const NewtonOptions& options_;
};

} // namespace emmy
