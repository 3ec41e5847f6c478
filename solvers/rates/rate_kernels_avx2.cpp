#if defined(__AVX2__) && defined(__FMA__)
#include "solvers/rates/rate_kernels.inl"
#endif
