#include "core/time_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
constexpr double longest_span = 7.3e-3; ///< of differences [s]
} // namespace

double TimeFunction::rate(double t) const {
  if (is_constant())
    return 0;
  if (t < longest_span) // a function need not make sense before the start
    return slope(t, Side::after);
  return slope(t, has_kink(t) ? Side::before : Side::both);
}

/// True if the slope before t differs from that after it: what they differ by over a span does not vanish with it.
bool TimeFunction::has_kink(double t) const {
  constexpr double wide = 1e-3, narrow = 1e-5; // [s]
  const double f_t = f_(t);
  double size = std::abs(f_t);
  const auto bend = [&](double d) {
    const double up = f_(t + d), down = f_(t - d);
    size = std::max({size, std::abs(up), std::abs(down)});
    return std::abs((up - f_t) - (f_t - down)) / d;
  };
  const double over_wide = bend(wide), over_narrow = bend(narrow);
  // A smooth function bends by a hundredth as much over a hundredth of the span; of it rounding of values is no part.
  constexpr double rounding = 1e3 * std::numeric_limits<double>::epsilon() / narrow;
  return over_narrow > over_wide / 10 && over_narrow > rounding * size;
}

/// From differences to one side, or to both.
double TimeFunction::slope(double t, Side side) const {
  // Differences over ever shorter spans, extrapolated to none (Ridders): the entry of the triangle with the least
  // change from its neighbours counts.
  constexpr int levels = 20;
  constexpr double shrink = 1.4;
  const double f_t = f_(t);
  std::array<double, levels> row{}, above{};
  double best = 0, least = std::numeric_limits<double>::infinity();
  double d = longest_span;
  for (int i = 0; i < levels; ++i, d /= shrink) {
    const double up = side == Side::before ? t : t + d, down = side == Side::after ? t : t - d;
    row[0] = ((side == Side::before ? f_t : f_(up)) - (side == Side::after ? f_t : f_(down))) / (up - down);
    double factor = 1;
    for (int j = 1; j <= i; ++j) {
      factor *= side == Side::both ? shrink * shrink : shrink; // errors go with the square of d, or with d
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
