#pragma once
/// How long a step of an explicit integrator may be [E14], [E15] (docs/theory/explicit_rotation.md, critical step).
/// Everything is read off the elements at one state: their stiffness and damping, the spin of bodies. Potentials give
/// upper bounds of frequencies, so the limit is on the safe side as long as stiffness does not grow.

#include "core/model.hpp"

#include <limits>
#include <string>

namespace emmy {

struct CriticalStep {
  static constexpr double none = std::numeric_limits<double>::infinity();

  double elastic = none;    ///< [s], of springs and dampers [E14]
  std::string element;      ///< what limits it: the stiffest element on the body below
  std::string body;         ///< on which the sum of the elements' bounds is largest
  double frequency = 0;     ///< bound of the largest circular frequency there [rad/s]
  double damping = 0;       ///< bound of 2 zeta omega there [1/s]
  double gyroscopic = none; ///< [s], of schemes that treat gyroscopic moments as forces [E15]
  std::string nutating;     ///< body that sets it
  double turning = none;    ///< [s], beyond which the rotation of a step is inaccurate: half a radian [E15]
  std::string spinning;     ///< body that turns fastest

  /// Beyond this a run is unstable.
  double stability() const { return elastic < gyroscopic ? elastic : gyroscopic; }
  double smallest() const { return turning < stability() ? turning : stability(); }
};

/// `gyroscopic_forces`: the scheme takes gyroscopic moments as forces, as Park-Chiou-Downer does.
CriticalStep critical_step(const Model& model, const State& state, bool gyroscopic_forces);

} // namespace emmy
