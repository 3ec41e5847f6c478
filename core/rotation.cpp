#include "core/rotation.hpp"

#include <cmath>

namespace emmy {

Quaternion cayley(const Vec3& psi) {
  const double w = 1 / std::sqrt(1 + psi.squaredNorm() / 4); // [F1]
  const Vec3 v = psi * (w / 2);
  return {w, v.x(), v.y(), v.z()};
}

Vec3 rodrigues_vector(const Quaternion& q) {
  return q.vec() * (2 / q.w());
}

Quaternion exponential(const Vec3& chi) {
  const double angle = chi.norm();
  // [E2]; sin(x/2)/x = 1/2 - x²/48 + x⁴/3840 - ...: below 1e-2 the next term, x⁶/645120, is under one rounding.
  const double a2 = angle * angle;
  const double s = angle < 1e-2 ? 0.5 - a2 / 48 + a2 * a2 / 3840 : std::sin(angle / 2) / angle;
  const Vec3 v = s * chi;
  return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

Vec3 rotation_vector(const Quaternion& q) {
  const double sign = q.w() < 0 ? -1 : 1; // q and -q are the same rotation; the shorter one is wanted
  const double s = q.vec().norm();
  const double half = std::atan2(s, sign * q.w()); // accurate at every angle, unlike acos(w) or asin(s)
  // angle / sin(angle/2) -> 2 + (angle/2)²/3 at zero, where the quotient is 0/0.
  const double factor = s < 1e-4 ? 2 + half * half / 3 : 2 * half / s;
  return sign * factor * q.vec();
}

Mat3 cayley_tangent(const Vec3& psi) {
  return (Mat3::Identity() + skew(psi) / 2) / (1 + psi.squaredNorm() / 4); // [F9]
}

Mat3 half_cayley_inverse(const Vec3& Theta) {
  return (Mat3::Identity() + skew(Theta) / 2 + Theta * Theta.transpose() / 4) / (1 + Theta.squaredNorm() / 4); // [D12]
}

} // namespace emmy
