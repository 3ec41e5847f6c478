#pragma once
/// Sums over many steps that do not lose what rounding drops.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// sum += by + lost, where `lost` is what earlier additions lost. It becomes exactly what this addition loses, whether
/// `sum` or `by` is the larger. For numbers, packs of them and vectors of fixed size.
template <class Vector>
EMMY_INLINE void add_without_loss(const Vector& by, Vector& sum, Vector& lost) {
  const Vector before = sum, whole = by + lost;
  sum = before + whole;
  const Vector added = sum - before;
  lost = (before - (sum - added)) + (whole - added);
}

} // namespace EMMY_ISA
} // namespace emmy
