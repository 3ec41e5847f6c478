#pragma once
/// Semismooth Newton method for contacts with friction: [Q9], [Q12], [R10] to [R12].

#include "contact/problem/impulse_equations.hpp"

#include <array>

namespace emmy::contact {

class Semismooth {
public:
  /// `r` is where to start from, and the best that was found; `residual` that of it. Goes on below the tolerance for
  /// as long as that gains much. Returns the number of iterations, of which there are at most `most`.
  int solve(const Island& island, ImpulseEquations& equations, double tolerance, int most, Vectors& r,
            Residual& residual);

private:
  bool find_step(const Island& island, ImpulseEquations& equations, double epsilon);
  /// Accepts the longest part of the step that the search allows. Returns whether there is one.
  bool search(const Island& island);

  static constexpr std::size_t window = 8; ///< of merits that the search looks back on [R12]

  Vectors r_, u_;
  Vectors r_trial_, u_trial_, step_, W_step_, b_;
  std::vector<Mat3> S_;
  std::array<double, window> merits_{};
  std::size_t merit_count_ = 0;
  double merit_ = 0;
};

} // namespace emmy::contact
