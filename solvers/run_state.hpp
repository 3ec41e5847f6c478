#pragma once
/// All that a run is between two of its steps. It can be copied, compared bit by bit, written as bytes, and continued:
/// a Simulation that is made from it takes the same steps as one that was never stopped. Whatever else integrators and
/// solvers keep are caches, which may skip work and never change a result.

#include "core/ledger.hpp"
#include "core/state.hpp"
#include "solvers/watches/branch_watch.hpp"
#include "solvers/watches/turn_watch.hpp"

#include <string>
#include <vector>

namespace emmy {

struct Outcome {
  bool completed = false;
  long steps = 0;          ///< accepted, pieces of steps included
  long whole_steps = 0;    ///< of the length that was asked for, taken at once or in pieces
  long divided_steps = 0;  ///< those of them that were taken in pieces
  long rejected_steps = 0; ///< attempts that did not converge, or were spoilt by reactions without a lever
  long rescued_steps = 0;  ///< solved only with more regularisation: near a singular configuration
  long iterations = 0;     ///< of all accepted steps
  int max_iterations = 0;
  long sweeps = 0; ///< updates of the multipliers of augmented Lagrangians, of all accepted steps
  int max_sweeps = 0;
  double max_violation = 0; ///< what they left of their constraints [m], [rad], e of [A4]
  std::string failure;      ///< time, step, place and remedy, if not completed

  double mean_iterations() const { return mean(iterations); }
  double mean_sweeps() const { return mean(sweeps); }

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.completed, self.steps, self.whole_steps, self.divided_steps, self.rejected_steps, self.rescued_steps,
       self.iterations, self.max_iterations, self.sweeps, self.max_sweeps, self.max_violation, self.failure);
  }

private:
  double mean(long sum) const { return steps > 0 ? static_cast<double>(sum) / static_cast<double>(steps) : 0; }
};

/// Singular configurations that the run has come through.
struct Passages {
  long last_rescued = 0; ///< step
  long told = 0;
  double mean_load = 0; ///< running mean of the largest multiplier

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.last_rescued, self.told, self.mean_load);
  }
};

struct RunState {
  State start;            ///< where the run began
  State state;            ///< where it is
  bool has_begun = false; ///< observers have seen the start
  Ledger ledger;
  Outcome outcome; ///< its whole_steps are the number of the step
  Passages passages;
  BranchWatch::Seen branches;
  TurnWatch::Seen turns;
  std::vector<std::string> told; ///< topics of warnings that are told once

  template <class Self, class Archive>
  static void archive(Self& self, Archive& to) {
    to(self.start, self.state, self.has_begun, self.ledger, self.outcome, self.passages, self.branches, self.turns,
       self.told);
  }
};

} // namespace emmy
