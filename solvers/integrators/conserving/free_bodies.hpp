#pragma once
/// Free bodies with contact: the engine for models in which nothing couples bodies but contact and known loads. Each
/// body is integrated by itself with the energy-momentum rule; contacts are found at the predicted end of a step and
/// solved for as impulses, so that energy and both momenta are kept whatever the step (docs/theory/contact.md,
/// algorithm F).
///
/// What it needs to remember is in State: poses and momenta with what sums have lost by rounding in `memory`, impulses
/// of the last step in `contacts`. Everything else is a cache that may skip work and never changes a result.

#include "solvers/contact/contact_stepper.hpp"
#include "solvers/integrators/explicit/natural_forces.hpp"
#include "solvers/integrators/integrator.hpp"

namespace emmy {

struct FreeBodiesOptions : ContactSteps {
  bool exponential = false; ///< rotations by the exponential, as the paper has it, instead of Cayley's map
};

class FreeBodies final : public Integrator {
public:
  /// Throws std::invalid_argument naming an element that couples bodies, or a body that is no free rigid body.
  FreeBodies(const Model& model, contact::Scene scene, const FreeBodiesOptions& options);

  /// First element that does not let the bodies fly free between contacts, null if there is none.
  static const Element* unfit_element(const Model& model);

  void begin(State& state) override;
  StepReport step(State& state, double h) override;
  Step last_step() const override;
  MovedStep last_moved_step() const override { return {last_step(), motions_}; }
  StepBooks books(const State& n1) const override;
  const contact::Happenings* happenings() const override { return &contact_.recorder().happenings(); }
  std::string description() const override;

private:
  Index memory_size() const;
  bool has_memory(const State& state) const;
  bool read(const State& state);
  void write(State& state);
  void write_motion(std::size_t b, State& state) const;
  void find_loads(const State& state, double h);
  void advance_interactions(State& state);

  const Model& model_;
  FreeBodiesOptions options_;
  RigidSystem system_;
  RigidForces forces_;
  FreeStep step_;
  ContactStepper contact_;
  KnownLoads loads_;
  Loading loading_; // work space
  Poses poses_;
  Twists twists_;

  std::vector<Spin> spins_; ///< velocities of bodies at the end of the last step
  State previous_;          ///< where it began
  mutable State end_;       ///< where it ended, and its increments: found when they are asked for
  mutable VecX z_;
  mutable bool has_z_ = false;
  PortMotions motions_;
  double h_ = 0;
};

} // namespace emmy
