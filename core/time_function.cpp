#include "core/time_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace emmy {

double TimeFunction::integral(double t, double h) const {
  if (is_constant())
    return constant_ * h;
  // Halving 60 times leaves of a jump what its own size times the rounding of t would. Spans are bounded for functions
  // whose values are noise, of which no halving makes two rules agree.
  constexpr int halvings = 60;
  int spans = 1000;
  return integral(t, h, 0, halvings, spans);
}

double TimeFunction::integral(double t, double h, double resolution, int halvings, int& spans) const {
  // Gauss's rule with five points, against Lobatto's with five, which looks at the ends too: a jump next to an end is
  // seen by one of them only.
  static const std::array<double, 3> x{0, 0.53846931010568309, 0.90617984593866399};
  static const std::array<double, 3> w{0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  static const std::array<double, 3> x_l{0, 0.65465367070797714, 1};
  static const std::array<double, 3> w_l{0.71111111111111111, 0.54444444444444444, 0.1};
  double largest = 0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto rule = [&](const std::array<double, 3>& points, const std::array<double, 3>& weights) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double up = f_(t + h * (1 + points[i]) / 2), down = i == 0 ? up : f_(t + h * (1 - points[i]) / 2);
      largest = std::max({largest, std::abs(up), std::abs(down)});
      lowest = std::min({lowest, up, down});
      highest = std::max({highest, up, down});
      sum += weights[i] * (i == 0 ? up : up + down);
    }
    return h / 2 * sum;
  };
  const double gauss = rule(x, w), lobatto = rule(x_l, w_l);
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  if (resolution == 0) // of the whole span: parts need not be better than that
    resolution = rounding * std::abs(h) * largest;
  // Times are rounded: what the function changes within the rounding of t is not known.
  const double of_time = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), std::abs(t + h));
  const double known = std::max({resolution, rounding * std::abs(h) * largest, of_time * (highest - lowest)});
  // Written so that what is not a number ends here.
  if (!(std::abs(gauss - lobatto) > known) || halvings == 0 || --spans <= 0)
    return gauss;
  const double first = integral(t, h / 2, resolution, halvings - 1, spans);
  return first + integral(t + h / 2, h / 2, resolution, halvings - 1, spans);
}

} // namespace emmy
