// Compiled with AVX2 and FMA; without them, there is no second set of kernels.
#if defined(__AVX2__) && defined(__FMA__)
using KernelNumber = double __attribute__((vector_size(32))); // Pack of core/pack.hpp
#include "solvers/batches/batch_kernels.inl"
#endif
