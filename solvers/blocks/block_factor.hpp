#pragma once
/// Kernels of the numerical factorisation, compiled for every processor and for those with AVX2.

#include "solvers/blocks/block_program.hpp"

namespace emmy {

/// Which instructions kernels are compiled to. Results differ by rounding.
enum class Instructions { portable, avx2 };

/// The best that this processor has.
Instructions best_instructions();

const BlockKernels& block_kernels(Instructions instructions);
const VectorKernels& vector_kernels(Instructions instructions);

} // namespace emmy
