#pragma once
/// Initial assembly: the smallest changes of positions and velocities, measured by the mass matrix, that make a state
/// meet the constraints to rounding (docs/theory/statics.md, assembly). Translations weigh by mass, rotations by
/// inertia, so that a heavy body stays and a light one gives way.

#include "solvers/saddle.hpp"

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
  double distance = 0;         ///< [m]
  double angle = 0;            ///< [rad]
  double velocity = 0;         ///< [m/s]
  double angular_velocity = 0; ///< [rad/s]
};

struct AssemblyReport {
  bool converged = false;
  int iterations = 0;
  double gap = 0;          ///< largest |Phi| that is left [m], [1]
  double velocity_gap = 0; ///< largest |dPhi/dt| that is left [m/s], [1/s]
  std::string worst;       ///< the equation with the largest gap, of positions or else of velocities
  std::string message;     ///< why it failed; empty if it did not
  std::vector<BodyChange> bodies;
};

/// Moves `state` to where all constraints hold: those of joints, at its time if they are driven, and the rigidity of
/// bodies, unloaded where springs provide it. The caller calls Model::begin(state) afterwards, so that elements
/// remember the new start. The multipliers of `state` are left alone. Where joints contradict one another, positions
/// are left where the gaps are smallest in the sense of least squares.
AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options = {});

/// How far Gauss and Newton came.
struct GapReport {
  bool closed = false;
  int iterations = 0;
  double gap = 0;
  std::string worst; ///< equation with the largest gap
};

/// Which constraints to close.
struct GapOptions {
  std::vector<bool> held; ///< unknowns that stay; none if empty
  bool elastic = false;   ///< also rigidity that springs provide
  VecX strains;           ///< what rigidity_rows() shall show with `elastic`, if not zero
  int max_iterations = 100;
};

/// Moves `state` along the smallest increments until the rows of linearise_statics() vanish at its multipliers. Rates
/// become zero.
GapReport close_gaps(const Model& model, const MassMetric& metric, const GapOptions& options, State& state);

} // namespace emmy
