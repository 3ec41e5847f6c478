#pragma once
/// Kernels of the numerical factorisation, compiled for every processor and for those with AVX2.

#include "core/instructions.hpp"
#include "solvers/linear/block_program.hpp"

namespace emmy {

const BlockKernels& block_kernels(Instructions instructions);

} // namespace emmy
