// Compiled with AVX2 and FMA; without them, there is no second set of kernels.
#if defined(__AVX2__) && defined(__FMA__)
#include "core/pack.hpp"

namespace emmy {
using Numbers = Pack;
}

#include "solvers/condensation/affine_kernels.inl"
#endif
