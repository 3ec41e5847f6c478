#pragma once
/// Ends an iteration by its increments. How fast they shrink is measured, |dz_2| = C |dz_1| (|dz_1| + |dmu_1|):
/// equations are bilinear in increments and multipliers. A step is done when what C predicts to be left is below
/// rounding of the step: it is not evaluated once more to see that. A tangent is kept for a second iteration if it is
/// good enough. Energy errs by residual times increment, with the same sign in many steps, so nothing is gained by
/// stopping earlier. Each part of a model is judged by itself. Where something is switched on and off, nothing is
/// predicted: an iteration must show that it does not move any more.

#include "solvers/assembly/assembler.hpp"
#include "solvers/newton/bending.hpp"
#include "solvers/newton/findings.hpp"
#include "solvers/newton/linear_system.hpp"
#include "solvers/newton/step_norm.hpp"

namespace emmy {

class IncrementTest {
public:
  IncrementTest(const Assembler& assembler, const StepNorm& norm, Findings& findings);

  /// A step of length h from `n`.
  void begin(const State& n, double h);

  /// Looks at the equations of the first iterate.
  void note_start();
  /// Measures dx; false if it is not finite.
  bool measure(const Iterate& at);
  /// x <- x - dx, and how large the increments of the step are there.
  void advance(Iterate& at) { norm_.advance(at.x.data(), at.dx.data(), size_); }

  enum class Verdict {
    done,  ///< what is left is below rounding
    chord, ///< another iteration, with the same tangent
    newton ///< another iteration
  };
  /// Of the increments that were measured, found in this iteration by `system`, with new factors if `fresh`.
  Verdict judge(int iteration, bool fresh, const LinearSystem& system);
  /// True if increments were small and no longer shrank when they were judged last.
  bool stands() const { return stands_; }
  /// True if the iterate makes no sense any more. The assembler then has to say so, which it does only where it
  /// evaluates the whole matrix.
  bool is_wild() const;

private:
  bool is_regularised() const { return assembler_.epsilon() > 0; }
  void measure_coordinates(const State& n);
  void note_contraction(std::size_t part);
  double expected_rate(std::size_t part) const;

  const Assembler& assembler_;
  const StepNorm& norm_;
  Findings& findings_;
  Bending bending_;
  std::vector<bool> is_pushed_; ///< parts in which something only pushes
  double step_length_ = 0;
  bool stands_ = false;
  std::vector<StepNorm::Size> moved_, moved_before_;
  std::vector<double> size_; ///< of the increments of the step
  std::vector<StepNorm::Force> forces_;
  VecX coordinates_;
};

} // namespace emmy
