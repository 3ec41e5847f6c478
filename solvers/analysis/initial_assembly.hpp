#pragma once
/// Initial assembly: the smallest changes of positions and velocities, measured by the mass matrix, that make a state
/// meet the constraints to rounding (docs/theory/statics.md, assembly). Translations weigh by mass, rotations by
/// inertia, so that a heavy body stays and a light one gives way.

#include "solvers/analysis/singular_start.hpp"

#include <string>
#include <vector>

namespace emmy {

struct AssemblyOptions {
  std::vector<const Body*> fixed; ///< bodies that keep their place; their velocities may still change
  int max_iterations = 100;
};

/// What assembly did to a body.
struct BodyChange {
  const Body* body = nullptr;
  BodyMotion before, after;
  double distance = 0;         ///< [m]
  double angle = 0;            ///< [rad]
  double velocity = 0;         ///< [m/s]
  double angular_velocity = 0; ///< [rad/s]
};

struct AssemblyReport {
  bool converged = false;
  int iterations = 0;      ///< of all attempts
  int attempts = 0;        ///< others than from the start itself, which was singular or contradictory if there are any
  double first_gap = 0;    ///< what was left before them
  std::string tried;       ///< what they were
  double gap = 0;          ///< largest |Phi| that is left [m], [1]
  double velocity_gap = 0; ///< largest |dPhi/dt| that is left [m/s], [1/s]
  std::string worst;       ///< the equation with the largest gap, of positions or else of velocities
  std::string message;     ///< why it failed; empty if it did not
  std::vector<BodyChange> bodies;
};

/// Moves `state` to where all constraints hold: those of joints, at its time if they are driven, and the rigidity of
/// bodies, unloaded where springs provide it. The caller calls Model::begin(state) afterwards, so that elements
/// remember the new start. The multipliers of `state` are left alone. Where gradients lead nowhere another start is
/// looked for, see search_closed(). Where joints contradict one another, positions are left where the gaps are smallest
/// in the sense of least squares.
AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options = {});

} // namespace emmy
