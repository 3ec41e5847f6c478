#include "solvers/newton/vector_kernels.inl"
