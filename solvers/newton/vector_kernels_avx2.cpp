// Compiled with AVX2 and FMA; without them, there is no second set of kernels.
#if defined(__AVX2__) && defined(__FMA__)
#include "solvers/newton/vector_kernels.inl"
#endif
