#include "core/node.hpp"

#include "core/rotation.hpp"
#include "core/rotation_equations.hpp"

namespace emmy {

namespace {
/// Whether a node ends in a quaternion; what comes before it moves by sums.
bool turns(NodeKind kind) {
  return kind == NodeKind::frame || kind == NodeKind::rotation;
}
} // namespace

Index value_size(NodeKind kind) {
  return unknown_size(kind) + (turns(kind) ? 1 : 0); // four numbers for three
}

Index unknown_size(NodeKind kind) {
  switch (kind) {
  case NodeKind::point:
    return 3;
  case NodeKind::frame:
    return 6;
  case NodeKind::rotation:
    return 3;
  case NodeKind::director:
    return 12;
  case NodeKind::scalar:
    return 1;
  }
  return 0;
}

void retract(NodeKind kind, const ConstVectorRef& value, const ConstVectorRef& z, VectorRef moved) {
  if (!turns(kind)) {
    moved = value + z;
    return;
  }
  const Index before = z.size() - 3;
  moved.head(before) = value.head(before) + z.head(before);
  const V3<double> Theta{{z[before], z[before + 1], z[before + 2]}};
  turn(value.data() + value.size() - 4, Theta, moved.data() + before);
}

void local(NodeKind kind, const ConstVectorRef& from, const ConstVectorRef& to, VectorRef z) {
  if (!turns(kind)) {
    z = to - from;
    return;
  }
  const Index before = z.size() - 3;
  z.head(before) = to.head(before) - from.head(before);
  z.tail<3>() = rodrigues_vector(from_wxyz(from.tail<4>()).conjugate() * from_wxyz(to.tail<4>()));
}

} // namespace emmy
