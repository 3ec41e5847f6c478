#include "solvers/newton/choose_vector_kernels.hpp"

namespace emmy {

namespace portable {
extern const VectorKernels vectors;
} // namespace portable
#ifdef EMMY_AVX2
namespace avx2 {
extern const VectorKernels vectors;
} // namespace avx2
#else
namespace avx2 = portable;
#endif

const VectorKernels& vector_kernels(Instructions instructions) {
  return instructions == Instructions::avx2 ? avx2::vectors : portable::vectors;
}

} // namespace emmy
