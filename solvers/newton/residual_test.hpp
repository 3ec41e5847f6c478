#pragma once
/// Ends an iteration by its residual, which is brought down to its rounding floor. The assembler knows the floor from
/// the size of the terms that cancel. An iteration that no longer makes progress within a narrow band above the floor
/// has converged as well; one that stalls higher up has failed.

#include "solvers/assembly/assembler.hpp"

namespace emmy {

class ResidualTest {
public:
  /// `tolerance` is that of NewtonOptions.
  ResidualTest(Assembler& assembler, double tolerance, int max_iterations);

  void begin();
  /// The same within a step, whose last correction is still known.
  void begin_again();

  /// Of the last evaluation, at an iterate that was accepted; a reason as SNES has them.
  SNESConvergedReason judge(PetscInt iteration);
  /// True if the last residual that was judged is converged by this test.
  bool is_converged() const { return is_converged_; }
  void accept() { is_converged_ = true; }
  /// True if the next residual is expected to be the last: its tangent would be for nothing.
  bool is_nearly_done() const { return is_nearly_done_; }
  /// Says whether the last correction was shortened by a line search: it gains little anywhere.
  void note_shortened(bool shortened) { was_shortened_ = shortened; }

  /// Relative residual that is wanted.
  double wanted() const;
  /// True if the last evaluation is at most so many times above its rounding floor.
  bool is_near_floor(double band) const;
  /// Relative residual of rounding.
  static double floor();
  /// How far above its floor a residual that no longer falls is at the floor: the conditioning of the linear solve adds
  /// that much to the rounding of the residual itself.
  static constexpr double stall_band = 1e4;

  /// Relative residual before the first and after each iteration.
  const std::vector<double>& residuals() const { return residuals_; }

private:
  bool is_balanced(bool stalled, bool last) const;
  double excess_of(double residual) const { return residual / wanted(); } ///< at most 1 is converged
  double predicted(std::size_t k) const;

  Assembler& assembler_;
  double tolerance_;
  int max_iterations_;
  std::vector<double> residuals_;
  double last_excess_ = 0; ///< after the previous iteration
  bool is_converged_ = false, is_nearly_done_ = false, was_shortened_ = false;
  bool measures_again_ = false; ///< the terms that cancel, at the next iterate
};

} // namespace emmy
