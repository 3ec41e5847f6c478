#pragma once
/// Blocks of a matrix are asked for before it is their turn, where they are too many for the caches and lie so that the
/// processor does not foresee them: only for sources of kernels.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Inline, since the compiler takes what only fetches for something without any effect.
EMMY_INLINE void fetch(const double* block, int numbers) {
  constexpr int numbers_of_line = 8;
  for (int k = 0; k < numbers; k += numbers_of_line)
    __builtin_prefetch(block + k);
}

} // namespace EMMY_ISA
} // namespace emmy
