#include "core/rotation.hpp"

#include "core/rotation_equations.hpp"

#include <cmath>

namespace emmy {

namespace {

template <class Map>
Quaternion quaternion(const Vec3& Theta) {
  double q[4];
  Map::quaternion(V3<double>{{Theta[0], Theta[1], Theta[2]}}, q);
  return {q[0], q[1], q[2], q[3]};
}

} // namespace

Quaternion cayley(const Vec3& psi) {
  return quaternion<CayleyMap>(psi);
}

Vec3 rodrigues_vector(const Quaternion& q) {
  return q.vec() * (2 / q.w());
}

Quaternion exponential(const Vec3& chi) {
  return quaternion<ExponentialMap>(chi);
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

} // namespace emmy
