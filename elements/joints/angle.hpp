#pragma once
/// The angle of a joint [D18]: how far t1 of body J has turned from s1 of body I towards s2 of body I, seen along their
/// axis n = s1 x s2. It is a function of two dot products,
///   c = s1 . t1,   s = s2 . t1,   phi = atan2(s, c),
/// and has an exact discrete gradient, also where the bodies are strained and c² + s² is not 1. Everything is written
/// in the nine numbers q = (s1, s2, t1): keep these three natural variables next to each other, from variable `first`
/// on, and they are q.segment<9>(3 * first).
///
///   theta   increment   angle of the step, between -pi and pi: a step of half a turn or more is ambiguous, and is
///   taken
///                       for the shorter way round
///
/// Undefined where c = s = 0: t1 points along the axis.

#include "core/types.hpp"

namespace emmy {

using AngleVector = Eigen::Matrix<double, 9, 1>;
using AngleMatrix = Eigen::Matrix<double, 9, 9>;

/// phi in (-pi, pi].
double angle_at(const AngleVector& q);

/// Derivative of phi by q; times the rate of q it is the rate of phi.
AngleVector angle_gradient(const AngleVector& q);

/// theta alone.
double angle_increment(const AngleVector& q_n, const AngleVector& q_n1);

/// The angle `within_turn` plus the full turns that bring it next to `counted`.
double with_turns(double within_turn, double counted);

/// Angle with turns counted at the end of a step that started at phi_n: the value of angle_at(q_n1), to rounding, plus
/// the full turns that bring it next to phi_n + theta. Rounding does not add up over steps.
double counted_angle(double phi_n, const AngleVector& q_n, const AngleVector& q_n1);

/// The angle over one step.
struct AngleStep {
  double theta = 0;
  AngleVector G_bar = AngleVector::Zero(); ///< discrete gradient: theta = G_bar . (q_n1 - q_n)
  AngleVector G = AngleVector::Zero();     ///< gradient at n+1; only if the tangent is asked for
  AngleMatrix K = AngleMatrix::Zero();     ///< derivative of G_bar by q_n1, not symmetric; likewise
};

/// A moment M(theta) along the angle is r = M G_bar with the tangent M K + dM/dtheta G_bar G^T.
AngleStep angle_step(const AngleVector& q_n, const AngleVector& q_n1, bool tangent);

} // namespace emmy
