#pragma once
/// Static equilibrium: forces and reactions in balance, f + G^T l = 0, with the joints closed, phi = 0. Found as a
/// minimum of the energy along the constraints (docs/theory/statics.md, equilibrium), so that from a start out of
/// balance one arrives at a stable equilibrium, whatever the chain looks like at first.

#include "solvers/assembly/linearisation.hpp"

#include <functional>
#include <string>

namespace emmy {

struct EquilibriumOptions {
  int max_iterations = 500;
  std::function<bool(int iterations)> go_on = {}; ///< asked after every iteration; false ends the search
};

enum class Stability {
  stable,  ///< every motion that the joints admit is held back
  neutral, ///< some motions meet no resistance: a link that may spin, a body that may slide
  unstable ///< some motion is driven away
};

struct EquilibriumReport {
  bool converged = false;
  bool stopped = false; ///< by `go_on`
  int iterations = 0;
  double residual = 0; ///< what is missing in the balance of forces, relative to the forces that balance
  double gap = 0;      ///< largest |Phi| [m], [1]
  Stability stability = Stability::neutral;
  std::string worst;   ///< equation that is farthest from balance
  std::string message; ///< why it failed; empty if it did not
};

/// Moves `state` to an equilibrium at rest, at its time, and sets its multipliers to the reactions. A state that is in
/// balance already is kept, also if it is not stable. The state must have begun (Model::begin).
EquilibriumReport find_equilibrium(const Model& model, State& state, const EquilibriumOptions& options = {});

/// Multipliers that come closest to balance at a state, in the metric of the masses; those that dependent rows share
/// are the smallest. First all of the state, then those of exact rigidity.
VecX balancing_multipliers(const Model& model, const State& state);

} // namespace emmy
