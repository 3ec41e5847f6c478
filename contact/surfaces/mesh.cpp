#include "contact/surfaces/mesh.hpp"

#include "contact/surfaces/mesh_index.hpp"

#include <algorithm>

namespace emmy::contact {

namespace {

using Facet = std::array<int, 4>;

/// Equal neighbours are one; what has fewer than three corners is nothing: {-1, -1, -1, -1}.
Facet without_repeats(const Facet& facet) {
  Facet kept{-1, -1, -1, -1};
  std::size_t count = 0;
  const std::size_t corners = corners_of(facet);
  for (std::size_t i = 0; i < corners; ++i)
    if (facet[i] != facet[(i + 1) % corners])
      kept[count++] = facet[i];
  return count < 3 ? Facet{-1, -1, -1, -1} : kept;
}

/// Of triangles that lie on a line no normal can be told; a quadrilateral has one if either half has.
bool has_area(const std::vector<Vec3>& nodes, const Facet& facet) {
  constexpr double least_sine = 1e-12;
  const auto half_has = [&](std::size_t i, std::size_t j, std::size_t k) {
    const Vec3& x = nodes[static_cast<std::size_t>(facet[i])];
    const Vec3 e = nodes[static_cast<std::size_t>(facet[j])] - x, f = nodes[static_cast<std::size_t>(facet[k])] - x;
    return e.cross(f).norm() > least_sine * e.norm() * f.norm();
  };
  return half_has(0, 1, 2) || (facet[3] >= 0 && half_has(0, 2, 3));
}

std::vector<Facet> good_facets(const std::vector<Vec3>& nodes, const std::vector<Facet>& facets,
                               MeshFindings& findings) {
  const auto count = static_cast<int>(nodes.size());
  for (int i = 0; i < count; ++i)
    if (!nodes[static_cast<std::size_t>(i)].allFinite())
      findings.bad_nodes.push_back(i);
  const auto bad = [&](int node) {
    return node < 0 || node >= count || !nodes[static_cast<std::size_t>(node)].allFinite();
  };
  std::vector<Facet> good;
  for (std::size_t i = 0; i < facets.size(); ++i) {
    const Facet& facet = facets[i];
    if (std::any_of(facet.begin(), facet.begin() + static_cast<std::ptrdiff_t>(corners_of(facet)), bad)) {
      findings.bad_facets.push_back(static_cast<int>(i));
      continue;
    }
    const Facet kept = without_repeats(facet);
    if (kept[0] < 0 || !has_area(nodes, kept))
      findings.degenerate_facets.push_back(static_cast<int>(i));
    else
      good.push_back(kept);
  }
  return good;
}

/// A side of a facet, as its edge goes from the lower node to the higher.
struct Side {
  int low, high;
  int facet, number;
  bool forwards; ///< the facet goes from low to high
};

MeshTopology find_edges(Mesh& mesh, MeshFindings& findings) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < mesh.facets.size(); ++i) {
    const Facet& facet = mesh.facets[i];
    const std::size_t corners = corners_of(facet);
    for (std::size_t k = 0; k < corners; ++k) {
      const int from = facet[k], to = facet[(k + 1) % corners];
      sides.push_back({std::min(from, to), std::max(from, to), static_cast<int>(i), static_cast<int>(k), from < to});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& p, const Side& q) {
    return std::array{p.low, p.high, p.facet, p.number} < std::array{q.low, q.high, q.facet, q.number};
  });
  MeshTopology topology;
  topology.edges_of_facet.assign(mesh.facets.size(), {-1, -1, -1, -1});
  for (std::size_t first = 0, next = 0; first < sides.size(); first = next) {
    const std::array<int, 2> edge{sides[first].low, sides[first].high};
    std::vector<int>& facets = topology.facets_of_edge.emplace_back();
    for (next = first; next < sides.size() && sides[next].low == edge[0] && sides[next].high == edge[1]; ++next) {
      facets.push_back(sides[next].facet);
      topology
          .edges_of_facet[static_cast<std::size_t>(sides[next].facet)][static_cast<std::size_t>(sides[next].number)] =
          static_cast<int>(mesh.edges.size());
    }
    mesh.edges.push_back(edge);
    if (facets.size() == 1)
      findings.open.push_back(edge);
    else if (facets.size() > 2)
      findings.non_manifold.push_back(edge);
    else if (sides[first].forwards == sides[first + 1].forwards)
      findings.turned.push_back(edge);
  }
  topology.closed = findings.closed() && !mesh.facets.empty();
  return topology;
}

/// By tetrahedra on a point of the mesh, which keeps the digits of meshes far from the origin.
double enclosed_volume(const Mesh& mesh) {
  const Vec3 origin = mesh.nodes[static_cast<std::size_t>(mesh.facets[0][0])];
  const auto x = [&](int node) -> Vec3 { return mesh.nodes[static_cast<std::size_t>(node)] - origin; };
  double sum = 0;
  for (const Facet& facet : mesh.facets) {
    sum += x(facet[0]).dot(x(facet[1]).cross(x(facet[2])));
    if (facet[3] >= 0)
      sum += x(facet[0]).dot(x(facet[2]).cross(x(facet[3])));
  }
  return sum / 6;
}

} // namespace

Mesh make_mesh(std::vector<Vec3> nodes, const std::vector<std::array<int, 4>>& facets, double radius,
               MeshFindings& findings) {
  Mesh mesh;
  mesh.radius = radius;
  mesh.facets = good_facets(nodes, facets, findings);
  mesh.nodes = std::move(nodes);
  MeshTopology topology = find_edges(mesh, findings);
  if (topology.closed) {
    findings.volume = enclosed_volume(mesh);
    findings.inward = findings.volume < 0;
  }
  const bool solid = topology.closed && !findings.inward;
  mesh.index = std::make_shared<const MeshIndex>(mesh, std::move(topology), solid);
  return mesh;
}

} // namespace emmy::contact
