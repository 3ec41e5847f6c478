#pragma once
/// A node is a block of global unknowns with its own way to move. The configuration that State stores and the tangent
/// space that Newton solves in are kept apart: a frame stores 7 numbers and moves in 6.

#include "core/types.hpp"

namespace emmy {

enum class NodeKind {
  point,    ///< 3 coordinates
  frame,    ///< position and unit quaternion (w, x, y, z); moves by (dx, Theta): dx in space, Theta convected [D11]
  rotation, ///< unit quaternion alone; moves by Theta, convected
  director, ///< centre and three base vectors
  scalar    ///< one generalised coordinate
};

/// Numbers that State keeps for the configuration of a node.
Index value_size(NodeKind kind);

/// Unknowns of a node: the size of its increments and of its rates.
Index unknown_size(NodeKind kind);

/// Where a node lives in State and among the unknowns. Cheap to copy; made by Model::add_node.
struct Node {
  NodeKind kind = NodeKind::point;
  Index value = 0;   ///< first number in State::values
  Index unknown = 0; ///< first number in State::rates and in the increments z
  Index values() const { return value_size(kind); }
  Index unknowns() const { return unknown_size(kind); }
};

/// Configuration reached from `value` by the increment `z`. Frames: x + dx, q o cay(Theta) [F1], normalised, which
/// does not change the rotation that is represented; rotations without the first.
void retract(NodeKind kind, const ConstVectorRef& value, const ConstVectorRef& z, VectorRef moved);

/// Increment that takes `from` to `to`: the inverse of retract().
void local(NodeKind kind, const ConstVectorRef& from, const ConstVectorRef& to, VectorRef z);

} // namespace emmy
