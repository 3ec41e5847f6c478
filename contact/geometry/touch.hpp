#pragma once
/// Where a point is nearest to the surface of a simple shape. Pure functions of points, all in one frame; a ball is
/// its centre, with its radius taken off the distance.

#include "core/types.hpp"

#include <array>

namespace emmy::contact {

/// The surface nearest to a point p: p = at + distance * normal.
struct Touch {
  Vec3 at;                             ///< on the surface [m]
  Vec3 normal;                         ///< of the surface there, of unit length; away from what is solid
  double distance;                     ///< [m]; negative inside what is solid
  bool at_corner = false;              ///< at a vertex, or the end of a capsule
  int facet = -1;                      ///< of a mesh
  std::array<double, 4> N{1, 0, 0, 0}; ///< weights of the corners of the facet
};

/// Length and direction of d. The direction is `fallback` where d is zero, or so small that its square underflows.
struct Direction {
  double length;
  Vec3 along;
};
Direction direction_of(const Vec3& d, const Vec3& fallback);

/// Some unit vector across d, of any length; z for d = 0.
Vec3 any_across(const Vec3& d);

Touch touch_sphere(const Vec3& p, const Vec3& centre, double radius);

/// The inside of a sphere.
Touch touch_shell(const Vec3& p, const Vec3& centre, double radius);

/// Solid where normal . x < offset; the normal has unit length.
Touch touch_plane(const Vec3& p, const Vec3& normal, double offset);

/// All points within a radius of the segment from a to b.
Touch touch_capsule(const Vec3& p, const Vec3& a, const Vec3& b, double radius);

/// A box about the origin along the axes. From outside the nearest point of a face, edge or vertex; from inside that of
/// the nearest face, the first of them where several are as near.
Touch touch_box(const Vec3& p, const Vec3& half);

/// Walls of a room and faces of a box are numbered 2 * axis, + 1 on the positive side.
constexpr int box_faces = 6;
inline double side_of_face(int face) {
  return face % 2 ? 1 : -1;
}

/// Wall of a room about the origin along the axes, as a plane that goes on beyond its edges.
Touch touch_wall(const Vec3& p, const Vec3& half, int wall);

/// Corners of a box about the origin: bit i of the number is set on the positive side of axis i.
constexpr int box_corners = 8;
inline Vec3 corner_of_box(const Vec3& half, int corner) {
  return {corner & 1 ? half.x() : -half.x(), corner & 2 ? half.y() : -half.y(), corner & 4 ? half.z() : -half.z()};
}

/// A vertex or an edge is a place of its own as long as the distance does not get less with a slope steeper than this
/// along what it ends: else that is nearer. Well above 0, since bodies that lie flat must be held at all corners.
constexpr double steepest = 0.5;

/// Whether a direction out of a box, in its axes, leaves it at a corner rather than at what is beside it.
bool leaves_box(const Vec3& out, int corner);

} // namespace emmy::contact
