#pragma once
/// The energy-momentum integrator: every element contributes a discrete gradient through the secant map of its bodies,
/// so that energy and momenta are conserved exactly for any step size (docs/theory/frames.md [F5], [F6]).
///
///   rates_{n+1} = rates_n + 2 (z/h - rates_n)                                                        [D11], [T11]
///
/// Constraints hold at the end of every step. One nonlinear system in the increments z and the multipliers. With
/// velocity constraints the step is taken between two kicks, and rates meet the joints too [V4].

#include "solvers/integrators/conserving/kicks.hpp"
#include "solvers/integrators/step_solver.hpp"

namespace emmy {

class EnergyMomentum final : public Integrator {
public:
  EnergyMomentum(const Model& model, const NewtonOptions& options,
                 VelocityConstraints velocities = VelocityConstraints::off);

  StepReport step(State& state, double h) override;
  Step last_step() const override { return reported(solver_.step()); }
  MovedStep last_moved_step() const override { return {last_step(), solver_.moved_step().motions}; }
  StepBooks books(const State& n1) const override;
  std::string description() const override;

  const Newton& newton() const { return solver_.newton(); }

private:
  /// From rates before the kick, with net multipliers, which are what joints did in the step [V14].
  Step reported(const Step& s) const {
    return kicks_.empty() ? s : Step{kicks_.start_of_step(), s.h, s.inv_h, s.z, kicks_.net_multipliers()};
  }
  StepReport kicked_step(State& state, double h);

  TwoPointEquations equations_;
  StepSolver solver_;
  Kicks kicks_;
  VecX solution_;
};

} // namespace emmy
