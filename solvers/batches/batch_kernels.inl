// All kernels of batch_program.hpp for one set of instructions, with KernelNumber as their number.
#define EMMY_KERNELS(E)
#include "elements/kernels.inl" // what there is
#undef EMMY_KERNELS
#include "solvers/batches/frame_kernels.inl"
#include "solvers/batches/pair_kernels.inl"
// which these use
#include "solvers/batches/natural_kernels.inl"
#include "solvers/batches/turn_kernels.inl"

namespace emmy {
inline namespace EMMY_ISA {

namespace {
constexpr PairKernels all_pairs[] = {
#define EMMY_KERNELS(E) kernels_of<E, KernelNumber>(),
#include "elements/kernels.inl"
#undef EMMY_KERNELS
};
} // namespace

extern const BatchKernels batch_kernels;
const BatchKernels batch_kernels{Lanes<KernelNumber>::count, frame_kernels<KernelNumber>, all_pairs,
                                 sizeof all_pairs / sizeof *all_pairs, count_turns<KernelNumber>};

} // namespace EMMY_ISA
} // namespace emmy
