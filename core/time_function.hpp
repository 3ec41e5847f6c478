#pragma once
/// A number that a user prescribes as a function of time: the angle of a motor, the size of a load.

#include <functional>
#include <utility>

namespace emmy {

class TimeFunction {
public:
  TimeFunction(double constant = 0) : constant_(constant) {} // NOLINT: a number is a function of time
  explicit TimeFunction(std::function<double(double)> f) : f_(std::move(f)) {}

  double operator()(double t) const { return f_ ? f_(t) : constant_; }
  bool is_constant() const { return !f_; }

  /// Derivative by time [1/s], from extrapolated differences over 7 ms and less: some ten digits where the function is
  /// smooth. Near t = 0 only later times are asked for; at a kink only earlier ones, so that the rate changes there at
  /// once and not over some steps.
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
  enum class Side { before, both, after };
  double slope(double t, Side side) const;
  bool has_kink(double t) const;
  double integral(double t, double h, double resolution, int halvings, int& spans) const;

  double constant_ = 0;
  std::function<double(double)> f_;
};

} // namespace emmy
