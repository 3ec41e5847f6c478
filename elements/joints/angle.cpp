#include "elements/joints/angle.hpp"

#include <cmath>

namespace emmy {

namespace {

constexpr double two_pi = 6.283185307179586;

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;
using DotGradients = Eigen::Matrix<double, 9, 2>;

/// c and s.
Vec2 dots(const AngleVector& q) {
  return {q.segment<3>(0).dot(q.segment<3>(6)), q.segment<3>(3).dot(q.segment<3>(6))};
}

/// Gradients of c and s; at the mean of a step they are discrete gradients [D15].
DotGradients dot_gradients(const AngleVector& q) {
  DotGradients g = DotGradients::Zero();
  g.block<3, 1>(0, 0) = g.block<3, 1>(3, 1) = q.segment<3>(6);
  g.block<3, 1>(6, 0) = q.segment<3>(0);
  g.block<3, 1>(6, 1) = q.segment<3>(3);
  return g;
}

/// The step in the plane of c and s.
struct Plane {
  Plane(const Vec2& n, const Vec2& n1)
      : cross(n[0] * n1[1] - n[1] * n1[0]), dot(n.dot(n1)), theta(std::atan2(cross, dot)) {}
  double cross, dot, theta;

  /// theta / cross, with its limit where the step does not turn.
  double ratio() const { return cross != 0 ? theta / cross : 1 / dot; }

  /// Derivative of the ratio by (cross, dot).
  Vec2 ratio_slope() const {
    const double size_squared = cross * cross + dot * dot;
    const double x = cross / dot;
    // (dot / size² - ratio) / cross loses its digits as cross goes to zero. There, with x = cross/dot, it is the
    // alternating series -2/3 x + 4/5 x³ - 6/7 x⁵ .. over dot², in which eight terms leave 1e-16 below x = 0.1.
    double by_cross = (dot / size_squared - ratio()) / cross;
    if (dot > 0 && std::abs(x) < 0.1) {
      double sum = 0;
      for (int k = 8; k >= 1; --k)
        sum = 2.0 * k / (2 * k + 1) - x * x * sum;
      by_cross = -x * sum / (dot * dot);
    }
    return {by_cross, -1 / size_squared};
  }
};

} // namespace

double angle_at(const AngleVector& q) {
  const Vec2 p = dots(q);
  return std::atan2(p[1], p[0]);
}

AngleVector angle_gradient(const AngleVector& q) {
  const Vec2 p = dots(q);
  return dot_gradients(q) * Vec2(-p[1], p[0]) / p.squaredNorm();
}

double angle_increment(const AngleVector& q_n, const AngleVector& q_n1) {
  return Plane(dots(q_n), dots(q_n1)).theta;
}

double with_turns(double within_turn, double counted) {
  return within_turn + two_pi * std::round((counted - within_turn) / two_pi);
}

double counted_angle(double phi_n, const AngleVector& q_n, const AngleVector& q_n1) {
  return with_turns(angle_at(q_n1), phi_n + angle_increment(q_n, q_n1));
}

AngleStep angle_step(const AngleVector& q_n, const AngleVector& q_n1, bool tangent) {
  const Vec2 n = dots(q_n), n1 = dots(q_n1);
  const Vec2 m = (n + n1) / 2;
  const DotGradients dots_bar = dot_gradients((q_n + q_n1) / 2);
  const Plane plane(n, n1);
  const double ratio = plane.ratio();
  const Vec2 across(-m[1], m[0]);
  AngleStep step;
  step.theta = plane.theta;
  step.G_bar = dots_bar * (ratio * across); // [D18]
  if (!tangent)
    return step;

  step.G = angle_gradient(q_n1);
  Mat2 by_plane; // derivative of ratio * across by (c, s) at n+1
  const Vec2 slope = plane.ratio_slope();
  const Vec2 ratio_by_n1 = slope[0] * Vec2(-n[1], n[0]) + slope[1] * n;
  by_plane = across * ratio_by_n1.transpose();
  by_plane(0, 1) -= ratio / 2;
  by_plane(1, 0) += ratio / 2;
  step.K = dots_bar * by_plane * dot_gradients(q_n1).transpose();
  const Vec2 half = ratio / 2 * across; // the mean gradients move half as far as the end point
  for (int i = 0; i < 2; ++i) {
    step.K.block<3, 3>(3 * i, 6).diagonal().array() += half[i];
    step.K.block<3, 3>(6, 3 * i).diagonal().array() += half[i];
  }
  return step;
}

} // namespace emmy
