#pragma once
/// What the explicit integrators have in common: poses and momenta as their state, forces at instants, multipliers by
/// iteration, and the books. No global matrix where there are no joints, and nothing is allocated in a step
/// (docs/theory/explicit_rotation.md).

#include "solvers/integrators/explicit/rigid_constraints.hpp"
#include "solvers/integrators/explicit/rotation_drift.hpp"
#include "solvers/integrators/integrator.hpp"

#include <memory>
#include <vector>

namespace emmy {

enum class ExplicitMethod { kick_drift_kick, simo_wong, predictor_corrector, staggered, park_chiou_downer };

/// Where forces are taken for the impulse of a step.
enum class ImpulseRule {
  midpoint,           ///< at the pose in the middle, extrapolated from the start of the step
  symmetric_midpoint, ///< at the pose half way between both ends, of Simo-Wong [E4]
  trapezoidal         ///< mean of both ends
};

struct ExplicitOptions {
  ExplicitMethod method = ExplicitMethod::kick_drift_kick;
  RotationDrift drift = RotationDrift::split; ///< of kick_drift_kick
  ImpulseRule rule = ImpulseRule::midpoint;   ///< of the others
  bool exact_loads = true;                    ///< given loads by their mean over the span of time, not at points
  double restart_every = 0;                   ///< [s]; 0: never
  std::vector<double> restart_at;             ///< [s]
  int max_iterations = 20;                    ///< for the multipliers of a step
  bool starts_by_prediction = false;          ///< the half sequence of `staggered`, by [E5]; otherwise with A_0
};

class ExplicitIntegrator : public Integrator {
public:
  StepReport step(State& state, double h) final;
  void begin(State& state) final;
  Step last_step() const final { return {previous_, h_, inverse_h_, z_, multipliers_}; }
  MovedStep last_moved_step() const final { return {last_step(), motions_}; }
  StepBooks books(const State& n1) const final;
  std::string description() const final;

  const RigidSystem& system() const { return system_; }

protected:
  ExplicitIntegrator(const Model& model, const ExplicitOptions& options);

  /// Numbers that the method keeps in State::memory beside the motion.
  virtual Index further_memory() const { return 0; }
  /// Takes `now` from t to t + h; on success the multipliers of the step stand in `lambda`. `further` is what the
  /// method keeps. Both are thrown away if the report says that the step failed.
  virtual StepReport advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) = 0;
  virtual std::string method_name() const = 0;

  // --- for the methods

  const ExplicitOptions& options() const { return options_; }
  const VecX& history() const { return previous_.history; }
  /// An instant, with loads over a span of time or at a point of it, as the options say.
  Instant instant(const Poses& poses, const Twists& twists, double from, double to, double point) const;
  /// Everything that acts then.
  void evaluate(const Poses& poses, const Twists& twists, double from, double to, double point, Loading& out);
  void find_twists(const Motion& motion, Twists& twists) const;
  /// Momenta after the impulse tau * wrench.
  void kick(const Wrenches& wrenches, double tau, Momenta& momenta) const;
  /// Books what forces did in the time tau while bodies moved with these mean twists.
  void book_loading(const Loading& loading, double tau, const Poses& poses, const Twists& twists);
  /// Books the impulse -factor G^T lambda of the constraints, likewise.
  void book_constraints(const VecX& lambda, double factor, const Poses& poses, const Twists& twists);
  /// True where the options want the method to start afresh at the time t: at the first step from each such time on.
  bool is_restart(double t, double h) const;
  /// True if what was kept of a step of the size `kept` serves one of h: the last step of a run ends on time, and is
  /// longer or shorter by rounding.
  static bool is_same_size(double kept, double h);
  /// Report of an iteration for multipliers that failed.
  StepReport failure(const MultiplierSolve::Report& report) const;
  /// Report of a step with numbers that are not finite.
  static StepReport overflow();
  /// True if the step goes on from the very state in which the last one ended: what was computed there may be used.
  bool goes_on() const { return goes_on_; }

  const RigidSystem system_;
  RigidForces forces_;
  RigidConstraints constraints_;

private:
  /// Power of wrenches on bodies that move with the twists.
  double power_of(const Wrenches& wrenches, const Poses& poses, const Twists& twists) const;
  Index memory_size() const { return static_cast<Index>(system_.size()) * Motion::size + further_memory(); }
  const std::string& owner();

  const Model& model_;
  ExplicitOptions options_;
  std::string owner_; ///< of the memory
  Motion now_;
  State previous_;                ///< where the last step began
  VecX memory_, z_, multipliers_; ///< of the last step
  VecX end_;                      ///< memory at its end
  PortMotions motions_;
  StepBooks books_; ///< what came from outside in the last step
  Wrenches driven_; // work space
  double h_ = 0, inverse_h_ = 0;
  bool goes_on_ = false;
};

std::unique_ptr<ExplicitIntegrator> make_explicit(const Model& model, const ExplicitOptions& options);

} // namespace emmy
