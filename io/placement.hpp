#pragma once
/// Where things are in the initial configuration of a deck: points and directions of one body seen from another.

#include "core/model.hpp"
#include "elements/joints/joint.hpp"
#include "io/deck/deck.hpp"

#include <vector>

namespace emmy {

/// Rigid placement and motion of a body, or of the ground.
struct BodyPlacement {
  Vec3 position = Vec3::Zero();
  Mat3 orientation = Mat3::Identity();
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();

  Vec3 to_space(const Vec3& at) const { return position + orientation * at; }
  Vec3 to_body(const Vec3& at) const { return orientation.transpose() * (at - position); }
  Vec3 velocity_of(const Vec3& at) const { return velocity + angular_velocity.cross(orientation * at); }
};

/// Where a joint sits on both of its bodies.
struct Sides {
  JointSide I, J;
};

class Placement {
public:
  /// `bodies` are those of the deck, as far as they have been built; ports of others are not known yet.
  Placement(const deck::Deck& deck, const std::vector<const Body*>& bodies) : deck_(deck), bodies_(bodies) {}

  BodyPlacement pose(int body) const;
  Index port(int body) const;

  /// A point on the side of `body`. Its own coordinates are taken as they are; others go by way of space, so that the
  /// two sides of a joint agree to rounding.
  Vec3 point_on(int body, const deck::Point& point) const;
  Vec3 in_space(const deck::Point& point) const { return pose(point.body).to_space(point.at); }
  Vec3 in_space(const deck::Direction& direction) const;
  NaturalVariable variable(const deck::Point& point) const { return body_point(port(point.body), point.at); }

  JointSide side(int body, const deck::Point& at, const Mat3& axes_in_space) const;
  Sides sides(const deck::Joint& joint) const;
  /// From the first point of a joint to the second, in space.
  Vec3 gap(const deck::Joint& joint, const Sides& s) const;

private:
  const deck::Deck& deck_;
  const std::vector<const Body*>& bodies_;
};

} // namespace emmy
