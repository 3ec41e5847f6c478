// Four side by side on every processor: what is kept of a run has their layout.
#include "solvers/rates/rate_kernels.inl"
