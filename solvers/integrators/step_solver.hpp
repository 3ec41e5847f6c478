#pragma once
/// What implicit integrators have in common: one nonlinear system in the increments z and the multipliers of a step.

#include "solvers/integrators/integrator.hpp"
#include "solvers/newton.hpp"

namespace emmy {

class StepSolver {
public:
  /// Of the equations of `discretisation`, which must outlive it.
  StepSolver(Discretisation& discretisation, const NewtonOptions& options);

  /// Solves the step from `state`, of which it keeps a copy.
  StepReport solve(const State& state, double h);

  /// Writes configuration, multipliers, time and history at the end of the solved step. Rates are those of the
  /// integrator, and must stand there already: some bodies write theirs otherwise.
  void finish(State& state) const;

  /// Both, with rates at the end by the mean rule, rates_n + 2 (z/h - rates_n) [D11], [T11].
  StepReport advance_by_mean_rule(State& state, double h);

  // the solved step
  const State& start() const { return start_; }
  Step step() const { return assembler_.step(); }
  const PortMotions& motions() const { return assembler_.motions(); }
  const ConstraintSet& constraints() const { return assembler_.constraints(); }

  const Newton& newton() const { return newton_; }
  /// "Newton by SNES, preonly/lu by petsc, 12 unknowns"
  std::string description() const;

private:
  const Model& model_;
  Assembler assembler_;
  Newton newton_;
  State start_;
};

StepReport report_of(const NewtonReport& newton);

} // namespace emmy
