#pragma once
/// A number with its rate by time. What a function makes of numbers it makes of these: its rate comes with its value,
/// exact to rounding.
///
/// At kinks rates are those of the time before: of two numbers that are equal now, the one that rises faster was the
/// smaller. Where time runs backwards, with a rate of -1, they are therefore those of the time after, with their signs
/// reversed.

#include <cmath>

namespace emmy {

/// What a slope without bounds makes of a number that stands still, as in the root of zero: not a number, or nothing.
/// The former tells a number that always stands still from one that turns back here, and has a kink.
enum class Still { unknown, still };

template <Still at_infinite_slopes>
struct DualOf {
  DualOf() = default;
  constexpr DualOf(double number, double its_rate = 0) : value(number), rate(its_rate) {} // NOLINT: numbers stand still

  double value;
  double rate; ///< [1/s]

  DualOf operator-() const { return {-value, -rate}; }
  friend DualOf operator+(const DualOf& x, const DualOf& y) { return {x.value + y.value, x.rate + y.rate}; }
  friend DualOf operator-(const DualOf& x, const DualOf& y) { return {x.value - y.value, x.rate - y.rate}; }
  friend DualOf operator*(const DualOf& x, const DualOf& y) {
    return {x.value * y.value, x.rate * y.value + x.value * y.rate};
  }
  friend DualOf operator/(const DualOf& x, const DualOf& y) {
    const double ratio = x.value / y.value;
    return {ratio, (x.rate - ratio * y.rate) / y.value};
  }
  friend bool operator<(const DualOf& x, const DualOf& y) { return x.value < y.value; }
  friend bool operator>(const DualOf& x, const DualOf& y) { return x.value > y.value; }

  friend DualOf sin(const DualOf& x) { return {std::sin(x.value), std::cos(x.value) * x.rate}; }
  friend DualOf cos(const DualOf& x) { return {std::cos(x.value), -std::sin(x.value) * x.rate}; }
  friend DualOf tan(const DualOf& x) {
    const double tangent = std::tan(x.value);
    return {tangent, (1 + tangent * tangent) * x.rate};
  }
  friend DualOf asin(const DualOf& x) { return {std::asin(x.value), x.times(1 / arc_root(x.value))}; }
  friend DualOf acos(const DualOf& x) { return {std::acos(x.value), x.times(-1 / arc_root(x.value))}; }
  friend DualOf atan(const DualOf& x) { return {std::atan(x.value), x.rate / (1 + x.value * x.value)}; }
  friend DualOf atan2(const DualOf& y, const DualOf& x) {
    const double r = std::hypot(x.value, y.value);
    return {std::atan2(y.value, x.value), y.times(x.value / r / r) - x.times(y.value / r / r)};
  }
  friend DualOf sqrt(const DualOf& x) {
    const double root = std::sqrt(x.value);
    return {root, x.times(0.5 / root)};
  }
  friend DualOf exp(const DualOf& x) {
    const double power = std::exp(x.value);
    return {power, power * x.rate};
  }
  friend DualOf log(const DualOf& x) { return {std::log(x.value), x.rate / x.value}; }
  friend DualOf log10(const DualOf& x) { return {std::log10(x.value), x.rate / x.value / std::log(10.0)}; }
  friend DualOf pow(const DualOf& x, const DualOf& y) {
    const double power = std::pow(x.value, y.value);
    double its_rate = x.times(y.value * std::pow(x.value, y.value - 1));
    if (y.rate != 0 && power != 0) // x^y ln x vanishes with x^y
      its_rate += power * std::log(x.value) * y.rate;
    return {power, its_rate};
  }
  friend DualOf abs(const DualOf& x) {
    const bool was_negative = x.value < 0 || (x.value == 0 && x.rate > 0);
    return {std::abs(x.value), was_negative ? -x.rate : x.rate};
  }
  friend DualOf min(const DualOf& x, const DualOf& y) {
    return y.value < x.value || (y.value == x.value && y.rate > x.rate) ? y : x;
  }
  friend DualOf max(const DualOf& x, const DualOf& y) {
    return x.value < y.value || (x.value == y.value && y.rate < x.rate) ? y : x;
  }
  friend DualOf sign(const DualOf& x) { return static_cast<double>((x.value > 0) - (x.value < 0)); }
  friend DualOf step(const DualOf& x) { return x.value < 0 ? 0.0 : 1.0; }

private:
  double times(double slope) const { return at_infinite_slopes == Still::still && rate == 0 ? 0 : slope * rate; }
  static double arc_root(double x) { return std::sqrt((1 - x) * (1 + x)); }
};

using Dual = DualOf<Still::unknown>;

/// -1, 0 or 1.
inline double sign(double x) {
  return (x > 0) - (x < 0);
}
/// 0 below zero, and 1 from there on.
inline double step(double x) {
  return x < 0 ? 0 : 1;
}

} // namespace emmy
