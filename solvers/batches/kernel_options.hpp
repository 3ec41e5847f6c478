#pragma once

#include "core/instructions.hpp"

namespace emmy {

/// How kernels are run. Results agree to rounding.
struct KernelOptions {
  Instructions instructions = best_instructions();
  bool packs = true;     ///< four elements at a time, otherwise one
  bool batches = true;   ///< otherwise every element by itself, through its own equations
  bool condenses = true; ///< bodies are eliminated as they are evaluated, where that is possible
};

/// Kernels that are compiled for four elements at a time and for one.
template <class Kernels>
struct KernelPair {
  const Kernels& packed;
  const Kernels& single;
};
template <class Kernels>
const Kernels& choose(const KernelOptions& options, KernelPair<Kernels> portable, KernelPair<Kernels> avx2) {
  const KernelPair<Kernels> pair = options.instructions == Instructions::avx2 ? avx2 : portable;
  return options.packs ? pair.packed : pair.single;
}

} // namespace emmy
