#include "solvers/frames/condensation_kernels.inl"
