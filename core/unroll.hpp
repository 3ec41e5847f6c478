#pragma once
/// Loops whose index is a constant in every turn, for those that a compiler finds too long to unroll by itself. Packs
/// then stay in registers, and what the index decides is decided at compile time.

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
