#pragma once
/// Staggered central differences [E6]: two sequences of poses and momenta, at whole and at half steps, each of which
/// gives the other the velocities and the forces of its step.
///
///   P_k = P_{k-2} + h (F(q_{k-1}) - G(q_{k-1})^T lambda),   q_{k+1} = q_{k-1} o exp(h V(q_k, P_k)),
///   lambda from g(q_{k+1}) = 0, k counting half steps                                               [E10], [E11]
///
/// `staggered` carries the spatial angular momentum and conserves it; `park_chiou_downer` carries the angular velocity,
/// with the gyroscopic term as a force and a rational map for the rotation, and does not [E7]. Results are those at
/// whole steps.
///
/// Nothing but the right-hand sides ties the two sequences together: where they part, a run cannot be trusted any more.
/// The mismatch is watched [E6].

#include "solvers/integrators/explicit/explicit.hpp"

namespace emmy {

class Staggered final : public ExplicitIntegrator {
public:
  Staggered(const Model& model, const ExplicitOptions& options);

  /// Largest angle between the orientation at half steps and that extrapolated from whole steps so far [rad], and what
  /// is natural: h² times the largest angular acceleration / 8 [E6].
  double mismatch() const { return mismatch_; }
  double natural_mismatch() const { return natural_mismatch_; }

private:
  // Kept: step size, largest angular and linear accelerations, whether the parting was told, then the motion at the
  // half step ahead, whose momenta lack the reaction at the whole step.
  static constexpr Index header = 4;
  Index further_memory() const override { return header + Motion::size * static_cast<Index>(system_.size()); }
  StepReport advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) override;
  std::string method_name() const override { return conserves() ? "staggered" : "Park-Chiou-Downer"; }

  bool conserves() const { return options().method == ExplicitMethod::staggered; }
  /// Sets the half sequence from the whole one, with the acceleration there, or by half a step of the
  /// predictor-corrector algorithm.
  MultiplierSolve::Report start_half(double t, double h, const Motion& now);
  MultiplierSolve::Report predict_half(double t, double h, const Motion& now);
  Pose moved(std::size_t unit, const Pose& pose, const Twist& twist, double h) const;
  /// Angular momentum, or velocity, of one sequence after the forces of a step that the other one evaluated.
  void accelerate(const Twists& before, double h, const Poses& middle, const Twists& at_middle, Motion& motion) const;
  /// Momenta of `motion` with the impulse of multipliers at the poses of the last linearisation.
  void react(const VecX& multipliers, double h, const Poses& at, const Motion& motion, Motion& trial);
  void evaluate_step(const Poses& middle, const Poses& from, const Poses& to, const Twists& twists, double t, double h);
  std::string watch(double t, double h, const Motion& now, VectorRef kept);

  Motion half_, trial_, predicted_;
  Poses middle_, start_;
  Twists twists_, half_twists_, end_twists_, way_;
  Loading loading_, other_;
  Wrenches wrenches_;
  VecX pending_;
  double mismatch_ = 0, natural_mismatch_ = 0;
};

} // namespace emmy
