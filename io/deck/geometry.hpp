#pragma once
/// Points, directions and orientations as a deck writes them.

#include "io/deck/fields.hpp"

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

/// A vector in global axes or in those of a body.
struct BodyVector {
  Vec3 value = Vec3::Zero();
  bool in_body_axes = false;
};
std::optional<BodyVector> read_body_vector(Reading& reading, const Node& node, const Target& target);

} // namespace emmy::deck
