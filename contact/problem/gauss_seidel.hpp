#pragma once
/// Sweeps over contacts, each solved alone by [R9] with the others as they are.

#include "contact/problem/impulse_equations.hpp"

namespace emmy::contact {

class GaussSeidel {
public:
  /// `r` is where to start from, and the best that was found; `residual` that of it. Returns the number of sweeps.
  /// `equations` are used for their W where there are no bodies.
  int solve(const Island& island, const ImpulseEquations& equations, double tolerance, int most, Vectors& r,
            Residual& residual);

private:
  void sweep(const Island& island, const ImpulseEquations& equations, bool backwards);

  Vectors r_, u_;         ///< u without bodies: kept up to date
  std::vector<double> v_; ///< mean velocities of bodies that r_ causes
};

} // namespace emmy::contact
