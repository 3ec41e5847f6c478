#include "io/deck/jumps.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::deck {

namespace {

struct Point {
  double t, value, rate;
};

double change(const Point& a, const Point& b) {
  return std::abs(b.value - a.value);
}
double by_rates(const Point& a, const Point& b) {
  return (b.t - a.t) * std::max(std::abs(a.rate), std::abs(b.rate));
}
/// What the mean of both rates does not explain.
double surprise(const Point& a, const Point& b) {
  return std::abs(b.value - a.value - (b.t - a.t) * (a.rate + b.rate) / 2);
}

class Search {
public:
  Search(const TimeFunction& f, long spans) : f_(f), halvings_(1000 + 3 * spans) {}

  Point look(double t) {
    const Point p{t, f_(t), f_.rate(t)};
    if (std::isfinite(p.value))
      size_ = std::max(size_, std::abs(p.value));
    return p;
  }

  std::optional<Jump> between(Point a, Point b) {
    double largest = 0; // change within the span
    while (is_surprising(a, b) && --halvings_ >= 0) {
      const Point middle = look(a.t + (b.t - a.t) / 2);
      if (std::isinf(middle.value))
        return Jump{middle.t, middle.value};
      if (middle.t <= a.t || middle.t >= b.t) // rates that are large, as those of roots, do no wonders
        return change(a, b) > std::max(noise(), 100 * by_rates(a, b)) || change(a, b) > largest
                   ? std::optional(Jump{b.t, b.value - a.value})
                   : std::nullopt;
      if (largest == 0)
        largest = std::max({change(a, b), change(a, middle), change(middle, b)});
      (surprise(a, middle) > surprise(middle, b) ? b : a) = middle;
    }
    return std::nullopt;
  }

private:
  /// Of values that are differences of larger ones.
  double noise() const { return 1e-9 * size_; }
  bool is_surprising(const Point& a, const Point& b) const { return surprise(a, b) > noise() + 1e-3 * by_rates(a, b); }

  const TimeFunction& f_;
  long halvings_; ///< left: functions that are noise surprise everywhere
  double size_ = 0;
};

} // namespace

std::optional<Jump> first_jump(const TimeFunction& f, double end, long spans) {
  if (f.is_constant())
    return std::nullopt;
  Search search(f, spans);
  Point before = search.look(0);
  for (long i = 1; i <= spans; ++i) {
    const Point now = search.look(end * (static_cast<double>(i) / static_cast<double>(spans)));
    if (const auto jump = search.between(before, now))
      return jump;
    before = now;
  }
  return std::nullopt;
}

} // namespace emmy::deck
