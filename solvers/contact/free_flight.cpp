#include "solvers/contact/free_flight.hpp"

#include "core/lossless_sum.hpp"

#include <cmath>
#include <limits>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Sweeps of the fixed point [C6], each of which gains a factor h |omega|, before Newton takes over; its iterations.
constexpr int most_sweeps = 12;
constexpr int most_iterations = 30;
/// Below this square of an angle series replace trigonometry: five terms are exact to rounding.
constexpr double small_square = 0.01;

/// sin(t)/t and (1 - cos t)/t² by t².
struct Trigonometry {
  double sine, versine;
  explicit Trigonometry(double t2) {
    if (t2 < small_square) {
      sine = 1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)));
      versine = 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90))));
    } else {
      const double t = std::sqrt(t2), half = std::sin(t / 2);
      sine = std::sin(t) / t;
      versine = 2 * half * half / t2;
    }
  }
};

/// rot(-Theta) a
Vec3 turned_back(const Vec3& Theta, const Vec3& a, RotationMap map) {
  const double t2 = Theta.squaredNorm();
  const Vec3 across = Theta.cross(a);
  if (map == RotationMap::cayley)
    return a + (0.5 * Theta.cross(across) - across) / (1 + t2 / 4);
  const Trigonometry f(t2);
  return a - f.sine * across + f.versine * Theta.cross(across);
}

/// T_r of [C6]: how rot(-Theta) a changes with Theta, as (rot(-Theta) a) x T_r dTheta.
Mat3 right_tangent(const Vec3& Theta, RotationMap map) {
  const double t2 = Theta.squaredNorm();
  const Mat3 S = skew(Theta);
  if (map == RotationMap::cayley)
    return (Mat3::Identity() - 0.5 * S) / (1 + t2 / 4);
  const double t = std::sqrt(t2);
  const Trigonometry f(t2);
  const double third =
      t2 < small_square ? (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72))) / 6 : (t - std::sin(t)) / (t2 * t);
  return Mat3::Identity() - f.versine * S + third * S * S;
}

/// Newton on [C5], for turns that are too large for the fixed point.
bool solve_by_newton(const FreeBody& body, const Vec3& W, const Vec3& a, double h, RotationMap map, Vec3& Theta) {
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    const Vec3 b = turned_back(Theta, a, map);
    const Mat3 K = 2 / h * body.J - skew(b) * right_tangent(Theta, map); // [C6]
    const Vec3 change = K.partialPivLu().solve(b - body.J * (2 / h * Theta - W));
    const double size = change.norm();
    if (!std::isfinite(size))
      return false;
    Theta += change;
    if (size <= 4 * eps * Theta.norm() || (size < 1e-10 * Theta.norm() && size >= last))
      return true;
    last = size;
  }
  return false;
}

/// rot(Theta) - 1 as a quaternion, scalar first: without the cancellation of a difference.
Vec4 turn_minus_one(const Vec3& Theta, RotationMap map) {
  const double t2 = Theta.squaredNorm();
  double scalar, factor;
  if (map == RotationMap::cayley) {
    const double root = std::sqrt(1 + t2 / 4);
    scalar = -t2 / 4 / (root * (1 + root));
    factor = 0.5 / root;
  } else {
    const Trigonometry f(t2 / 4);
    scalar = -f.versine * t2 / 4;
    factor = 0.5 * f.sine;
  }
  return {scalar, factor * Theta.x(), factor * Theta.y(), factor * Theta.z()};
}

/// q o d, scalar first.
Vec4 product(const Vec4& q, const Vec4& d) {
  const Vec3 a = q.tail<3>(), b = d.tail<3>();
  Vec4 result;
  result[0] = q[0] * d[0] - a.dot(b);
  result.tail<3>() = q[0] * b + d[0] * a + a.cross(b);
  return result;
}

} // namespace

bool fly(const FreeBody& body, const FreeMotion& n, double h, RotationMap map, Flight& flight) {
  flight.shift = h / 2 * body.inverse_mass * (n.p + flight.p1); // [C2]
  flight.Theta.setZero();
  if (!body.turns)
    return true;
  const Quaternion back = n.orientation().conjugate();
  const bool is_free = flight.pi1 == n.pi;
  const Vec3 a = back * flight.pi1;
  const Vec3 W = body.J_inverse * (is_free ? a : Vec3(back * n.pi));
  Vec3 Theta = h / 2 * (W + body.J_inverse * a);
  double last = 0;
  for (int i = 0; i < most_sweeps; ++i) {
    const Vec3 next = h / 2 * (W + body.J_inverse * turned_back(Theta, a, map)); // [C6]
    const double change = (next - Theta).cwiseAbs().maxCoeff(), size = next.cwiseAbs().maxCoeff();
    Theta = next;
    // What the next sweep would change: by the measured rate, or by none if it is at the floor already.
    if (change <= 4 * eps * size || (i > 0 && change * change <= 0.25 * eps * size * last)) {
      flight.Theta = Theta;
      return true;
    }
    if (i > 1 && change > 0.5 * last)
      break;
    last = change;
  }
  if (!solve_by_newton(body, W, a, h, map, Theta))
    return false;
  flight.Theta = Theta;
  return true;
}

void land(const Flight& flight, RotationMap map, FreeMotion& motion) {
  motion.p = flight.p1;
  motion.pi = flight.pi1;
  add_without_loss<Vec3>(flight.shift, motion.x, motion.lost_x);
  // The part along q keeps its length at one; it does not change the rotation.
  const Vec4 increment =
      product(motion.q, turn_minus_one(flight.Theta, map)) + 0.5 * (1 - motion.q.squaredNorm()) * motion.q;
  add_without_loss<Vec4>(increment, motion.q, motion.lost_q);
}

Spin spin(const FreeBody& body, const FreeMotion& motion) {
  if (body.inverse_moment > 0)
    return {body.inverse_mass * motion.p, body.inverse_moment * motion.pi};
  const Quaternion q = motion.orientation();
  return {body.inverse_mass * motion.p, q * (body.J_inverse * (q.conjugate() * motion.pi))};
}

Spin mean_spin(const FreeMotion& n, double h, const Flight& flight) {
  return {flight.shift / h, n.orientation() * (flight.Theta / h)};
}

Quaternion turn(const Vec3& Theta, RotationMap map) {
  Vec4 q = turn_minus_one(Theta, map);
  q[0] += 1;
  return from_wxyz(q);
}

} // namespace emmy
