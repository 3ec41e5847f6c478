#include "solvers/blocks/vector_kernels.inl"
