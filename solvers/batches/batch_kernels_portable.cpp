// One element at a time: where packs of four are two instructions each, they are slower.
using KernelNumber = double;
#include "solvers/batches/batch_kernels.inl"
