#pragma once
/// Random surfaces, and the distance between two of them by means that have nothing in common with the narrow phase.

#include "contact/narrow.hpp"
#include "verification/support/random.hpp"

namespace emmy::test {

enum class Kind { sphere, shell, half_space, block, room, capsule, nodes, mesh };

/// About a metre in size; what is seen from inside is large enough for all others.
contact::Geometry random_shape(Kind kind, Random& random);

/// A box as a mesh: its corners are the first eight nodes, numbered as those of boxes.
enum class Facets { triangles, fans, quads };
contact::Mesh box_mesh(const contact::Box& box, Facets facets, double radius = 0);

/// All lengths multiplied by a power of two.
contact::Geometry scaled(contact::Geometry geometry, double scale);

contact::Placed random_place(Random& random, double distance);

/// A scene of two surfaces on bodies 1 and 2, which meet by rule 0.
contact::Scene scene_of(contact::Geometry a, contact::Geometry b);

/// A box that is rounded by a radius: what a surface is made of, in space. Segments and points are boxes, too.
struct Core {
  Vec3 centre;
  Mat3 axes = Mat3::Identity();
  Vec3 half = Vec3::Zero();
  double radius = 0;

  Vec3 nearest(const Vec3& p) const;
  Vec3 corner(int number) const;
};
/// One for each node of a node set; none for half spaces, shells and rooms.
std::vector<Core> cores_of(const contact::Geometry& geometry, const contact::Placed& place);

/// By projection on the one and the other in turn, which comes to the closest points of convex bodies. 0 if they
/// overlap.
double core_distance(const Core& a, const Core& b);

/// Least distance between two surfaces, of which at most one is a half space, shell or room; of overlapping cores
/// it is -radius_a - radius_b.
double distance_of(const contact::Geometry& a, const contact::Placed& at_a, const contact::Geometry& b,
                   const contact::Placed& at_b);

/// All points of the first two surfaces of a scene.
std::vector<contact::ContactPoint> points_of(const contact::Scene& scene, const contact::Placed& a,
                                             const contact::Placed& b, double margin);

} // namespace emmy::test
