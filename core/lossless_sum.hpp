#pragma once
/// Sums over many steps that do not lose what rounding drops.

namespace emmy {

/// sum += by, with what earlier additions lost made good; `lost` becomes exactly what this one lost, whichever of the
/// two is larger. For vectors of fixed size.
template <class Vector>
void add_without_loss(const Vector& by, Vector& sum, Vector& lost) {
  const Vector before = sum, whole = by + lost;
  sum = before + whole;
  const Vector added = sum - before;
  lost = (before - (sum - added)) + (whole - added);
}

} // namespace emmy
