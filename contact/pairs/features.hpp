#pragma once
/// Surfaces with vertices and edges: capsules, boxes and meshes against each other. They are near each other at a
/// vertex (or the end of a capsule) of either above the other, and where two edges cross.

#include "contact/geometry/edge_crossing.hpp"
#include "contact/pairs/balls.hpp"

namespace emmy::contact {

/// Whether a vertex or end is nearer to the master than what it ends; `normal` points from the master to it, in the
/// axes of the body.
bool is_nearest(const Capsule& capsule, int end, const Vec3& normal);
bool is_nearest(const Box& box, int corner, const Vec3& normal);
bool is_nearest(const Mesh& mesh, int node, const Vec3& normal);

/// How deep edges and vertices are looked for that have come in elsewhere than at the nearest face, without roundings.
double deepest_crossing(const Capsule& capsule);
double deepest_crossing(const Box& box);
double deepest_crossing(const Mesh& mesh);

/// Whether a point is inside, or out of it by no more than a tolerance; capsules, which have but an axis, are no
/// hindrance.
bool is_inside(const Capsule& capsule, const Vec3& p, double tolerance);
bool is_inside(const Box& box, const Vec3& p, double tolerance);
bool is_inside(const Mesh& mesh, const Vec3& p, double tolerance);

Extent extent_of(const Capsule& capsule);
Extent extent_of(const Box& box);
Extent extent_of(const Mesh& mesh);

/// Appends the edges, in body coordinates, that may be within `range` of an extent or have passed it.
void edges_near(const Capsule& capsule, const Extent& extent, double range, std::vector<EdgeFeature>& out);
void edges_near(const Box& box, const Extent& extent, double range, std::vector<EdgeFeature>& out);
void edges_near(const Mesh& mesh, const Extent& extent, double range, std::vector<EdgeFeature>& out);

/// Appends the faces that a point, given as Collector::map_to does, is behind, if it is no farther beside them than it
/// is deep: faces through which it may have come in. Touches are in the master's coordinates.
void faces_before(const Capsule& capsule, const Vec3& p, std::vector<Touch>& out);
void faces_before(const Box& box, const Vec3& p, std::vector<Touch>& out);
void faces_before(const Mesh& mesh, const Vec3& p, std::vector<Touch>& out);

/// Vertices of the slave. Where both have a vertex at the place, that of the first surface stands for both. The nearest
/// face may not be the one through which a vertex has come in: where it lies flush with an edge, it is the nearest
/// that what it ends can have come through as well.
template <class Slave, class Master>
void vertices_on(const Slave& slave, const Master& master, bool first, Collector& points) {
  if (!may_touch(slave, master, points))
    return;
  thread_local std::vector<Touch> others; // room for work, kept from call to call
  const Collector::Map map = points.map_to(master);
  for_balls(slave, [&](int feature, const Vec3& at, double radius) {
    const auto fits = [&](const Touch& touch) {
      return is_nearest(slave, feature, points.direction_in_slave(touch.normal));
    };
    bool misfit = false;
    for_touches(master, map(at), points.margin() + radius, [&](int part, const Touch& touch) {
      if (!fits(touch))
        misfit = true;
      else if (first || !touch.at_corner)
        points.add(feature, at, radius, part, touch);
    });
    if (!misfit)
      return;
    others.clear();
    faces_before(master, map(at), others);
    const Touch* best = nullptr;
    for (const Touch& touch : others)
      if (fits(touch) && (!best || touch.distance > best->distance))
        best = &touch;
    if (best)
      points.add(feature, at, radius, -1, *best);
  });
}

/// A crossing with the edges that it is of, in the master's coordinates.
struct FoundCrossing {
  EdgeFeature slave, master;
  EdgeCrossing crossing;
};

/// An edge that has gone into a body has passed all edges of the face through which it went: the nearest one counts.
/// Whether there is a nearer one at the same place.
bool is_behind_another(const FoundCrossing& found, const std::vector<FoundCrossing>& all);

/// Adds a crossing as a point of contact.
void add_crossing(const FoundCrossing& found, Collector& points);

template <class Slave, class Master>
void edges_on(const Slave& slave, const Master& master, Collector& points) {
  thread_local std::vector<EdgeFeature> slave_edges, master_edges; // room for work, kept from call to call
  thread_local std::vector<FoundCrossing> all;
  const double deepest = std::min(deepest_crossing(slave), deepest_crossing(master));
  slave_edges.clear();
  all.clear();
  edges_near(slave, points.in_slave(extent_of(master)), points.margin(), slave_edges);
  for (EdgeFeature& edge : slave_edges) {
    for (std::size_t i = 0; i < 2; ++i) {
      edge.x[i] = points.in_master(edge.x[i]);
      edge.into[i] = points.direction_in_master(edge.into[i]);
    }
    master_edges.clear();
    edges_near(master, {edge.x[0].cwiseMin(edge.x[1]), edge.x[0].cwiseMax(edge.x[1])}, points.margin() + edge.radius,
               master_edges);
    for (const EdgeFeature& other : master_edges) {
      const EdgeCrossing crossing = cross_edges(edge, other);
      if (crossing.kind != EdgeCrossing::Kind::none && crossing.distance >= -deepest)
        all.push_back({edge, other, crossing});
    }
  }
  for (const FoundCrossing& found : all) {
    const EdgeCrossing& crossing = found.crossing;
    if (crossing.distance - found.slave.radius - found.master.radius > points.margin())
      continue;
    const double tolerance = crossing_tolerance * std::abs(crossing.distance);
    if (crossing.kind == EdgeCrossing::Kind::apart ||
        (!is_behind_another(found, all) && is_inside(master, crossing.on_slave, tolerance) &&
         is_inside(slave, points.in_slave(crossing.on_master), tolerance)))
      add_crossing(found, points);
  }
}

template <class A, class B>
void features_on_each_other(const A& a, const B& b, Collector& points, Collector& reversed) {
  vertices_on(a, b, true, points);
  vertices_on(b, a, false, reversed);
  edges_on(a, b, points);
}

} // namespace emmy::contact
