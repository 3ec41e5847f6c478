#pragma once
/// Schemes that remember accelerations, `linear_acceleration` and `high_order`: [A1] at the end of every step, with the
/// rules [A7], [A8] (docs/theory/augmented_lagrangian.md).
///
/// They serve smooth motion in free coordinates, and stops by penalties. Joints by multipliers are beyond them: errors
/// grow by 3.73 or 5.34 in every step [A9], [A10]. Momenta are booked by the weights that the scheme gives to forces,
/// so that linear momentum balances; energy, and angular momentum, do not, and the ledger shows by how much.

#include "solvers/integrators/pointwise/accelerations.hpp"
#include "solvers/integrators/pointwise/end_equations.hpp"
#include "solvers/integrators/step_solver.hpp"

#include <vector>

namespace emmy {

/// What becomes of remembered accelerations at the end of a step in which a one-sided multiplier pushed [A15].
enum class AfterImpact {
  keep, ///< they go on as they are, as published; bodies bounce off faster than they came
  reset ///< both are those of the state at the end, without what pushed
};

class AccelerationScheme final : public Integrator {
public:
  /// Throws std::invalid_argument for a model that it cannot serve, see EndEquations.
  AccelerationScheme(const Model& model, const AccelerationRule& rule, AfterImpact after, const NewtonOptions& options);

  void begin(State& state) override;
  StepReport step(State& state, double h) override;
  Step last_step() const override { return solver_.step(); }
  MovedStep last_moved_step() const override { return solver_.moved_step(); }
  StepBooks books(const State& n1) const override;
  std::string description() const override;

private:
  /// What is remembered of an instant.
  struct Instant {
    VecX a;
    External external; ///< for the books
  };

  Index memory_size() const { return 1 + 2 * (model_.unknowns() + External::size); }
  void recall(const VecX& memory);
  void store(State& state) const;

  StepReport find(const State& at, Instant& instant);
  StepReport start_before(const State& state, double h);
  bool has_pushed(const VecX& lambda) const;

  const Model& model_;
  AccelerationRule rule_;
  AfterImpact after_;
  std::string owner_; ///< of the memory, in the version of what is kept
  EndEquations equations_;
  StepSolver solver_;
  Accelerations accelerations_;
  std::vector<const Element*> stops_; ///< one-sided constraints by multipliers
  double kept_h_ = 0;                 ///< time between the instants [s]; 0: there is none before
  Instant now_, before_;              // at n and n-1
  External impulse_;                  ///< of the last step
  State back_;                        // work space
  VecX back_z_;
};

} // namespace emmy
