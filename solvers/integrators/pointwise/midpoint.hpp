#pragma once
/// The implicit midpoint rule: [A1] at the mean configuration and the middle of the time, constraints at the end of the
/// step with forces along their gradients at the mean (docs/theory/augmented_lagrangian.md).
///
/// Quadratic energies and constraints, and momenta, are conserved as by energy-momentum. Other energies are not: the
/// ledger shows by how much.

#include "solvers/integrators/pointwise/midpoint_equations.hpp"
#include "solvers/integrators/step_solver.hpp"

namespace emmy {

class Midpoint final : public Integrator {
public:
  /// Throws std::invalid_argument for a model that it cannot serve, see MidpointEquations.
  Midpoint(const Model& model, const NewtonOptions& options);

  StepReport step(State& state, double h) override;
  Step last_step() const override { return solver_.step(); }
  MovedStep last_moved_step() const override { return solver_.moved_step(); }
  StepBooks books(const State& n1) const override;
  std::string description() const override;

private:
  const Model& model_;
  MidpointEquations equations_;
  StepSolver solver_;
};

} // namespace emmy
