#include "io/placement.hpp"

namespace emmy {

namespace {

/// Right-handed triad in space whose first axis is n.
Mat3 triad(const Vec3& n) {
  Mat3 axes;
  axes.col(0) = n;
  axes.col(1) = n.unitOrthogonal();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

} // namespace

BodyPlacement Placement::pose(int body) const {
  if (body == deck::ground)
    return {};
  const deck::Body& b = deck_.bodies[static_cast<std::size_t>(body)];
  return {b.position, b.orientation.toRotationMatrix(), b.velocity, b.angular_velocity};
}

Index Placement::port(int body) const {
  const auto i = static_cast<std::size_t>(body);
  return body == deck::ground || i >= bodies_.size() ? Model::ground : bodies_[i]->port();
}

Vec3 Placement::point_on(int body, const deck::Point& point) const {
  return point.body == body ? point.at : pose(body).to_body(in_space(point));
}

Vec3 Placement::in_space(const deck::Direction& direction) const {
  return (pose(direction.body).orientation * direction.along).normalized();
}

JointSide Placement::side(int body, const deck::Point& at, const Mat3& axes_in_space) const {
  return {port(body), point_on(body, at), pose(body).orientation.transpose() * axes_in_space};
}

Sides Placement::sides(const deck::Joint& joint) const {
  const Vec3 n = in_space(joint.axis);
  Mat3 first = triad(n), second = first;
  if (joint.type == "universal") { // a cross: its arms are s1 of the first body and s2 of the second
    const Vec3 arm = in_space(*joint.axis_second), shaft = n.cross(arm).stableNormalized();
    first << shaft, n, shaft.cross(n);
    second << shaft, arm.cross(shaft), arm;
  } else if (joint.axis_second) { // an axis of its own is reached by the shortest turn
    second = Quaternion::FromTwoVectors(n, in_space(*joint.axis_second)).toRotationMatrix() * first;
  }
  return {side(joint.between[0], joint.at, first), side(joint.between[1], joint.at_second.value_or(joint.at), second)};
}

Vec3 Placement::gap(const deck::Joint& joint, const Sides& s) const {
  return pose(joint.between[1]).to_space(s.J.at) - pose(joint.between[0]).to_space(s.I.at);
}

} // namespace emmy
