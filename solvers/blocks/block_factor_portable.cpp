#include "solvers/blocks/block_factor.inl"
