#include "core/time_function.hpp"

#include <array>
#include <cmath>

namespace emmy {

double TimeFunction::rate(double t) const {
  if (is_constant())
    return 0;
  // The error of the formula is d^6 f^(7) / 140, that of rounding eps f / d: for changes within about a second both are
  // 1e-13 here.
  const double d = 5e-3 * (1 + 1e-3 * std::abs(t));
  const auto slope = [&](double k) { return (f_(t + k * d) - f_(t - k * d)) / (2 * k * d); };
  return 1.5 * slope(1) - 0.6 * slope(2) + 0.1 * slope(3);
}

double TimeFunction::integral(double t, double h) const {
  if (is_constant())
    return constant_ * h;
  static const std::array<double, 3> x{0, 0.53846931010568309, 0.90617984593866399};
  static const std::array<double, 3> w{0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  const auto at = [&](double y) { return f_(t + h * (1 + y) / 2); };
  return h / 2 * (w[0] * at(0) + w[1] * (at(x[1]) + at(-x[1])) + w[2] * (at(x[2]) + at(-x[2])));
}

} // namespace emmy
