// Compiled with AVX2 and FMA; without them, there is no second set of kernels.
#if defined(__AVX2__) && defined(__FMA__)
#include "solvers/condensation/frame_condensation_kernels.inl"
#endif
