#include "solvers/blocks/block_factor.hpp"

namespace emmy {

namespace portable {
extern const BlockKernels kernels;
extern const VectorKernels vectors;
} // namespace portable
#ifdef EMMY_AVX2
namespace avx2 {
extern const BlockKernels kernels;
extern const VectorKernels vectors;
} // namespace avx2
#else
namespace avx2 = portable;
#endif

Instructions best_instructions() {
#ifdef EMMY_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return Instructions::avx2;
#endif
  return Instructions::portable;
}

const BlockKernels& block_kernels(Instructions instructions) {
  return instructions == Instructions::avx2 ? avx2::kernels : portable::kernels;
}

const VectorKernels& vector_kernels(Instructions instructions) {
  return instructions == Instructions::avx2 ? avx2::vectors : portable::vectors;
}

} // namespace emmy
