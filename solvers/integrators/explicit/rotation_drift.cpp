#include "solvers/integrators/explicit/rotation_drift.hpp"

#include "core/rotation_equations.hpp"
#include "elements/bodies/plain.hpp"

#include <cmath>
#include <limits>

namespace emmy {

namespace {

/// Turn by `angle` about principal axis i: the rotation so far, and the convected momentum, which turns the other way.
void turn_about(int i, double angle, Quaternion& so_far, Vec3& Pi) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double s = std::sin(angle / 2), c = std::cos(angle / 2);
  Eigen::Vector4d step(0, 0, 0, c); // Eigen's own order
  step[i] = s;
  so_far = so_far * Quaternion(step);
  const double sine = 2 * s * c, cosine = c * c - s * s;
  const double Pi_j = cosine * Pi[j] + sine * Pi[k];
  Pi[k] = cosine * Pi[k] - sine * Pi[j];
  Pi[j] = Pi_j;
}

void drift_split(const RigidUnit& unit, const Vec3& pi, double h, Quaternion& q) {
  Vec3 Pi = unit.axes.transpose() * (q.conjugate() * pi);
  Quaternion so_far = Quaternion::Identity();
  // [E13]: the smallest moment outermost, the intermediate one in the middle.
  constexpr int sequence[] = {2, 1, 0, 1, 2};
  for (const int i : sequence)
    turn_about(i, (i == 0 ? h : h / 2) * Pi[i] / unit.moments[i], so_far, Pi);
  const Vec3 axis = unit.axes * so_far.vec();
  q = turned(q, Quaternion(so_far.w(), axis.x(), axis.y(), axis.z()));
}

bool drift_lie_midpoint(const RigidUnit& unit, const Vec3& pi, double h, Quaternion& q) {
  constexpr int most_iterations = 60;
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const Vec3 Pi = q.conjugate() * pi;
  Vec3 Omega = unit.J_inverse * Pi;
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    const Vec3 next =
        unit.J_inverse * of_eigen(ExponentialMap::turned_back((h / 2) * plain(Omega), plain(Pi))); // [E12]
    const double change = (next - Omega).norm();
    Omega = next;
    // Down to rounding, or as near to it as the iteration comes.
    if (change <= rounding * Omega.norm() || (change >= last && change <= 64 * rounding * Omega.norm())) {
      q = turned(q, exponential(h * Omega));
      return true;
    }
    last = change;
  }
  return false;
}

} // namespace

bool drift_rotation(RotationDrift kernel, const RigidUnit& unit, const Vec3& pi, double h, Quaternion& q) {
  if (!unit.turns)
    return true;
  if (kernel == RotationDrift::lie_midpoint)
    return drift_lie_midpoint(unit, pi, h, q);
  drift_split(unit, pi, h, q);
  return true;
}

} // namespace emmy
