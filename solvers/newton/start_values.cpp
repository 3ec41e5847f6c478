#include "solvers/newton/start_values.hpp"

#include "solvers/newton/choose_vector_kernels.hpp"

#include <algorithm>
#include <iterator>

namespace emmy {

namespace {

/// Redundant multipliers are continued if those of the last steps differ by no more than this factor: next to a
/// singular configuration those of one step may be a thousand times as large as of any other. What is mostly rounding
/// differs by less.
constexpr double most_different = 4;

} // namespace

StartValues::StartValues(const StepNorm& norm, std::vector<Index> redundant, Index findings, Instructions instructions)
    : rows_(norm.weights().size()), findings_(findings), weight_(norm.weights()), redundant_(std::move(redundant)),
      norm_(norm), instructions_(instructions) {
  is_increment_ = (weight_.array() > 0).cast<double>();
  for (Index row = 0; row < rows_; ++row)
    if (weight_[row] > 0)
      increments_end_ = row + 1;
}

bool StartValues::extrapolates(const double* memory, double h) const {
  return memory[0] == h && memory[1] >= 2 && memory[2] >= 0;
}

/// Part by part, in the order of redundant_: those of one are continued together or not at all.
void StartValues::restart_what_jumps(const double* memory, double* x) const {
  const double* kept = memory + header + findings_;
  for (auto begin = redundant_.begin(); begin != redundant_.end();) {
    const std::size_t part = norm_.part_of(*begin);
    double squares[multiplier_differences] = {}; // of the last steps
    auto end = begin;
    for (; end != redundant_.end() && norm_.part_of(*end) == part; ++end) {
      double difference[multiplier_differences];
      for (int k = 0; k < multiplier_differences; ++k)
        difference[k] = kept[k * rows_ + *end];
      for (int step = 0; step < multiplier_differences; ++step) {
        squares[step] += difference[0] * difference[0];
        for (int k = 0; k + 1 < multiplier_differences - step; ++k)
          difference[k] -= difference[k + 1]; // those of the step before
      }
    }
    const auto [least, most] = std::minmax_element(std::begin(squares), std::end(squares));
    if (*most > most_different * most_different * *least)
      std::for_each(begin, end, [&](Index row) { x[row] = 0; });
    begin = end;
  }
}

void StartValues::extrapolate(const double* memory, double h, double* x, bool continues_redundant) const {
  if (memory[0] != h || memory[1] < 2)
    return;
  const VectorKernels& kernels = vector_kernels(instructions_);
  const double* kept = memory + header + findings_;
  const Index end = increments_end_;
  const double trusted = memory[1] >= multiplier_differences ? 1 : 0;
  kernels.extrapolate(kept, is_increment_.data(), rows_, end, static_cast<int>(memory[2]), trusted, x);
  kernels.extrapolate_multipliers(kept + end, rows_, rows_ - end, trusted, x + end);
  if (continues_redundant && trusted > 0)
    return restart_what_jumps(memory, x);
  for (const Index row : redundant_)
    x[row] = 0;
}

void StartValues::remember(double* memory, double h, const double* findings, const double* solution,
                           double free_error) const {
  std::copy(findings, findings + findings_, memory + header);
  const int known = memory[0] == h ? static_cast<int>(memory[1]) : 0;
  double
      missed[most_differences]; // by extrapolation of each order, squared; of those that are known it means something
  const VectorKernels& kernels = vector_kernels(instructions_);
  double* kept = memory + header + findings_;
  const Index end = increments_end_;
  kernels.difference(weight_.data(), solution, kept, rows_, end, missed);
  kernels.difference_multipliers(solution + end, kept + end, rows_, rows_ - end);
  int best = -1;
  double least = free_error * free_error;
  for (int order = 0; order < known; ++order)
    if (missed[order] < least) {
      least = missed[order];
      best = order;
    }
  memory[0] = h;
  memory[1] = std::min(known + 1, most_differences);
  memory[2] = best;
}

} // namespace emmy
