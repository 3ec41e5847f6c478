#include "solvers/start_values.hpp"

#include <algorithm>

namespace emmy {

StartValues::StartValues(const StepNorm& norm, std::vector<Index> cold, Index findings, Instructions instructions)
    : rows_(norm.weights().size()), findings_(findings), weight_(norm.weights()), cold_(std::move(cold)),
      instructions_(instructions) {
  is_increment_ = (weight_.array() > 0).cast<double>();
  for (Index row = 0; row < rows_; ++row)
    if (weight_[row] > 0)
      increments_end_ = row + 1;
}

bool StartValues::extrapolates(const double* memory, double h) const {
  return memory[0] == h && memory[1] >= 2 && memory[2] >= 0;
}

void StartValues::extrapolate(const double* memory, double h, double* x) const {
  if (memory[0] != h || memory[1] < 2)
    return;
  const VectorKernels& kernels = vector_kernels(instructions_);
  const double* kept = memory + header + findings_;
  const Index end = increments_end_;
  const double trusted = memory[1] >= multiplier_differences ? 1 : 0;
  kernels.extrapolate(kept, is_increment_.data(), rows_, end, static_cast<int>(memory[2]), trusted, x);
  kernels.extrapolate(kept + end, is_increment_.data() + end, rows_, rows_ - end, 1, trusted, x + end);
  for (const Index row : cold_)
    x[row] = 0;
}

void StartValues::remember(double* memory, double h, const double* findings, const double* solution,
                           double free_error) const {
  std::copy(findings, findings + findings_, memory + header);
  const int known = memory[0] == h ? static_cast<int>(memory[1]) : 0;
  double error[most_differences + 1] = {};
  const VectorKernels& kernels = vector_kernels(instructions_);
  double *kept = memory + header + findings_, unused[most_differences + 1];
  const Index end = increments_end_;
  kernels.difference(weight_.data(), solution, kept, rows_, end, known, most_differences, error);
  kernels.difference(weight_.data() + end, solution + end, kept + end, rows_, rows_ - end,
                     std::min(known, multiplier_differences), multiplier_differences, unused);
  // error[k]: square of the k-th difference, by which extrapolation of order k - 1 has missed this step
  int best = -1;
  double least = free_error * free_error;
  for (int k = 0; k < std::min(known, most_differences); ++k)
    if (error[k + 1] < least) {
      least = error[k + 1];
      best = k;
    }
  memory[0] = h;
  memory[1] = std::min(known + 1, most_differences);
  memory[2] = best;
}

} // namespace emmy
