#pragma once
/// Loads of four bodies or of one: only for sources of kernels.

#include "elements/bodies/frame_equations.hpp"
#include "solvers/condensation/body_loads.hpp"
#include "solvers/condensation/side_by_side.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// `number(i)` is that of a body in its lane.
template <class T, class Number>
EMMY_INLINE FrameLoads<T> read_loads(const BodyLoads& of, Number number) {
  constexpr int numbers = sizeof(FrameLoads<double>) / sizeof(double);
  FrameLoads<T> loads;
  read<numbers>([&](int i) { return of.loads + numbers * number(i); }, reinterpret_cast<T*>(&loads));
  return loads;
}
template <class T, class Number>
EMMY_INLINE M3<T> read_turning(const BodyLoads& of, Number number) {
  M3<T> turning;
  for (int j = 0; j < 3; ++j)
    read<3>([&](int i) { return of.turning + turning_numbers * number(i) + 4 * j; }, turning.m + 3 * j);
  return turning;
}

} // namespace EMMY_ISA
} // namespace emmy
