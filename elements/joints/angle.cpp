#include "elements/joints/angle.hpp"

#include "elements/joints/angle_equations.hpp"

#include <cmath>

namespace emmy {

namespace {

using Vec2 = Eigen::Vector2d;

/// c and s.
Vec2 dots(const AngleVector& q) {
  return {q.segment<3>(0).dot(q.segment<3>(6)), q.segment<3>(3).dot(q.segment<3>(6))};
}

AngleStep<double> step(const AngleVector& q_n, const AngleVector& q_n1) {
  const Vec2 n = dots(q_n), n1 = dots(q_n1);
  return {n[0], n[1], n1[0], n1[1]};
}

} // namespace

double angle_at(const AngleVector& q) {
  const Vec2 p = dots(q);
  return std::atan2(p[1], p[0]);
}

AngleVector angle_gradient(const AngleVector& q) {
  double g[2];
  step(q, q).end_gradient(g);
  AngleVector gradient;
  gradient << g[0] * q.tail<3>(), g[1] * q.tail<3>(), g[0] * q.head<3>() + g[1] * q.segment<3>(3);
  return gradient;
}

double angle_increment(const AngleVector& q_n, const AngleVector& q_n1) {
  return step(q_n, q_n1).theta;
}

double with_turns(double within_turn, double counted) {
  return within_turn + two_pi * std::round((counted - within_turn) / two_pi);
}

double counted_angle(double phi_n, const AngleVector& q_n, const AngleVector& q_n1) {
  return step(q_n, q_n1).counted(phi_n);
}

} // namespace emmy
