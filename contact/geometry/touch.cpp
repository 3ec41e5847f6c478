#include "contact/geometry/touch.hpp"

#include "contact/geometry/closest.hpp"

#include <cmath>

namespace emmy::contact {

Direction direction_of(const Vec3& d, const Vec3& fallback) {
  constexpr double smallest_square = 1e-290; // below, squares lose digits
  const double squared = d.squaredNorm();
  if (!(squared > smallest_square))
    return {0, fallback};
  const double length = std::sqrt(squared);
  return {length, d / length};
}

Vec3 any_across(const Vec3& d) {
  Index least = 0;
  d.cwiseAbs().minCoeff(&least);
  return direction_of(d.cross(Vec3::Unit(least)), Vec3::UnitZ()).along;
}

Touch touch_sphere(const Vec3& p, const Vec3& centre, double radius) {
  const Direction d = direction_of(p - centre, Vec3::UnitZ());
  return {centre + radius * d.along, d.along, d.length - radius};
}

Touch touch_shell(const Vec3& p, const Vec3& centre, double radius) {
  const Direction d = direction_of(p - centre, Vec3::UnitZ());
  return {centre + radius * d.along, -d.along, radius - d.length};
}

Touch touch_plane(const Vec3& p, const Vec3& normal, double offset) {
  const double distance = normal.dot(p) - offset;
  return {p - distance * normal, normal, distance};
}

Touch touch_capsule(const Vec3& p, const Vec3& a, const Vec3& b, double radius) {
  const Vec3 axis = b - a;
  const double t = closest_on_segment(p, a, b);
  const Vec3 on_axis = a + t * axis;
  const Direction d = direction_of(p - on_axis, any_across(axis));
  return {on_axis + radius * d.along, d.along, d.length - radius, t == 0 || t == 1};
}

Touch touch_box(const Vec3& p, const Vec3& half) {
  const Vec3 beyond = p.cwiseAbs() - half;
  Index nearest = 0;
  const double most = beyond.maxCoeff(&nearest);
  const Vec3 across_face = std::copysign(1, p[nearest]) * Vec3::Unit(nearest);
  if (most <= 0)
    return {p - most * across_face, across_face, most};
  const Vec3 at = p.cwiseMax(-half).cwiseMin(half);
  const Direction d = direction_of(p - at, across_face);
  return {at, d.along, d.length, (at.cwiseAbs().array() == half.array()).all()};
}

bool leaves_box(const Vec3& out, int corner) {
  for (int i = 0; i < 3; ++i)
    if ((corner >> i & 1 ? out[i] : -out[i]) < -steepest)
      return false;
  return true;
}

Touch touch_wall(const Vec3& p, const Vec3& half, int wall) {
  const int axis = wall / 2;
  const double side = side_of_face(wall);
  Vec3 at = p;
  at[axis] = side * half[axis];
  return {at, -side * Vec3::Unit(axis), half[axis] - side * p[axis]};
}

} // namespace emmy::contact
