#pragma once
/// Conserving steps of fourth and sixth order: several energy-momentum steps, some of them back in time, whose leading
/// errors cancel (docs/theory/energy_momentum.md [S7]-[S11]).
///
///   Psi_h = Phi_{c_s h} o ... o Phi_{c_2 h} o Phi_{c_1 h},   c_i = c_{s+1-i},   sum c_i = 1               [S7]
///
/// Every stage conserves energy and momenta exactly and ends with closed joints, so the whole does. With velocity
/// constraints every stage is taken between kicks of equal energy: what kicks lend would be an error of its own order.

#include "solvers/integrators/conserving/kicks.hpp"
#include "solvers/integrators/step_solver.hpp"

#include <vector>

namespace emmy {

/// Lengths of the stages of a step of the order 2, 4 or 6, as parts of the whole; order 2 is the plain step.
/// With velocity constraints stages leave no reflections, and order 6 needs half as many.
std::vector<double> stages_of_order(int order, VelocityConstraints velocities = VelocityConstraints::off);

/// Largest product of a rate of damping and the step for which no stage ends with a velocity above that with which the
/// step began [S17]; infinite where none runs back in time.
double damping_limit(const std::vector<double>& stages);

class Composition final : public Integrator {
public:
  /// Of stages with these lengths, parts of the step that add up to 1. Throws std::invalid_argument for constraints
  /// that only push, unless they are penalties: a stage that runs back in time would pull.
  Composition(const Model& model, std::vector<double> stages, const NewtonOptions& options,
              VelocityConstraints velocities = VelocityConstraints::off);

  /// Steps that are too long for the dampers fail: these drive in a stage that runs back in time.
  StepReport step(State& state, double h) override;

  /// The whole step: from its start to its end, with multipliers that are means over the stages. Bodies and forces did
  /// not obey it as they do a single step, but it says how far things moved, and what they pulled with on average.
  Step last_step() const override;
  MovedStep last_moved_step() const override;

  /// The stages.
  std::vector<StepStage> last_stages() const override;

  /// What was booked in all stages, with energies and momenta at the end.
  StepBooks books(const State& n1) const override;
  /// Stages are booked as they are taken; who will not ask for books can do without.
  void keep_books(bool keep) { keeps_books_ = keep; }
  std::string description() const override;

private:
  /// Why the dampers do not bear a step of this length; empty if they do.
  std::string refusal(const State& state, double h) const;
  StepReport take_stage(State& state, std::size_t stage, const double* memory, const double* kicks,
                        const double* account);
  void book_stage(const State& n1);
  void find_whole_step() const;
  void keep_stage(std::size_t stage, const State& n1);

  const Model& model_;
  std::vector<double> stages_;
  std::string owner_; ///< of the memory, in the version of what is kept
  double damping_limit_;
  bool has_dampers_;
  TwoPointEquations equations_;
  StepSolver solver_;
  Kicks kicks_;
  // the last step, unless it failed
  struct Stage {
    State start;
    VecX z, lambda;
    PortMotions motions; ///< if they have been asked for
  };
  mutable std::vector<Stage> stages_taken_;
  mutable bool has_moved_stages_ = false;
  State start_;
  double h_ = 1;
  VecX lambda_;
  StepBooks books_;
  bool keeps_books_ = true;
  MatX solutions_; ///< of the stages, for the start values of the next step
  std::vector<double> free_errors_;
  MatX kicked_;        ///< what kicks remember of the stages
  VecX rates_;         ///< at the start of a stage
  VecX accelerations_; ///< of the last stage, for the start of the next
  VecX end_;           ///< configuration that the step led to
  mutable VecX z_;     ///< of the whole step, with its ports: found when they are asked for
  mutable PortMotions motions_;
  mutable bool is_whole_ = false;
};

} // namespace emmy
