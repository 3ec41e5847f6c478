#include "solvers/linear/block_factor.hpp"

namespace emmy {

namespace portable {
extern const BlockKernels kernels;
} // namespace portable
#ifdef EMMY_AVX2
namespace avx2 {
extern const BlockKernels kernels;
} // namespace avx2
#else
namespace avx2 = portable;
#endif

const BlockKernels& block_kernels(Instructions instructions) {
  return instructions == Instructions::avx2 ? avx2::kernels : portable::kernels;
}

} // namespace emmy
