#pragma once
/// What Newton's method has found out in the steps before, about a model and how it is solved. It is kept with the
/// start values in State::memory: a run that goes on from a stored state takes the same decisions.

#include "core/types.hpp"

#include <vector>

namespace emmy {

struct Findings {
  explicit Findings(std::size_t parts) : curvature(parts, unknown_curvature), rounding(parts), reactions(parts) {}

  long solves = 0;               ///< linear ones, so far
  long coordinates_measured = 0; ///< solves when the size of coordinates was last measured
  long checked = 0;              ///< solves when the accuracy of one was last measured
  long looked = 0;               ///< solves when two iterations were last compared
  /// Relative error of a linear solve, as last measured; with a proximal block, that of wrenches against the whole.
  double linear_error = 1;
  int linear_failures = 0; ///< steps in a row in which linear systems failed

  // of each part of the model
  std::vector<double> curvature; ///< C in |dz_2| = C |dz_1| (|dz_1| + |dmu_1|)
  std::vector<double> rounding;  ///< increments below it are rounding
  std::vector<double> reactions; ///< how far the reactions of a step move bodies

  /// Until convergence has been seen, any is possible; finite, so that no increment at all is none.
  static constexpr double unknown_curvature = 1e200;
  /// Solves after which the size of coordinates is measured again.
  static constexpr long coordinates_every = 256;

  bool knows_coordinates() const { return solves - coordinates_measured < coordinates_every; }

  static Index size(std::size_t parts) { return fixed + of_part * static_cast<Index>(parts); }
  /// With another number of failures, if linear systems are not solved any more as they were.
  void write(VectorRef out, int failures) const;
  void read(const double* from);
  /// As before the first step, but for linear failures, rounding and reactions: these are overwritten before use.
  void forget();

private:
  static constexpr Index fixed = 6;
  static constexpr Index of_part = 3;
};

} // namespace emmy
