#pragma once
/// Sums over many steps that do not lose what rounding drops.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// sum += by, with what earlier additions lost made good; `lost` becomes exactly what this one lost, whichever of the
/// two is larger. For numbers, packs of them and vectors of fixed size.
template <class Vector>
EMMY_INLINE void add_without_loss(const Vector& by, Vector& sum, Vector& lost) {
  const Vector before = sum, whole = by + lost;
  sum = before + whole;
  const Vector added = sum - before;
  lost = (before - (sum - added)) + (whole - added);
}

} // namespace EMMY_ISA
} // namespace emmy
