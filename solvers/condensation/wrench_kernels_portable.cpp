#include "solvers/condensation/wrench_kernels.inl"
