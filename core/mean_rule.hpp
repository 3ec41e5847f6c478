#pragma once
/// The mean rule of the conserving step, templated on the number: the mean of the rates at both ends of a step is its
/// increment over its length [D11], [T11]. For numbers, packs of them and vectors of either kind.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Half of what a rate gains in the step: z/h - rate. Residuals and updates use the same difference, to the last bit:
/// written otherwise, rounding makes energy drift.
template <class T>
EMMY_INLINE T half_gain(const T& rate, const T& increment, double inv_h) {
  return inv_h * increment - rate;
}

/// Rate at the end of the step.
template <class T>
EMMY_INLINE T rate_at_end(const T& rate, const T& increment, double inv_h) {
  return rate + 2.0 * half_gain(rate, increment, inv_h);
}

/// Increment of the step where both rates are known.
template <class T>
EMMY_INLINE T increment_between(const T& rate, const T& at_end, double h) {
  return (0.5 * h) * (rate + at_end);
}

} // namespace EMMY_ISA
} // namespace emmy
