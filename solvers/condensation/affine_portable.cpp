// One body at a time: a pack of four that is two instructions everywhere is slower than that.
#include "core/pack.hpp"

namespace emmy {
using Numbers = double;
}

#include "solvers/condensation/affine_kernels.inl"
