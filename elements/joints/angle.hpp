#pragma once
/// The angle of a joint [D18], angle_equations.hpp, for whoever looks at it from outside: in the nine numbers
/// q = (s1, s2, t1) of its directions.

#include "core/types.hpp"

namespace emmy {

using AngleVector = Eigen::Matrix<double, 9, 1>;

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

} // namespace emmy
