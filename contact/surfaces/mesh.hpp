#pragma once
/// Triangles and quadrilaterals on nodes, with the edges between them. A quadrilateral may be warped: it is bilinear.

#include "core/types.hpp"

#include <array>
#include <vector>

namespace emmy::contact {

struct Mesh {
  std::vector<Vec3> nodes;                ///< body coordinates [m]
  std::vector<std::array<int, 4>> facets; ///< nodes in the sense in which the normal points out; last -1: a triangle
  std::vector<std::array<int, 2>> edges;  ///< of the facets, each once
  double radius = 0;                      ///< thickness of the skin about it [m]
};

} // namespace emmy::contact
