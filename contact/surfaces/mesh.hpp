#pragma once
/// Triangles and quadrilaterals on nodes, with the edges between them. A quadrilateral may be warped: it is bilinear.
///
/// A closed mesh, each edge of which has two facets, is solid where its normals point away from. All others, and those
/// that are closed with their normals inwards, are sheets: they are touched on the side of their normals, and what is
/// behind them by up to the mean length of their edges has gone through. The rim of a sheet is touched from all sides.

#include "core/types.hpp"

#include <array>
#include <memory>
#include <vector>

namespace emmy::contact {

class MeshIndex;

struct Mesh {
  std::vector<Vec3> nodes;                ///< body coordinates [m]
  std::vector<std::array<int, 4>> facets; ///< nodes in the sense in which the normal points out; last -1: a triangle
  std::vector<std::array<int, 2>> edges;  ///< of the facets, each once
  double radius = 0;                      ///< thickness of the skin about it [m]

  /// Trees and what else is derived from nodes and facets, shared by copies. Without it nothing touches the mesh.
  std::shared_ptr<const MeshIndex> index;
};

/// What a person should know of a mesh. Numbers are those of the facets and nodes that were given.
struct MeshFindings {
  std::vector<int> bad_nodes;                   ///< with coordinates that are not finite
  std::vector<int> bad_facets;                  ///< that name nodes which are not there or are bad; dropped
  std::vector<int> degenerate_facets;           ///< without area; dropped
  std::vector<std::array<int, 2>> open;         ///< edges (as two nodes) with a facet on one side alone
  std::vector<std::array<int, 2>> non_manifold; ///< edges with more than two facets
  std::vector<std::array<int, 2>> turned;       ///< edges whose two facets disagree about which side is out
  bool inward = false;                          ///< closed, and its normals point inwards: a room, or a mistake
  double volume = 0;                            ///< of a closed mesh [m³]; negative if inward

  bool closed() const { return open.empty() && non_manifold.empty() && turned.empty(); }
};

/// A mesh of the facets that are neither bad nor without area; a quadrilateral with two equal neighbours becomes a
/// triangle. Never fails: what is left may be empty.
Mesh make_mesh(std::vector<Vec3> nodes, const std::vector<std::array<int, 4>>& facets, double radius,
               MeshFindings& findings);

inline std::size_t corners_of(const std::array<int, 4>& facet) {
  return facet[3] < 0 ? 3 : 4;
}

} // namespace emmy::contact
