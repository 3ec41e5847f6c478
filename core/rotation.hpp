#pragma once
/// Rotations: Cayley/Rodrigues and exponential maps, with quaternions (docs/theory/rotations.md [F1], [F9], [E2]); the
/// maps themselves are those of rotation_equations.hpp. A rotation takes body components to space; quaternions are
/// scalar first in every file and in State, while Eigen stores the scalar last, so only `to_wxyz` and `from_wxyz` touch
/// the order.

#include "core/types.hpp"

namespace emmy {

using Quaternion = Eigen::Quaterniond;

/// Matrix of the cross product: skew(a) b = a x b.
inline Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return s;
}

inline Vec4 to_wxyz(const Quaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}
inline Quaternion from_wxyz(const Eigen::Ref<const Vec4>& q) {
  return {q[0], q[1], q[2], q[3]};
}

/// Quaternion of the rotation with Rodrigues vector psi = 2 tan(angle/2) axis [F1]: no trigonometry, exact near zero.
Quaternion cayley(const Vec3& psi);

/// Rodrigues vector of a rotation, inverse of cayley(); grows without bound as the angle approaches pi.
Vec3 rodrigues_vector(const Quaternion& q);

/// Quaternion of the rotation by |chi| about chi [E2].
Quaternion exponential(const Vec3& chi);

/// Rotation vector of a rotation, |chi| <= pi: inverse of exponential().
Vec3 rotation_vector(const Quaternion& q);

/// T(psi) of [F9]: the spatial rotation that follows a change of psi is T(psi) d_psi.
Mat3 cayley_tangent(const Vec3& psi);

} // namespace emmy
