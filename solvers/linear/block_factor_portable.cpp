#include "solvers/linear/block_factor.inl"
