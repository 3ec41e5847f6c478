#pragma once
/// Points, directions and orientations as a deck writes them.

#include "io/deck/fields.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace emmy::deck {

/// R = R_i(a) R_j(b) R_k(c) for the sequence "ijk": intrinsic turns, body to space.
Eigen::Quaterniond from_euler(const Vec3& angles, std::string_view sequence);

std::optional<Eigen::Quaterniond> read_orientation(Reading& reading, const Node& node, const Target& target);

/// Index of a body or `ground`; reports a name that is neither.
std::optional<int> read_body(Reading& reading, const Node& node, const Target& target);

std::optional<Point> read_point(Reading& reading, const Node& node, const Target& target);
std::optional<Direction> read_direction(Reading& reading, const Node& node, const Target& target);

/// A value for both bodies of a joint, or one for each.
template <class T>
struct Pair {
  T first;
  std::optional<T> second;
};
std::optional<Pair<Point>> read_point_pair(Reading& reading, const Node& node, const Target& target);
std::optional<Pair<Direction>> read_direction_pair(Reading& reading, const Node& node, const Target& target);

/// Two different points [first, second].
std::optional<std::array<Point, 2>> read_two_points(Reading& reading, const Node& node, const Target& target);

/// Two different bodies [first, second], one of which may be the ground.
std::optional<std::array<int, 2>> read_body_pair(Reading& reading, const Node& node, const Target& target);

/// A point in the coordinates of a body, or of space; likewise a direction. Initial configuration.
Vec3 coordinates_in(const Deck& deck, int body, const Point& point);
Vec3 components_in(const Deck& deck, int body, const Direction& direction);

/// Point masses have no points but their centre, rods without thickness none off their axis: reports what is amiss.
bool check_point(Reading& reading, const Span& at, const std::string& what, int body, const Point& point);
/// Likewise directions: none, and none but the axis. Without a direction, for all directions of the body.
bool check_direction(Reading& reading, const Span& at, const std::string& what, int body,
                     const std::optional<Direction>& direction);

/// A vector in global axes or in those of a body.
struct BodyVector {
  Vec3 value = Vec3::Zero();
  bool in_body_axes = false;
};
/// Likewise, with components that are functions of time.
struct LoadVector {
  std::array<TimeFunction, 3> value;
  bool in_body_axes = false;
};
std::optional<LoadVector> read_load_vector(Reading& reading, const Node& node, const Target& target);
std::optional<BodyVector> read_body_vector(Reading& reading, const Node& node, const Target& target);

} // namespace emmy::deck
