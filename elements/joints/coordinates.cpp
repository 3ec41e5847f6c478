#include "elements/joints/coordinates.hpp"

#include "elements/joints/angle.hpp"

namespace emmy {

CoordinateMeasure::CoordinateMeasure(Kind kind, JointCoordinate label, const Ports& ports,
                                     const std::array<NaturalVariable, 3>& of)
    : kind_(kind), label_(label), variables_(of), ports_() {
  for (std::size_t i = 0; i < 3; ++i)
    ports_[i] = ports.at(static_cast<std::size_t>(of[i].port)).get();
}

CoordinateMeasure CoordinateMeasure::angle(const char* name, const Ports& ports, const NaturalVariable& s1,
                                           const NaturalVariable& s2, const NaturalVariable& t1) {
  return {Kind::angle, {name, "rad"}, ports, {s1, s2, t1}};
}

CoordinateMeasure CoordinateMeasure::displacement(const char* name, const Ports& ports, const NaturalVariable& along,
                                                  const NaturalVariable& a, const NaturalVariable& b) {
  return {Kind::displacement, {name, "m"}, ports, {along, a, b}};
}

CoordinateMeasure CoordinateMeasure::length(const char* name, const Ports& ports, const NaturalVariable& a,
                                            const NaturalVariable& b) {
  return {Kind::length, {name, "m"}, ports, {a, a, b}};
}

void CoordinateMeasure::at(const State& state, Values& q, Values& q_dot) const {
  Vec12 port, port_dot;
  for (std::size_t i = 0; i < 3; ++i) {
    ports_[i]->at(state, port, port_dot);
    q.segment<3>(static_cast<Index>(3 * i)) = variables_[i].of(port);
    q_dot.segment<3>(static_cast<Index>(3 * i)) = variables_[i].of(port_dot);
  }
}

CoordinateMeasure::Values CoordinateMeasure::gather(const PortMotions& motions, Vec12 PortMotion::*end) const {
  Values q;
  for (std::size_t i = 0; i < 3; ++i)
    q.segment<3>(static_cast<Index>(3 * i)) =
        variables_[i].of(motions[static_cast<std::size_t>(variables_[i].port)].*end);
  return q;
}

double CoordinateMeasure::value(const State& state, double counted) const {
  Values q, q_dot;
  at(state, q, q_dot);
  const Vec3 span = q.tail<3>() - q.segment<3>(3);
  switch (kind_) {
  case Kind::angle:
    return with_turns(angle_at(q), counted);
  case Kind::displacement:
    return q.head<3>().dot(span);
  case Kind::length:
    break;
  }
  return span.norm();
}

double CoordinateMeasure::rate(const State& state) const {
  Values q, q_dot;
  at(state, q, q_dot);
  const Vec3 span = q.tail<3>() - q.segment<3>(3), span_dot = q_dot.tail<3>() - q_dot.segment<3>(3);
  switch (kind_) {
  case Kind::angle:
    return angle_gradient(q).dot(q_dot);
  case Kind::displacement:
    return q_dot.head<3>().dot(span) + q.head<3>().dot(span_dot);
  case Kind::length:
    break;
  }
  const double length = span.norm();
  return length > 0 ? span.dot(span_dot) / length : span_dot.norm();
}

double CoordinateMeasure::counted_after(const PortMotions& motions, double counted) const {
  return counted_angle(counted, gather(motions, &PortMotion::q_n), gather(motions, &PortMotion::q_n1));
}

double CoordinateMeasure::first_angle(const PortMotions& motions) const {
  return angle_at(gather(motions, &PortMotion::q_n));
}

} // namespace emmy
