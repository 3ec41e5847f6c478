#pragma once
/// Solves an island by the first of several methods that gets there (algorithm R).

#include "contact/problem/constraint_planes.hpp"
#include "contact/problem/gauss_seidel.hpp"
#include "contact/problem/interior_point.hpp"
#include "contact/problem/semismooth.hpp"
#include "contact/problem/solver.hpp"

namespace emmy::contact {

class Ladder {
public:
  /// `r` is where to start from, and the best that was found; `residual` that of it. Returns the number of iterations.
  /// If contacts press on one another without end, `jam` becomes the direction in which they do [R23]; otherwise it is
  /// empty.
  int climb(Island& island, const ContactSolverOptions& options, Vectors& r, Residual& residual, Vectors& jam);

private:
  void measure(const Island& island, const Vectors& r, Residual& residual);
  /// Interior point, polished by semismooth Newton.
  int by_interior_point(const Island& island, double good, Vectors& r, Residual& residual, Vectors& jam);

  ConstraintPlanes constraint_planes_;
  ImpulseEquations equations_;
  Semismooth semismooth_;
  InteriorPoint interior_point_;
  GaussSeidel gauss_seidel_;
  Vectors u_, trial_;
};

} // namespace emmy::contact
