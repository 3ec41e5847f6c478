#pragma once
/// Derivatives by differences, for comparison with those that elements compute.

#include "verification/support/compare.hpp"

#include <cmath>

namespace emmy::test {

/// Step at which truncation and rounding of central differences are alike, for functions that change at scale one.
inline double difference_step() {
  return std::cbrt(eps);
}

/// Error of central differences per unit of the function, STYLE section 6.
inline double difference_error() {
  return 10 * std::pow(eps, 2.0 / 3);
}

/// Derivative of f along entry i of x, from central differences of the steps d and 2 d: extrapolated, so that
/// truncation does not matter even where f changes much faster than at scale one, as do director bodies that turn by
/// almost pi.
template <class F>
MatX difference(VecX& x, Index i, double d, const F& f) {
  const double middle = x[i];
  const auto central = [&](double step) {
    x[i] = middle + step;
    const double above = x[i];
    const MatX f_above = f();
    x[i] = middle - step;
    const double below = x[i];
    const MatX f_below = f();
    x[i] = middle;
    return MatX((f_above - f_below) / (above - below)); // the distance that rounding left
  };
  return (4 * central(d) - central(2 * d)) / 3;
}

} // namespace emmy::test
