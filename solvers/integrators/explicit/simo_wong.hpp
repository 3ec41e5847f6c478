#pragma once
/// The explicit algorithm of Simo and Wong [E4]: positions from velocity and acceleration, momenta from impulses, and
/// an acceleration that keeps the mean of both ends,
///   Theta = h Omega_n + h²/2 A_n,   pi_{n+1} = pi_n + h m,   A_{n+1} = -A_n + 2/h (Omega_{n+1} - Omega_n)
/// and the same for translations. It belongs together with the trapezoidal rule for the impulse.
///
/// Joints: the reaction at the pose n+1 is chosen such that the joints are closed at n+2, h/2 of it acting before and
/// h/2 after [E11]. The multipliers of the step that ended last are kept, since half of them is still to act.

#include "solvers/integrators/explicit/explicit.hpp"

namespace emmy {

class SimoWong final : public ExplicitIntegrator {
public:
  SimoWong(const Model& model, const ExplicitOptions& options);

private:
  // Kept: step size, then of every body acceleration and velocity that dampers see, each (v, Omega), then multipliers.
  Index further_memory() const override { return 1 + 12 * static_cast<Index>(system_.size()) + constraints_.rows(); }
  StepReport advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) override;
  std::string method_name() const override { return "Simo-Wong"; }

  void read(const ConstVectorRef& further);
  void write(double h, VectorRef further) const;
  /// Acceleration from the equations of motion, with reactions that close the joints at the end of the step.
  MultiplierSolve::Report find_acceleration(double t, double h, const Motion& now);
  /// Poses after the time tau h from `from`, with the twists and accelerations.
  void extrapolate(const Poses& from, double tau, double h, const Twists& twists, Poses& poses) const;

  Twists acceleration_, trial_acceleration_;
  VecX reaction_; ///< multipliers at the current pose
  Motion start_, trial_;
  Poses middle_;
  Twists twists_, mean_, end_, lagged_, trial_twists_;
  Loading loading_, other_;
  Wrenches wrenches_;
};

} // namespace emmy
