#pragma once
/// Slaves as balls: spheres, nodes, ends of capsules and corners of boxes are centres with a radius, which may be 0;
/// masters as surfaces that a centre is near to.

#include "contact/pairs/collector.hpp"
#include "contact/surfaces/mesh_index.hpp"

#include <type_traits>

namespace emmy::contact {

/// Calls ball(feature, centre, radius) for each ball of a slave.
template <class Ball>
void for_balls(const Sphere& sphere, const Ball& ball) {
  ball(-1, sphere.centre, sphere.radius);
}
template <class Ball>
void for_balls(const NodeSet& nodes, const Ball& ball) {
  for (std::size_t i = 0; i < nodes.at.size(); ++i)
    ball(static_cast<int>(i), nodes.at[i], nodes.radius);
}
template <class Ball>
void for_balls(const Capsule& capsule, const Ball& ball) {
  ball(0, capsule.a, capsule.radius);
  ball(1, capsule.b, capsule.radius);
}
template <class Ball>
void for_balls(const Box& box, const Ball& ball) {
  for (int corner = 0; corner < box_corners; ++corner)
    ball(corner, box.centre + box.axes * corner_of_box(box.half, corner), 0.0);
}

template <class Ball>
void for_balls(const Mesh& mesh, const Ball& ball) {
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (!mesh.index->ways_from(static_cast<int>(i)).empty()) // of a facet
      ball(static_cast<int>(i), mesh.nodes[i], mesh.radius);
}

/// Calls touched(feature, touch) for each touch of the centre p with the master that is within `range`. p is given as
/// Collector::map_to does, touches are in the master's coordinates.
template <class Touched>
void for_touches(const Sphere& sphere, const Vec3& p, double range, const Touched& touched) {
  const double beyond = sphere.radius + range;
  if ((p - sphere.centre).squaredNorm() <= beyond * beyond)
    touched(-1, touch_sphere(p, sphere.centre, sphere.radius));
}
template <class Touched>
void for_touches(const NodeSet& nodes, const Vec3& p, double range, const Touched& touched) {
  for_balls(nodes, [&](int node, const Vec3& at, double radius) {
    for_touches(Sphere{at, radius}, p, range, [&](int, const Touch& touch) { touched(node, touch); });
  });
}
template <class Touched>
void for_touches(const Shell& shell, const Vec3& p, double range, const Touched& touched) {
  const double within = shell.radius - range;
  if (within <= 0 || (p - shell.centre).squaredNorm() >= within * within)
    touched(-1, touch_shell(p, shell.centre, shell.radius));
}
template <class Touched>
void for_touches(const HalfSpace& half_space, const Vec3& p, double range, const Touched& touched) {
  const Touch touch = touch_plane(p, half_space.normal, half_space.offset);
  if (touch.distance <= range)
    touched(-1, touch);
}
template <class Touched>
void for_touches(const Capsule& capsule, const Vec3& p, double range, const Touched& touched) {
  const Touch touch = touch_capsule(p, capsule.a, capsule.b, capsule.radius);
  if (touch.distance <= range)
    touched(-1, touch);
}

/// From the axes of a box to those of its body.
inline Touch from_box(const Box& box, const Touch& touch) {
  return {box.centre + box.axes * touch.at, box.axes * touch.normal, touch.distance, touch.at_corner};
}

/// Of a room every wall that is near: its number is the feature.
template <class Touched>
void for_touches(const Box& box, const Vec3& at, double range, const Touched& touched) {
  if (!box.inside) {
    if ((at.cwiseAbs() - box.half).maxCoeff() > range)
      return;
    const Touch touch = touch_box(at, box.half);
    if (touch.distance <= range)
      touched(-1, from_box(box, touch));
    return;
  }
  if ((box.half - at.cwiseAbs()).minCoeff() > range)
    return;
  for (int wall = 0; wall < box_faces; ++wall)
    if (box.half[wall / 2] - side_of_face(wall) * at[wall / 2] <= range)
      touched(wall, from_box(box, touch_wall(at, box.half, wall)));
}

/// Of a mesh as a rule the nearest place alone, which has no facet in its key: a node may slide from one to the next.
/// In valleys others are touched as well; the key has the smooth patch that they are on.
template <class Touched>
void for_touches(const Mesh& mesh, const Vec3& p, double range, const Touched& touched) {
  thread_local std::vector<Touch> touches; // room for work, kept from call to call
  mesh.index->touches(mesh, p, range + mesh.radius, touches);
  for (Touch& touch : touches) {
    const int patch = mesh.index->patch_of(touch.facet);
    touch.at += mesh.radius * touch.normal;
    touch.distance -= mesh.radius;
    if (touch.distance <= range)
      touched(&touch == &touches.front() ? -1 : patch, touch);
  }
}

/// Whether a slave may be near at all: few of the balls of a mesh are.
template <class Slave, class Master>
bool may_touch(const Slave& slave, const Master& master, const Collector& points) {
  if constexpr (std::is_same_v<Slave, Mesh>) {
    const Vec3 middle = (slave.index->low() + slave.index->high()) / 2;
    const double reach = (slave.index->high() - middle).norm() + slave.radius;
    bool touches = false;
    for_touches(master, points.map_to(master)(middle), points.margin() + reach,
                [&](int, const Touch&) { touches = true; });
    return touches;
  }
  return true;
}

/// All balls of the slave against the master.
template <class Slave, class Master>
void balls_on(const Slave& slave, const Master& master, Collector& points) {
  if (!may_touch(slave, master, points))
    return;
  const Collector::Map map = points.map_to(master);
  for_balls(slave, [&](int feature, const Vec3& at, double radius) {
    for_touches(master, map(at), points.margin() + radius,
                [&](int wall, const Touch& touch) { points.add(feature, at, radius, wall, touch); });
  });
}

} // namespace emmy::contact
