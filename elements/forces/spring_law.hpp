#pragma once
/// Linear spring and damper on a scalar coordinate y: they resist its growth with the force k (y - y0) + c dy/dt.
///
/// Over a step from y_n to y_n1 = y_n + dy the force is F = k (y_m - y0) + c dy/h, y_m the mean of the two ends: it
/// does the work F dy = change of V + dissipation exactly, V = k (y - y0)²/2, whatever the step. Where time stands
/// still, 1/h = 0 and the damper does nothing.

namespace emmy {

struct SpringLaw {
  double k = 0;  ///< stiffness [N/m] or [N m/rad]
  double y0 = 0; ///< free length or angle, where the spring is at ease [m] or [rad]
  double c = 0;  ///< damping [N s/m] or [N m s/rad]

  double force(double y_m, double dy, double inv_h) const { return k * (y_m - y0) + c * dy * inv_h; }
  /// Derivative of the force by y_n1: the mean moves half as far as the end.
  double slope(double inv_h) const { return k / 2 + c * inv_h; }
  double potential(double y) const { return k * (y - y0) * (y - y0) / 2; }
  double dissipation(double dy, double inv_h) const { return c * dy * dy * inv_h; }
};

} // namespace emmy
