#include "solvers/condensation/frame_condensation_kernels.inl"
