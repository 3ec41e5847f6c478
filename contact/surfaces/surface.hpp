#pragma once
/// Surfaces of bodies: plain geometry in body coordinates, from the centre of mass. Nothing here moves; where a surface
/// is at some time is said by `Placed`.

#include "contact/surfaces/mesh.hpp"

#include <string>
#include <variant>
#include <vector>

namespace emmy::contact {

/// Where a body is: its centre, and its axes as columns. Coordinates are from any common origin; where they are large
/// the caller takes one nearby.
struct Placed {
  Vec3 x = Vec3::Zero();
  Mat3 Q = Mat3::Identity();

  Vec3 point(const Vec3& at) const { return x + Q * at; }
  Vec3 direction(const Vec3& along) const { return Q * along; }
  /// Body coordinates of a point in space.
  Vec3 coordinates(const Vec3& point) const { return Q.transpose() * (point - x); }
};

struct Sphere {
  Vec3 centre = Vec3::Zero();
  double radius = 0;
};

/// The inside of a sphere.
struct Shell {
  Vec3 centre = Vec3::Zero();
  double radius = 0;
};

/// Free where normal . x > offset.
struct HalfSpace {
  Vec3 normal = Vec3::UnitZ(); ///< of unit length
  double offset = 0;
};

struct Box {
  Vec3 centre = Vec3::Zero();
  Vec3 half = Vec3::Ones();     ///< edges / 2
  Mat3 axes = Mat3::Identity(); ///< as columns
  bool inside = false;          ///< a room instead of a block
};

/// All points within a radius of a segment.
struct Capsule {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  double radius = 0;
};

/// Balls about points of a body: a rod seen as nodes. The radius may be 0.
struct NodeSet {
  std::vector<Vec3> at;
  double radius = 0;
};

using Geometry = std::variant<Sphere, Shell, HalfSpace, Box, Capsule, NodeSet, Mesh>;

struct Surface {
  std::string name;
  Index port = 0; ///< of the body that carries it, in Model::ports(); 0 is the ground
  Geometry geometry;
};

/// Largest distance of a point of the surface from the centre of its body [m]; infinite for a half space, and for what
/// is seen from inside the distance to where it may be touched.
double reach(const Geometry& geometry);

/// Smallest thickness of what others could pass through in one step [m]; infinite where there is none to pass. Gaps of
/// two surfaces that overlap are right until they are as deep as half of the sum of both.
double thickness(const Geometry& geometry);

} // namespace emmy::contact
