#include "verification/support/random.hpp"

namespace emmy::test {

double Random::between(double low, double high) {
  // The engine is specified bit for bit, the distributions of the standard library are not.
  const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

Vec3 Random::vector(double size) {
  const double x = between(-size, size), y = between(-size, size), z = between(-size, size);
  return {x, y, z};
}

VecX Random::numbers(Index n, double size) {
  VecX v(n);
  for (Index i = 0; i < n; ++i)
    v[i] = between(-size, size);
  return v;
}

Vec3 Random::direction() {
  for (;;) {
    const Vec3 v = vector(1);
    if (v.norm() > 0.1 && v.norm() <= 1) // inside the ball: no direction is preferred
      return v.normalized();
  }
}

Quaternion Random::rotation() {
  const double angle = between(0, 3.1);
  return exponential(angle * direction());
}

Mat3 Random::triad() {
  return rotation().toRotationMatrix();
}

Mat3 Random::inertia() {
  const Mat3 R = triad();
  const double a = between(0.2, 1), b = between(0.2, 1), c = between(0.2, 1);
  const Mat3 E = R * Vec3(a, b, c).asDiagonal() * R.transpose(); // second moments, positive definite [T2]
  const Mat3 J = E.trace() * Mat3::Identity() - E;
  return (J + J.transpose()) / 2;
}

} // namespace emmy::test
