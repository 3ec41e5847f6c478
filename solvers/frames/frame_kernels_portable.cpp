#include "solvers/frames/frame_kernels.inl"
