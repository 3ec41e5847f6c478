#pragma once
/// Loops whose index is a constant in every turn, for those that are too long for a compiler to do it by itself: then
/// packs stay in registers, and what an index decides is decided at compile time.

#include "core/pack.hpp"

#include <type_traits>
#include <utility>

namespace emmy {
inline namespace EMMY_ISA {

template <class Act, int... I>
EMMY_INLINE void unroll(Act&& act, std::integer_sequence<int, I...>) {
  (act(std::integral_constant<int, I>()), ...);
}
/// act(i) for i from 0 to N - 1.
template <int N, class Act>
EMMY_INLINE void unroll(Act&& act) {
  unroll(act, std::make_integer_sequence<int, N>());
}

} // namespace EMMY_ISA
} // namespace emmy
