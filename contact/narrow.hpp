#pragma once
/// Narrow phase: from two surfaces that are placed in space to the points at which they are near each other.

#include "contact/point.hpp"
#include "contact/scene.hpp"

#include <vector>

namespace emmy::contact {

/// Two surfaces of a scene that may meet, a < b.
struct SurfacePair {
  int a = 0, b = 0;
  int rule = -1;

  bool operator<(const SurfacePair& other) const { return a != other.a ? a < other.a : b < other.b; }
  bool operator==(const SurfacePair& other) const { return a == other.a && b == other.b && rule == other.rule; }
};

/// Whether two kinds can touch at all. Two of half spaces, shells and rooms cannot, nor can two curves or sets of
/// points without thickness.
bool can_meet(const Geometry& a, const Geometry& b);

/// Appends all points of two surfaces that are within `margin` >= 0 of each other, those of overlap included, sorted by
/// key. A pure function of the placements. Which of the two is the slave follows from their kinds.
void near_points(const Scene& scene, const SurfacePair& pair, const Placed& place_a, const Placed& place_b,
                 double margin, std::vector<ContactPoint>& out);

} // namespace emmy::contact
