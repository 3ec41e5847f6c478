#pragma once
/// Distances between the centres of bodies whose points a joint holds together, at the start of a step: that part of
/// its constraint which is made of absolute coordinates. Neighbours are subtracted before anything is added, which is
/// exact where coordinates are large, and what the coordinates have lost by rounding is made good: far from the origin
/// joints are evaluated as well as near it.

#include <vector>

namespace emmy {

struct CentreDistance {
  int from, to;  ///< values of the two centres in State, -1 for the ground
  int at;        ///< where it is written to
  double factor; ///< of the constraint
};

/// Overwrites three numbers of `out` for each.
inline void write_distances(const std::vector<CentreDistance>& distances, const double* values, const double* lost,
                            double* out) {
  constexpr double origin[3] = {};
  for (const CentreDistance& d : distances) {
    const double *x_a = d.from < 0 ? origin : values + d.from, *lost_a = d.from < 0 ? origin : lost + d.from;
    const double *x_b = d.to < 0 ? origin : values + d.to, *lost_b = d.to < 0 ? origin : lost + d.to;
    for (int i = 0; i < 3; ++i)
      out[d.at + i] = d.factor * ((x_b[i] - x_a[i]) + (lost_b[i] - lost_a[i]));
  }
}

} // namespace emmy
