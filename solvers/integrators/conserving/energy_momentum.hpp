#pragma once
/// The energy-momentum integrator: every element contributes a discrete gradient through the secant map of its bodies,
/// so that energy and momenta are conserved exactly for any step size (docs/theory/frames.md [F5], [F6]).
///
///   rates_{n+1} = rates_n + 2 (z/h - rates_n)                                                        [D11], [T11]
///
/// Constraints hold at the end of every step. One nonlinear system in the increments z and the multipliers.

#include "solvers/integrators/step_solver.hpp"

namespace emmy {

class EnergyMomentum final : public Integrator {
public:
  EnergyMomentum(const Model& model, const NewtonOptions& options);

  StepReport step(State& state, double h) override;
  Step last_step() const override { return solver_.step(); }
  MovedStep last_moved_step() const override { return solver_.moved_step(); }
  StepBooks books(const State& n1) const override;
  std::string description() const override;

  const Newton& newton() const { return solver_.newton(); }

private:
  TwoPointEquations equations_;
  StepSolver solver_;
};

} // namespace emmy
