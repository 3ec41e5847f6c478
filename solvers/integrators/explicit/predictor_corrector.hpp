#pragma once
/// Hulbert's predictor-corrector algorithm [E5]: the step is predicted with the velocity at its start and corrected
/// with the mean of the velocities at both ends; momenta come from impulses and are exact. It is not symmetric in time:
/// its energy grows like h³, whatever the step.
///
/// Joints: multipliers act at the pose n in the corrector and close the joints at n+1 [E11]; half of their impulse
/// stays, the other half is that of a velocity projection at n+1, as in kick-drift-kick.

#include "solvers/integrators/explicit/explicit.hpp"

namespace emmy {

class PredictorCorrector final : public ExplicitIntegrator {
public:
  PredictorCorrector(const Model& model, const ExplicitOptions& options);

private:
  StepReport advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) override;
  std::string method_name() const override { return "predictor-corrector"; }

  /// Forces of the step, with the pose at its end as it is known so far.
  void evaluate_step(double t, double h, const Poses& end);

  Motion start_, predicted_, trial_;
  Twists twists_, predicted_twists_, mean_;
  Poses middle_;
  Loading loading_, other_;
  VecX mu_;
};

} // namespace emmy
