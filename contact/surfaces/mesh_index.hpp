#pragma once
/// What finds places on a mesh: topology, normals of edges and nodes, trees of facets and edges in body axes.

#include "contact/geometry/closest.hpp"
#include "contact/geometry/touch.hpp"
#include "contact/surfaces/mesh.hpp"

namespace emmy::contact {

/// Which facets share an edge.
struct MeshTopology {
  std::vector<std::array<int, 4>> edges_of_facet; ///< edge i runs from corner i to the next
  std::vector<std::vector<int>> facets_of_edge;
  bool closed = false; ///< two facets at each edge, which agree about what is out
};

/// An edge that sticks out; in flat places and valleys edges are never touched by others.
struct SharpEdge {
  int number = -1;          ///< in Mesh::edges
  std::array<Vec3, 2> x;    ///< its ends
  std::array<Vec3, 2> into; ///< unit vectors across it, into the facets at its sides; zero where there is none
};

class MeshIndex {
public:
  MeshIndex(const Mesh& mesh, MeshTopology topology, bool solid);
  ~MeshIndex();

  const Vec3& low() const { return low_; }
  const Vec3& high() const { return high_; }
  bool solid() const { return solid_; }

  /// How far behind a sheet things have gone through it; 0 for what is solid.
  double behind() const { return solid_ ? 0 : mean_edge_; }
  double mean_edge() const { return mean_edge_; }

  /// Of a solid the least way through it, as seen from the centres of facets; of a sheet 2 * behind().
  double thickness() const { return thickness_; }

  /// The nearest point of the mesh, without its skin; false if p is farther than `range`, and neither inside nor
  /// behind.
  bool nearest(const Mesh& mesh, const Vec3& p, double range, Touch& out) const;

  /// All places where a ball about p may touch: the nearest point, and in front of other smooth patches, such as the
  /// other side of a valley, the nearest point of each. In the order of patches.
  void touches(const Mesh& mesh, const Vec3& p, double range, std::vector<Touch>& out) const;
  /// Appends the facets that p is behind by up to `depth`, and no farther beside than `beside`.
  void facets_before(const Mesh& mesh, const Vec3& p, double depth, double beside, std::vector<Touch>& out) const;

  /// Smooth patches are numbered by the lowest of their facets.
  int patch_of(int facet) const { return patches_[static_cast<std::size_t>(facet)]; }

  /// Appends the sharp edges whose boxes meet a box.
  void sharp_edges_near(const Vec3& low, const Vec3& high, std::vector<const SharpEdge*>& out) const;

  /// Unit vectors from a node along its edges.
  struct Ways {
    const Vec3 *first, *last;
    const Vec3* begin() const { return first; }
    const Vec3* end() const { return last; }
    bool empty() const { return first == last; }
  };
  Ways ways_from(int node) const {
    const auto i = static_cast<std::size_t>(node);
    return {ways_.data() + first_way_[i], ways_.data() + first_way_[i + 1]};
  }

private:
  struct Trees;

  void find_normals(const Mesh& mesh);
  void find_sharp_edges(const Mesh& mesh);
  void find_ways(const Mesh& mesh);
  void find_thickness(const Mesh& mesh);
  void find_patches(const Mesh& mesh);
  /// Which side of a facet an edge is.
  std::size_t side_of(int facet, std::size_t edge) const;
  bool nearest_within(const Mesh& mesh, const Vec3& p, double range, Touch& out) const;

  MeshTopology topology_;
  bool solid_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
  double mean_edge_ = 0, thickness_ = 0;
  std::vector<Vec3> edge_normals_, node_normals_; ///< sums over the facets around; zero on the rim of a sheet
  std::vector<SharpEdge> sharp_;
  std::vector<Vec3> ways_;
  std::vector<std::size_t> first_way_; ///< by node
  std::vector<int> patches_;           ///< by facet: the lowest number of a facet that belongs to it
  bool smooth_ = true;                 ///< one patch
  std::unique_ptr<Trees> trees_;
};

} // namespace emmy::contact
