#pragma once
/// At the start of a step: distances between the centres of bodies that a joint holds together, or from a point on the
/// ground. They are that part of its constraint which is made of absolute coordinates. Neighbours are subtracted before
/// anything is added, which is exact where coordinates are large, and what coordinates lost by rounding is made good.
/// So joints are evaluated as well far from the origin as near it.

#include "core/types.hpp"

#include <vector>

namespace emmy {

class CentreDistances {
public:
  /// Either end of a distance: the centre of a body or, if that has no values in State, a point on the ground.
  struct End {
    Index value;
    Vec3 point;
  };

  /// factor * (to - from), to be written to three numbers from `at` on.
  void add(const End& from, const End& to, double factor, int at) {
    distances_.push_back({place_of(from), place_of(to), at, factor});
  }

  void write(const double* values, const double* remainders, double* out) const {
    constexpr double nothing[3] = {};
    for (const Distance& d : distances_) {
      const double* x_a = d.from < 0 ? points_[point_of(d.from)].data() : values + d.from;
      const double* x_b = d.to < 0 ? points_[point_of(d.to)].data() : values + d.to;
      const double *lost_a = d.from < 0 ? nothing : remainders + d.from,
                   *lost_b = d.to < 0 ? nothing : remainders + d.to;
      for (int i = 0; i < 3; ++i)
        out[d.at + i] = d.factor * ((x_b[i] - x_a[i]) + (lost_b[i] - lost_a[i]));
    }
  }

private:
  struct Distance {
    int from, to; ///< values in State; below zero, points
    int at;
    double factor;
  };
  static std::size_t point_of(int place) { return static_cast<std::size_t>(-1 - place); }
  int place_of(const End& end) {
    if (end.value >= 0)
      return static_cast<int>(end.value);
    points_.push_back(end.point);
    return -static_cast<int>(points_.size());
  }

  std::vector<Distance> distances_;
  std::vector<Vec3> points_;
};

} // namespace emmy
