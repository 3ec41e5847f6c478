#include "contact/pairs/boxes.hpp"

#include "contact/geometry/box_box.hpp"

namespace emmy::contact {

void boxes_on_each_other(const Box& a, const Box& b, Collector& points, Collector& reversed) {
  const PlacedBox at_a{points.in_master(a.centre), points.axes_in_master(a.axes), a.half};
  BoxManifold manifold;
  box_box(at_a, {b.centre, b.axes, b.half}, points.margin(), manifold);
  for (const BoxPoint& point : manifold)
    if (point.kind == BoxPoint::Kind::corner_of_b)
      reversed.add(point.b, point.on_b, 0, -1,
                   {points.in_slave(point.on_a), points.direction_in_slave(point.normal), point.gap});
    else
      points.add(point.a, points.in_slave(point.on_a), 0, point.b, {point.on_b, -point.normal, point.gap});
}

} // namespace emmy::contact
