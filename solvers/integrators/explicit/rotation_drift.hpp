#pragma once
/// Rotation of a body that keeps its spatial angular momentum pi over a time h: the drift of kick-drift-kick. Both
/// kernels are symmetric in time and of second order; both keep pi exactly because they do not touch it.

#include "solvers/integrators/explicit/rigid_system.hpp"

namespace emmy {

enum class RotationDrift {
  split,       ///< [E13]: turns about the principal axes one after another; explicit
  lie_midpoint ///< [E12]: one turn by the angular velocity in the middle, found by iteration; keeps symmetric tops
               ///< exactly
};

/// Rotation after the time h; false if the iteration of the kernel does not converge: h is then too long for the spin.
bool drift_rotation(RotationDrift kernel, const RigidUnit& unit, const Vec3& pi, double h, Quaternion& q);

} // namespace emmy
