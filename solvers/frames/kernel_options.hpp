#pragma once

#include "solvers/blocks/block_factor.hpp"

namespace emmy {

/// How kernels are run. Results agree to rounding.
struct KernelOptions {
  Instructions instructions = best_instructions();
  bool packs = true;     ///< four elements at a time, otherwise one
  bool batches = true;   ///< otherwise every element by itself, through its own equations
  bool condenses = true; ///< bodies are eliminated as they are evaluated, where that is possible
};

} // namespace emmy
