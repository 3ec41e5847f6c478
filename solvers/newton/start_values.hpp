#pragma once
/// Start values for Newton's method from the steps before. Increments are extrapolated by backward differences, of the
/// order up to the fifth that would have told the last step best. Multipliers are extrapolated by parabolas and by what
/// changes sign from step to step: a constraint that was violated once rings on, and never forgets it. Redundant
/// multipliers jump near singular configurations; what is not continuous starts from zero. What is remembered lives in
/// State::memory, so a run that goes on from a stored state takes the same steps.

#include "solvers/newton/step_norm.hpp"
#include "solvers/newton/vector_kernels.hpp"

namespace emmy {

class StartValues {
public:
  /// `redundant` rows of multipliers, in the order of their parts of the model; `findings` is the size of what a solver
  /// has found out about a step.
  StartValues(const StepNorm& norm, std::vector<Index> redundant, Index findings, Instructions instructions);

  /// Numbers it keeps; all zero at first.
  Index memory_size() const { return header + findings_ + most_differences * rows_; }
  /// As before the first step.
  static void forget(double* memory) { memory[0] = memory[1] = 0; }
  /// True once a step has been remembered.
  static bool remembers(const double* memory) { return memory[1] > 0; }
  /// Where the findings are kept.
  static const double* findings(const double* memory) { return memory + header; }

  /// True if all of x will be overwritten by extrapolate().
  bool extrapolates(const double* memory, double h) const;
  /// Overwrites x with extrapolated values if enough steps of length h came before. Increments are left alone where
  /// free motion was the better guess. Redundant multipliers are extrapolated where they are continuous, if at all, and
  /// start from zero otherwise.
  void extrapolate(const double* memory, double h, double* x, bool continues_redundant) const;
  /// Remembers the findings of a step of length h and its solution, which free motion, h times the rates, had missed by
  /// `free_error` in the norm.
  void remember(double* memory, double h, const double* findings, const double* solution, double free_error) const;

private:
  // State::memory: length of the steps, how many there are, the order that was best, -1 for free motion, then findings
  // and differences, of which as many mean something as there are steps.
  static constexpr Index header = 3;

  void restart_what_jumps(const double* memory, double* x) const;

  Index rows_, findings_;
  Index increments_end_ = 0; // behind it there are multipliers alone
  const VecX& weight_;
  VecX is_increment_; // 1 for increments, 0 for multipliers
  std::vector<Index> redundant_;
  const StepNorm& norm_;
  Instructions instructions_;
};

} // namespace emmy
