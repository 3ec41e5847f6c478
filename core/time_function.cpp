#include "core/time_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace emmy {

double TimeFunction::rate(double t) const {
  if (is_constant())
    return 0;
  // Differences over ever shorter spans, extrapolated to none (Ridders): the entry of the triangle with the least
  // change from its neighbours counts. Near the start only later times are asked for, since a function need not make
  // sense before.
  constexpr int levels = 20;
  constexpr double longest = 7.3e-3; // [s]
  constexpr double shrink = 1.4;
  const bool forward = t < longest;
  const double f_t = f_(t);
  std::array<double, levels> row{}, above{};
  double best = 0, least = std::numeric_limits<double>::infinity();
  double d = longest;
  for (int i = 0; i < levels; ++i, d /= shrink) {
    const double up = t + d, down = forward ? t : t - d;
    row[0] = (f_(up) - (forward ? f_t : f_(down))) / (up - down);
    double factor = 1;
    for (int j = 1; j <= i; ++j) {
      factor *= forward ? shrink : shrink * shrink; // errors go with d, or with its square
      const auto k = static_cast<std::size_t>(j);
      row[k] = (factor * row[k - 1] - above[k - 1]) / (factor - 1);
      const double change = std::max(std::abs(row[k] - row[k - 1]), std::abs(row[k] - above[k - 1]));
      if (change < least) {
        least = change;
        best = row[k];
      }
    }
    above = row;
  }
  return best;
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
