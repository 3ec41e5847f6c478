#pragma once
/// Linear spring and damper on a scalar coordinate y: they resist its growth with the force k (y - y0) + c dy/dt.
///
/// Over a step from y_n to y_n1 = y_n + dy the force is F = k (y_m - y0) + c dy/h, y_m the mean of the two ends: it
/// does the work F dy = change of V + dissipation exactly, V = k (y - y0)²/2, whatever the step. Where time stands
/// still, 1/h = 0 and the damper does nothing.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

template <class T>
struct SpringLawOf {
  T k{};  ///< stiffness [N/m] or [N m/rad]
  T y0{}; ///< free length or angle, where the spring is at ease [m] or [rad]
  T c{};  ///< damping [N s/m] or [N m s/rad]

  T force(T y_m, T dy, double inv_h) const { return k * (y_m - y0) + c * dy * inv_h; }
  /// Derivative of the force by y_n1: the mean moves half as far as the end.
  T slope(double inv_h) const { return 0.5 * k + c * inv_h; }
  T potential(T y) const { return 0.5 * k * (y - y0) * (y - y0); }
  T dissipation(T dy, double inv_h) const { return c * dy * dy * inv_h; }
};
using SpringLaw = SpringLawOf<double>;

} // namespace EMMY_ISA
} // namespace emmy
