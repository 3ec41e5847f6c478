#include "solvers/start_values.hpp"

#include <algorithm>

namespace emmy {

StartValues::StartValues(const StepNorm& norm, std::vector<Index> cold, Index findings, Instructions instructions)
    : rows_(norm.weights().size()), findings_(findings), weight_(norm.weights()), cold_(std::move(cold)),
      instructions_(instructions) {
  is_increment_ = (weight_.array() > 0).cast<double>();
}

bool StartValues::extrapolates(const double* memory, double h) const {
  return memory[0] == h && memory[1] >= 2 && memory[2] >= 0;
}

void StartValues::extrapolate(const double* memory, double h, double* x) const {
  if (memory[0] != h || memory[1] < 2)
    return;
  vector_kernels(instructions_)
      .extrapolate(memory + header + findings_, is_increment_.data(), rows_, static_cast<int>(memory[2]), x);
  for (const Index row : cold_)
    x[row] = 0;
}

void StartValues::remember(double* memory, double h, const double* findings, const double* solution,
                           double free_error) const {
  std::copy(findings, findings + findings_, memory + header);
  const int known = memory[0] == h ? static_cast<int>(memory[1]) : 0;
  double error[most_differences + 1] = {};
  vector_kernels(instructions_)
      .difference(weight_.data(), solution, memory + header + findings_, rows_, known, most_differences,
                  error);
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
