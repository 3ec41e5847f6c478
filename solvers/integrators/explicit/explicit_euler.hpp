#pragma once
/// Euler's explicit method: q_{n+1} = q_n + h v_n, v_{n+1} = v_n + h a_n, with a_n from [A1] at n. First order,
/// unstable at any step; there to be compared (docs/theory/augmented_lagrangian.md).

#include "solvers/integrators/pointwise/accelerations.hpp"
#include "solvers/integrators/step_solver.hpp"

namespace emmy {

class ExplicitEuler final : public Integrator {
public:
  /// Throws std::invalid_argument for bodies without inertia at an instant, forces that depend on velocities, and
  /// constraints that are not springs.
  ExplicitEuler(const Model& model, const NewtonOptions& options);

  StepReport step(State& state, double h) override;
  Step last_step() const override { return {previous_, h_, 1 / h_, z_, lambda_}; }
  MovedStep last_moved_step() const override { return {last_step(), motions_}; }
  StepBooks books(const State& n1) const override;
  std::string description() const override;

private:
  const Model& model_;
  Accelerations accelerations_;
  State previous_; ///< where the last step began
  VecX z_, lambda_;
  PortMotions motions_;
  External impulse_; ///< of the last step
  double h_ = 1;
};

} // namespace emmy
