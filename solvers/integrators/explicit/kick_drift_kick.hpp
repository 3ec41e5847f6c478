#pragma once
/// Kick, drift, kick: the recommended explicit integrator. One sequence, self-starting, symmetric in time, one
/// evaluation of forces per step.
///
///   P += h/2 (F - G^T lambda) at q_n;   drift to q_{n+1}, rotations by a kernel [E12], [E13];   lambda from
///   g(q_{n+1}) = 0 [E11];   P += h/2 F at q_{n+1};   P -= G^T mu so that velocities meet the joints
///
/// Momenta are exchanged where joints are closed, so the total angular momentum is exact. Dampers act in the second
/// kick with the velocity that the first one extrapolates to, 2 P_{n+1/2} - P_n, which keeps the second order.

#include "solvers/integrators/explicit/explicit.hpp"

namespace emmy {

class KickDriftKick final : public ExplicitIntegrator {
public:
  KickDriftKick(const Model& model, const ExplicitOptions& options);

private:
  StepReport advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) override;
  std::string method_name() const override;

  bool drift(double h, Motion& motion) const;
  /// Forces for the half of the step that begins at `from`, at the pose of `motion`.
  void evaluate_half(const Motion& motion, double from, double h, double point);
  void book_kick(const Motion& before, const Motion& after, double tau);

  Motion start_, half_, trial_;
  Twists twists_, mean_;
  Loading steady_, varying_; ///< forces that the pose alone decides, at the end of the last step; the others
  Loading loading_;          ///< their sum
  VecX mu_;
};

} // namespace emmy
