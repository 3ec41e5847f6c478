#pragma once
/// Velocity constraints: a conserving step between two kicks, so that rates meet the joints at every end of a step and
/// neither they nor reactions ring (docs/theory/velocity_constraints.md).
///
///   y         rates of bodies, as a state has them; G y + phi_t = 0 at both ends
///   G_n, G_n1 gradients of the rows at the ends; M inertia
///   m0, m1    impulses of the kicks [N s], [N m s];    k0 = M^-1 G_n^T m0,   k1 = M^-1 G_n1^T m1
///
///   y_n + k0  -- the step itself -->  y^_n1,      y_n1 = y^_n1 - k1,      |k0| = |k1|                 [V4], [V5], [V6]
///
/// Both are sets of forces of joints at one configuration, so momenta are kept; being of equal energy they keep energy,
/// whatever their size. How well k0 is guessed matters to nothing but the energy that is lent until the next step.

#include "solvers/integrators/integrator.hpp"
#include "solvers/newton/newton.hpp"
#include "solvers/rates/rate_projection.hpp"

#include <array>
#include <functional>
#include <memory>

namespace emmy {

/// How joints are met by velocities.
enum class VelocityConstraints {
  off,  ///< to the order of the step
  on,   ///< to rounding; what the kicks lend is carried to the next step [V11]
  exact ///< to rounding, with kicks of equal energy in every step
};

class Kicks {
public:
  /// Kicks rows of joints that are enforced by multipliers, in parts of the model that have no rows that only push. A
  /// model with bodies that are not rigid by their unknowns goes without.
  Kicks(const Model& model, VelocityConstraints how, const NewtonOptions& options);

  /// True if nothing is kicked.
  bool empty() const { return tables_ == nullptr; }

  /// Numbers that are remembered: of steps, for those of the same length to come, and of the run, what is lent.
  Index history_size() const { return empty() ? 0 : header + remembered_means * rows(); }
  Index account_size() const { return empty() ? 0 : 2 * tables_->parts(); }

  /// Advances `state` by h with `step`, which takes the conserving step between the kicks. `history` is that of the
  /// step before, null if there was none; `account` that of the run, null at its start. The multipliers of `state` are
  /// the net ones afterwards [V14].
  using Step = std::function<StepReport(State& state, StartFrom start)>;
  StepReport take(State& state, double h, const double* history, const double* account, const Step& step);
  /// Of the last step, to be remembered.
  const VecX& history() const { return history_; }
  const VecX& account() const { return account_; }

  /// What the last step began with: before its kick, but with rates that meet the joints.
  const State& start_of_step() const { return begin_; }
  /// Multipliers of all elements over the last step, with the impulses of the kicks [V14].
  const VecX& net_multipliers() const { return net_; }
  /// Enters what the kicks of the last step did [V8], [V11].
  void book(StepBooks& books) const;

private:
  static constexpr Index header = 2, remembered_means = 3; ///< length and number of the steps that are remembered
  using OfParts = VecX;

  /// The joints at one end of a step, and the kick there.
  struct End {
    End(const RateTables& tables, const NewtonOptions& options);
    const RateRows& rows() const { return projection.rows(); }
    RateProjection projection;
    VecX m, k;      ///< k = M^-1 G^T m
    OfParts energy; ///< |k|² = k^T M k
  };

  Index rows() const { return tables_->rows(); }
  End& start() { return *ends_[first_]; }
  End& end() { return *ends_[1 - first_]; }
  /// |y - z|² of each part.
  void measure(const VecX& y, const VecX& z, OfParts& energy);
  void set_kick(End& at);
  /// The part of w that the joints of one end span.
  void span(End& at, const VecX& w);
  void scale(End& at);
  void meet_at_start(State& state);
  void guess(double h, const double* history);
  void meet_at_end(const State& state);
  void improve(bool is_first);
  StepReport pass(State& state, StartFrom from, const Step& step);
  StepReport pass_until_even(State& state, const Step& step);
  double excess() const;
  void add_net_multipliers(double h, State& state);
  void remember(double h, const double* history);

  VelocityConstraints how_;
  std::unique_ptr<RigidSystem> system_;
  std::unique_ptr<RateTables> tables_;
  std::array<std::unique_ptr<End>, 2> ends_; ///< of the last step
  std::size_t first_ = 0;                    ///< which of them is its start
  State begin_;
  VecX net_, history_, account_;
  VecX slope_, bend_;                                              // of means
  VecX best_;                                                      ///< m0 of the pass that lent least
  VecX mean_, expected_;                                           ///< mu of [V7], and m1 as it expects it
  OfParts lent_before_, lent_, largest_, wanted_, meant_, moving_; ///< largest_: |y|² of the run
  VecX met_;                           ///< impulses that made the rates of the start meet the joints; empty later
  double lost_ = 0;                    ///< what that took [J]
  VecX rates_;                         // of the start
  VecX y_, rest_, nothing_, energies_; // work space
};

} // namespace emmy
