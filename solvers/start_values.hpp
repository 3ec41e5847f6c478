#pragma once
/// Start values for Newton's method from the steps before: the increments extrapolated by backward differences of up to
/// fifth order, that order which would have told the last step best; multipliers linearly, since they ring. What is
/// remembered lives in State::memory, so that a run which continues from a stored state takes the same steps.

#include "solvers/step_norm.hpp"

namespace emmy {

class StartValues {
public:
  static constexpr int most_differences = 6; ///< values themselves included

  /// `cold` rows always start from zero.
  StartValues(const StepNorm& norm, std::vector<Index> cold);

  /// Numbers it keeps.
  Index memory_size() const { return header + most_differences * rows_; }

  /// Overwrites x with extrapolated values if enough steps of length h came before; otherwise leaves it alone.
  void extrapolate(const double* memory, double h, double* x) const;
  /// Remembers the solution of a step of length h.
  void remember(double* memory, double h, const double* x) const;

private:
  // State::memory: length of the steps, how many there are, the order that was best, then the differences.
  static constexpr Index header = 3;

  Index rows_;
  VecX weight_;
  VecX high_order_; // 1 for increments, 0 for multipliers
  std::vector<Index> cold_;
};

} // namespace emmy
