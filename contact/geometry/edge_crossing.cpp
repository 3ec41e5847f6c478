#include "contact/geometry/edge_crossing.hpp"

#include "contact/geometry/touch.hpp"

#include <algorithm>

namespace emmy::contact {

EdgeCrossing cross_edges(const EdgeFeature& slave, const EdgeFeature& master) {
  const ClosestOfSegments closest = closest_of_segments(slave.x, master.x);
  if (!closest.crossing())
    return {};
  EdgeCrossing crossing{EdgeCrossing::Kind::none, closest.s, closest.t, closest.on_a, closest.on_b, Vec3::UnitZ(), 0};
  // How steeply a distance along n gets less from the edges into the faces beside them.
  const auto slope = [&](const Vec3& n) {
    return std::max({n.dot(master.into[0]), n.dot(master.into[1]), -n.dot(slave.into[0]), -n.dot(slave.into[1])});
  };
  const Vec3 u = slave.x[1] - slave.x[0], v = master.x[1] - master.x[0], d = closest.on_a - closest.on_b;
  const Direction away = direction_of(d, Vec3::Zero());

  // Where they touch, the product of the edges tells the normal, and the faces its sense.
  constexpr double touching = 1e-6;
  if (away.length <= touching * std::min(u.norm(), v.norm())) {
    Vec3 n = direction_of(u.cross(v), Vec3::UnitZ()).along;
    const double forwards = slope(n), backwards = slope(-n);
    if (backwards < forwards || (backwards == forwards && n.dot(d) < 0))
      n = -n;
    if (std::min(forwards, backwards) <= steepest)
      crossing.kind = EdgeCrossing::Kind::apart;
    crossing.normal = n;
    crossing.distance = n.dot(d);
    return crossing;
  }
  if (slope(away.along) <= steepest) {
    crossing.kind = EdgeCrossing::Kind::apart;
    crossing.normal = away.along;
    crossing.distance = away.length;
  } else if (slope(-away.along) <= crossing_tolerance) {
    crossing.kind = EdgeCrossing::Kind::passed;
    crossing.normal = -away.along;
    crossing.distance = -away.length;
  }
  return crossing;
}

} // namespace emmy::contact
