#pragma once
/// A number that a user prescribes as a function of time: the angle of a motor, the size of a load.

#include "core/dual.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

namespace emmy {

class TimeFunction {
public:
  TimeFunction(double constant = 0) : constant_(constant) {} // NOLINT: a number is a function of time

  /// From what makes numbers of times. It has a rate if it makes dual numbers of dual times too, as does
  /// [](auto t) { return 3 * sin(2 * t); }.
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<double, const F&, double>>>
  explicit TimeFunction(F f) {
    if constexpr (std::is_invocable_r_v<Dual, const F&, Dual>)
      rate_ = [f](double t, double pace, Still still) {
        return still == Still::unknown ? f(Dual(t, pace)).rate : f(DualOf<Still::still>(t, pace)).rate;
      };
    f_ = std::move(f);
  }

  double operator()(double t) const { return f_ ? f_(t) : constant_; }
  bool is_constant() const { return !f_; }
  bool has_rate() const { return is_constant() || rate_; }

  /// Derivative by time [1/s], exact to rounding, of a function that has one. At a kink it is that of the time before,
  /// so that the rate changes at once and not over some steps; at t = 0 and before it is that of the time after, since
  /// a function need not make sense before the start. Where it has no bounds it is that of a time nearby: it is
  /// always finite.
  double rate(double t) const;

  /// Integral from t to t + h; h may be negative. It is exact to rounding, also where the function jumps or has a kink:
  /// spans are halved until two rules agree. A pulse shorter than a fourth of the span may pass unseen between the
  /// points of the rules.
  double integral(double t, double h) const;

  /// Mean over a span of time, or the value at a span that has no length.
  double mean(double from, double to) const {
    return to > from ? integral(from, to - from) / (to - from) : (*this)(from);
  }

private:
  double integral(double t, double h, double resolution, int halvings, int& spans) const;

  double constant_ = 0;
  std::function<double(double)> f_;
  std::function<double(double t, double pace, Still)> rate_; ///< where time goes at that pace
};

inline double TimeFunction::rate(double t) const {
  if (is_constant())
    return 0;
  // Roots and arcs at their ends, 0/0 at a kink: seen from as near as the function allows.
  const double size = std::max(1.0, std::abs(t));
  for (const int pace : {1, -1}) {
    if (pace > 0 && t <= 0)
      continue;
    for (const Still still : {Still::unknown, Still::still})
      for (const double away : {0.0, 1e-15, 1e-12, 1e-9, 1e-6})
        if (const double found = pace * rate_(t - pace * away * size, pace, still); std::isfinite(found))
          return found;
  }
  return 0; // what is no number before and after cannot move
}

} // namespace emmy
