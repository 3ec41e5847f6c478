#pragma once
/// All places where two boxes are near each other. A pure function of the boxes.
///
/// The axis of greatest separation is sought among the normals of faces and the products of edges. Where it is the
/// normal of a face, the face of the other box that looks at it is clipped: what is left has as vertices corners of one
/// box above or below a face of the other, and crossings of two edges. All of them have the normal of the face, so that
/// a box that rests on another is held by its whole face, also where a corner sticks out. Where two faces are parallel
/// to rounding, the first box has the reference face; where an edge product and a face are, it is the face: else
/// rounding would decide from step to step (pitfall 8 of [R]). Where it is a product of edges, there is the one
/// crossing.
///
/// Boxes that are apart, but with no face above the other, are nearest at corners and edges; these are then found one
/// by one.

#include "contact/geometry/touch.hpp"

#include <array>

namespace emmy::contact {

struct PlacedBox {
  Vec3 centre;
  Mat3 axes; ///< as columns
  Vec3 half;

  Vec3 point(const Vec3& at) const { return centre + axes * at; }
  Vec3 coordinates(const Vec3& point) const { return axes.transpose() * (point - centre); }
};

/// Edges are numbered 4 * axis + the signs along the other two axes: bit 0 is set on the positive side of the next axis
/// (after z comes x), bit 1 of the one after.
constexpr int box_edges = 12;
std::array<int, 2> ends_of_edge(int edge); ///< corners, the one on the negative side first

struct BoxPoint {
  enum class Kind { corner_of_a, corner_of_b, edges };
  Kind kind = Kind::edges;
  int a = -1, b = -1; ///< corner or edge of each; -1 for the box that a corner of the other is near
  Vec3 on_a, on_b;
  Vec3 normal; ///< from a to b
  double gap = 0;

  bool same_feature(const BoxPoint& other) const { return kind == other.kind && a == other.a && b == other.b; }
};

struct BoxManifold {
  static constexpr int most =
      32; ///< eight corners of each, and a crossing at each of the eight sides of a clipped face
  std::array<BoxPoint, most> points;
  int count = 0;

  const BoxPoint* begin() const { return points.data(); }
  const BoxPoint* end() const { return points.data() + count; }
  /// Adds a point; what has the same features is replaced.
  void put(const BoxPoint& point);
};

/// All points with gaps up to `margin` >= 0.
void box_box(const PlacedBox& a, const PlacedBox& b, double margin, BoxManifold& out);

} // namespace emmy::contact
