#pragma once
/// Closest points of points, segments and facets. Pure functions of points. They hold for facets and segments without
/// extent and for parallel segments, and never divide by what may vanish.

#include "core/types.hpp"

#include <array>

namespace emmy::contact {

/// Parameter in [0, 1] of the point of the segment a + t (b - a) that is closest to p; 0 if a = b.
double closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

/// Closest points a[0] + s (a[1] - a[0]) and b[0] + t (b[1] - b[0]) of two segments; of parallel ones an end of either.
struct ClosestOfSegments {
  Vec3 on_a, on_b;
  double s = 0, t = 0;
  double distance_squared = 0;

  /// Whether neither is at an end.
  bool crossing() const { return s > 0 && s < 1 && t > 0 && t < 1; }
};
ClosestOfSegments closest_of_segments(const std::array<Vec3, 2>& a, const std::array<Vec3, 2>& b);

/// Which part of a facet a point is on. Edge i runs from vertex i to the next.
enum class FacetPart { face, edge, vertex };

/// Closest point sum N_a x_a of a facet [C11].
struct ClosestOnFacet {
  Vec3 at;
  std::array<double, 4> N{};
  FacetPart part = FacetPart::face;
  int number = 0; ///< of the edge or vertex
  double distance_squared = 0;
};
ClosestOnFacet closest_on_triangle(const Vec3& p, const std::array<Vec3, 3>& x);

/// Of a bilinear facet, which may be warped: a minimum inside, or on the edges, whichever is closer.
ClosestOnFacet closest_on_quad(const Vec3& p, const std::array<Vec3, 4>& x);

/// Normal of a bilinear facet with the weights N, not of unit length; zero where it has none.
Vec3 quad_normal(const std::array<Vec3, 4>& x, const std::array<double, 4>& N);

} // namespace emmy::contact
