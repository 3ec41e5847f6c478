#include "core/node.hpp"

#include "core/rotation.hpp"

namespace emmy {

Index value_size(NodeKind kind) {
  return kind == NodeKind::frame ? 7 : unknown_size(kind);
}

Index unknown_size(NodeKind kind) {
  switch (kind) {
  case NodeKind::point:
    return 3;
  case NodeKind::frame:
    return 6;
  case NodeKind::director:
    return 12;
  case NodeKind::scalar:
    return 1;
  }
  return 0;
}

void retract(NodeKind kind, const ConstVectorRef& value, const ConstVectorRef& z, VectorRef moved) {
  if (kind != NodeKind::frame) {
    moved = value + z;
    return;
  }
  moved.head<3>() = value.head<3>() + z.head<3>();
  moved.tail<4>() = to_wxyz((from_wxyz(value.tail<4>()) * cayley(z.tail<3>())).normalized());
}

void local(NodeKind kind, const ConstVectorRef& from, const ConstVectorRef& to, VectorRef z) {
  if (kind != NodeKind::frame) {
    z = to - from;
    return;
  }
  z.head<3>() = to.head<3>() - from.head<3>();
  z.tail<3>() = rodrigues_vector(from_wxyz(from.tail<4>()).conjugate() * from_wxyz(to.tail<4>()));
}

} // namespace emmy
