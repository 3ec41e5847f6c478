#pragma once

#include "core/instructions.hpp"
#include "solvers/newton/vector_kernels.hpp"

namespace emmy {

const VectorKernels& vector_kernels(Instructions instructions);

} // namespace emmy
