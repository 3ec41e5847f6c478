#include "io/limit_builder.hpp"

namespace emmy {

namespace {

/// The coordinate of a joint by the name that the deck has for it.
const CoordinateMeasure& measure_of(const Joint& joint, const std::string& name) {
  const auto& labels = joint.coordinates();
  Index i = 0;
  while (labels.at(static_cast<std::size_t>(i)).name != name)
    ++i;
  return joint.measure(i);
}

/// The only coordinate of joints that can be shared: the angle of a hinge.
CoordinateMeasure hinge_angle(const Sides& s, const Ports& ports) {
  return CoordinateMeasure::angle("angle", ports, body_direction(s.I.port, s.I.axes.col(1)),
                                  body_direction(s.I.port, s.I.axes.col(2)), body_direction(s.J.port, s.J.axes.col(1)));
}

} // namespace

std::unique_ptr<Limit> make_wall(const deck::Limit& limit, const Placement& placement, const Ports& ports) {
  const auto& [plane, point] = limit.ends;
  JointSide side;
  side.port = placement.port(plane.body);
  side.at = plane.at;
  side.axes.col(0) = placement.pose(plane.body).orientation.transpose() * placement.in_space(limit.normal);
  return wall(limit.name, ports, side, placement.variable(point), limit.radius, limit.restitution);
}

std::unique_ptr<Limit> make_rope(const deck::Limit& limit, const Placement& placement, const Ports& ports) {
  const auto& [a, b] = limit.ends;
  return rope(limit.name, ports, placement.variable(a), placement.variable(b), {limit.lower, limit.upper},
              limit.restitution);
}

std::unique_ptr<Limit> make_stop(const deck::Limit& limit, const Joint* joint, const Sides& sides, const Ports& ports) {
  return stop(limit.name, ports, joint != nullptr ? measure_of(*joint, limit.coordinate) : hinge_angle(sides, ports),
              {limit.lower, limit.upper}, limit.restitution);
}

} // namespace emmy
