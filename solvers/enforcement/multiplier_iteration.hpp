#pragma once
/// The iteration that finds all multipliers that are no unknowns of a system:
///   lambda <- lambda + B g(lambda),
/// with B an approximation of the inverse of -dg/dlambda: the regularised matrix of the explicit integrators [E11], the
/// stiffness r of an augmented Lagrangian around a whole Newton iteration [A4], or around one linear solve [A22].

namespace emmy {

enum class Judgement { go_on, converged, failed };

struct IterationOutcome {
  bool converged = false;
  int corrections = 0;
};

/// `residual(i)` makes g known for the multipliers after i corrections and judges it; `correct()` adds B g.
template <class Residual, class Correct>
IterationOutcome iterate_multipliers(int max_corrections, Residual residual, Correct correct) {
  for (int i = 0;; ++i) {
    const Judgement verdict = residual(i);
    if (verdict != Judgement::go_on || i == max_corrections)
      return {verdict == Judgement::converged, i};
    correct();
  }
}

} // namespace emmy
