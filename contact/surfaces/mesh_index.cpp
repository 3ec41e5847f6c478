#include "contact/surfaces/mesh_index.hpp"

#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace emmy::contact {

namespace {

namespace bg = boost::geometry;
using TreePoint = bg::model::point<double, 3, bg::cs::cartesian>;
using TreeBox = bg::model::box<TreePoint>;
using Tree = bg::index::rtree<std::pair<TreeBox, int>, bg::index::rstar<16>>;

TreeBox tree_box(const Vec3& low, const Vec3& high) {
  return {{low.x(), low.y(), low.z()}, {high.x(), high.y(), high.z()}};
}

/// Calls with the numbers of all entries whose boxes meet a box; allocates nothing.
template <class Found>
class Caller {
public:
  using iterator_category = std::output_iterator_tag;
  using value_type = void;
  using difference_type = void;
  using pointer = void;
  using reference = void;

  explicit Caller(const Found& found) : found_(&found) {}
  Caller& operator*() { return *this; }
  Caller& operator++() { return *this; }
  Caller& operator++(int) { return *this; }
  Caller& operator=(const std::pair<TreeBox, int>& entry) {
    (*found_)(entry.second);
    return *this;
  }

private:
  const Found* found_;
};

template <class Found>
void for_entries(const Tree& tree, const Vec3& low, const Vec3& high, const Found& found) {
  tree.query(bg::index::intersects(tree_box(low, high)), Caller<Found>(found));
}

template <class Points>
std::pair<TreeBox, int> entry(const Points& points, std::size_t count, std::size_t number) {
  Vec3 low = points[0], high = points[0];
  for (std::size_t i = 1; i < count; ++i) {
    low = low.cwiseMin(points[i]);
    high = high.cwiseMax(points[i]);
  }
  return {tree_box(low, high), static_cast<int>(number)};
}

/// A facet with its corners.
struct Corners {
  std::array<Vec3, 4> x;
  std::size_t count;

  Corners(const Mesh& mesh, std::size_t facet) : count(corners_of(mesh.facets[facet])) {
    for (std::size_t i = 0; i < count; ++i)
      x[i] = mesh.nodes[static_cast<std::size_t>(mesh.facets[facet][i])];
  }

  ClosestOnFacet closest(const Vec3& p) const {
    return count == 3 ? closest_on_triangle(p, {x[0], x[1], x[2]}) : closest_on_quad(p, x);
  }

  /// Unit normal where the corners have the weights N; zero if there is none.
  Vec3 normal(const std::array<double, 4>& N) const {
    const Vec3 n = count == 3 ? Vec3((x[1] - x[0]).cross(x[2] - x[0])) : quad_normal(x, N);
    return direction_of(n, Vec3::Zero()).along;
  }

  Vec3 normal_at_corner(std::size_t i) const {
    std::array<double, 4> N{};
    N[i] = 1;
    return normal(N);
  }

  Vec3 normal_on_edge(std::size_t i) const {
    std::array<double, 4> N{};
    N[i] = N[(i + 1) % count] = 0.5;
    return normal(N);
  }

  double angle_at(std::size_t i) const {
    const Vec3 e = x[(i + 1) % count] - x[i], f = x[(i + count - 1) % count] - x[i];
    return std::atan2(e.cross(f).norm(), e.dot(f));
  }
};

std::size_t as_size(int i) {
  return static_cast<std::size_t>(i);
}

} // namespace

struct MeshIndex::Trees {
  Tree facets, edges;
};

MeshIndex::~MeshIndex() = default;

MeshIndex::MeshIndex(const Mesh& mesh, MeshTopology topology, bool solid)
    : topology_(std::move(topology)), solid_(solid), trees_(std::make_unique<Trees>()) {
  std::vector<std::pair<TreeBox, int>> entries;
  for (std::size_t i = 0; i < mesh.facets.size(); ++i) {
    const Corners corners(mesh, i);
    entries.push_back(entry(corners.x, corners.count, i));
    for (std::size_t k = 0; k < corners.count; ++k) {
      low_ = i + k == 0 ? corners.x[k] : low_.cwiseMin(corners.x[k]).eval();
      high_ = i + k == 0 ? corners.x[k] : high_.cwiseMax(corners.x[k]).eval();
    }
  }
  trees_->facets = Tree(entries);
  for (const auto& edge : mesh.edges)
    mean_edge_ +=
        (mesh.nodes[as_size(edge[1])] - mesh.nodes[as_size(edge[0])]).norm() / static_cast<double>(mesh.edges.size());
  find_normals(mesh);
  find_sharp_edges(mesh);
  find_ways(mesh);
  find_thickness(mesh);
  find_patches(mesh);
}

std::size_t MeshIndex::side_of(int facet, std::size_t edge) const {
  const auto& own = topology_.edges_of_facet[as_size(facet)];
  return static_cast<std::size_t>(std::find(own.begin(), own.end(), static_cast<int>(edge)) - own.begin());
}

// On edges the sum of the normals of both sides, at nodes the sum weighted by angles: with these the sign of the
// distance is right wherever the nearest point is.
void MeshIndex::find_normals(const Mesh& mesh) {
  edge_normals_.assign(mesh.edges.size(), Vec3::Zero());
  node_normals_.assign(mesh.nodes.size(), Vec3::Zero());
  for (std::size_t i = 0; i < mesh.facets.size(); ++i) {
    const Corners corners(mesh, i);
    for (std::size_t k = 0; k < corners.count; ++k) {
      edge_normals_[as_size(topology_.edges_of_facet[i][k])] += corners.normal_on_edge(k);
      node_normals_[as_size(mesh.facets[i][k])] += corners.angle_at(k) * corners.normal_at_corner(k);
    }
  }
  for (std::size_t e = 0; e < mesh.edges.size(); ++e)
    if (topology_.facets_of_edge[e].size() == 1) {
      edge_normals_[e].setZero();
      for (const int node : mesh.edges[e])
        node_normals_[as_size(node)].setZero();
    }
}

void MeshIndex::find_sharp_edges(const Mesh& mesh) {
  constexpr double least_bend = 1e-6; // rad
  std::vector<std::pair<TreeBox, int>> entries;
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    SharpEdge edge;
    edge.number = static_cast<int>(e);
    edge.x = {mesh.nodes[as_size(mesh.edges[e][0])], mesh.nodes[as_size(mesh.edges[e][1])]};
    edge.into = {Vec3::Zero(), Vec3::Zero()};
    const std::vector<int>& facets = topology_.facets_of_edge[e];
    std::array<Vec3, 2> normals{Vec3::Zero(), Vec3::Zero()};
    for (std::size_t side = 0; side < std::min<std::size_t>(facets.size(), 2); ++side) {
      const std::size_t facet = as_size(facets[side]);
      const Corners corners(mesh, facet);
      const std::size_t k = side_of(facets[side], e);
      const Vec3 along = corners.x[(k + 1) % corners.count] - corners.x[k];
      normals[side] = corners.normal_on_edge(k);
      edge.into[side] = direction_of(normals[side].cross(along), Vec3::Zero()).along;
    }
    // The facet on one side goes down as seen from the other.
    if (facets.size() == 2 && !(normals[0].dot(edge.into[1]) < -least_bend))
      continue;
    entries.push_back(entry(edge.x, 2, sharp_.size()));
    sharp_.push_back(edge);
  }
  trees_->edges = Tree(entries);
}

void MeshIndex::find_ways(const Mesh& mesh) {
  first_way_.assign(mesh.nodes.size() + 1, 0);
  for (const auto& edge : mesh.edges)
    for (const int node : edge)
      ++first_way_[as_size(node) + 1];
  for (std::size_t i = 1; i < first_way_.size(); ++i)
    first_way_[i] += first_way_[i - 1];
  ways_.resize(2 * mesh.edges.size());
  std::vector<std::size_t> next = first_way_;
  for (const auto& edge : mesh.edges)
    for (std::size_t end = 0; end < 2; ++end) {
      const Vec3 way = mesh.nodes[as_size(edge[1 - end])] - mesh.nodes[as_size(edge[end])];
      ways_[next[as_size(edge[end])]++] = direction_of(way, Vec3::Zero()).along;
    }
}

void MeshIndex::find_patches(const Mesh& mesh) {
  constexpr double smooth = 0.98; // cosine of 0.2 rad
  patches_.resize(mesh.facets.size());
  std::iota(patches_.begin(), patches_.end(), 0);
  const auto lowest = [&](int facet) {
    while (patches_[as_size(facet)] != facet)
      facet = patches_[as_size(facet)] = patches_[as_size(patches_[as_size(facet)])];
    return facet;
  };
  for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
    const std::vector<int>& facets = topology_.facets_of_edge[e];
    if (facets.size() != 2)
      continue;
    const auto normal = [&](int facet) { return Corners(mesh, as_size(facet)).normal_on_edge(side_of(facet, e)); };
    if (normal(facets[0]).dot(normal(facets[1])) < smooth)
      continue;
    const auto [low, high] = std::minmax({lowest(facets[0]), lowest(facets[1])});
    patches_[as_size(high)] = low;
  }
  for (std::size_t i = 0; i < patches_.size(); ++i)
    patches_[i] = lowest(static_cast<int>(i));
  smooth_ = std::all_of(patches_.begin(), patches_.end(), [](int patch) { return patch == 0; });
}

void MeshIndex::find_thickness(const Mesh& mesh) {
  thickness_ = 2 * behind();
  if (!solid_)
    return;
  thickness_ = (high_ - low_).minCoeff();
  for (std::size_t i = 0; i < mesh.facets.size(); ++i) {
    const Corners own(mesh, i);
    Vec3 centre = Vec3::Zero();
    for (std::size_t k = 0; k < own.count; ++k)
      centre += own.x[k] / static_cast<double>(own.count);
    const ClosestOnFacet start = own.closest(centre);
    const Vec3 way = -own.normal(start.N), end = start.at + thickness_ * way;
    for_entries(trees_->facets, start.at.cwiseMin(end), start.at.cwiseMax(end), [&](int other) {
      const Corners hit(mesh, as_size(other));
      for (std::size_t k = 1; k + 1 < hit.count; ++k) {
        // The way meets the plane of the triangle where it comes out through the other side.
        const Vec3 e = hit.x[k] - hit.x[0], f = hit.x[k + 1] - hit.x[0], n = e.cross(f), r = start.at - hit.x[0];
        const double against = n.dot(way);
        if (as_size(other) == i || !(against > 0))
          continue;
        const double length = -n.dot(r) / against;
        const Vec3 at = r + length * way;
        const double squared = n.squaredNorm(), s = at.cross(f).dot(n) / squared, t = e.cross(at).dot(n) / squared;
        if (length > 0 && s >= 0 && t >= 0 && s + t <= 1)
          thickness_ = std::min(thickness_, length);
      }
    });
  }
}

bool MeshIndex::nearest_within(const Mesh& mesh, const Vec3& p, double range, Touch& out) const {
  ClosestOnFacet best;
  best.distance_squared = std::numeric_limits<double>::infinity();
  int nearest = -1;
  const Vec3 around = Vec3::Constant(range);
  for_entries(trees_->facets, p - around, p + around, [&](int facet) {
    const ClosestOnFacet closest = Corners(mesh, as_size(facet)).closest(p);
    // Where two are as near: the inside of a facet, then the lower number, whatever the order in which the tree gives
    // them.
    const auto order = [](const ClosestOnFacet& c, int number) {
      return std::make_tuple(c.distance_squared, c.part, number);
    };
    if (order(closest, facet) < order(best, nearest)) {
      best = closest;
      nearest = facet;
    }
  });
  if (!(best.distance_squared <= range * range))
    return false;
  const auto facet = as_size(nearest);
  const Vec3 facet_normal = Corners(mesh, facet).normal(best.N);
  Vec3 outwards = facet_normal; // tells which side p is on
  if (best.part == FacetPart::edge)
    outwards = edge_normals_[as_size(topology_.edges_of_facet[facet][as_size(best.number)])];
  else if (best.part == FacetPart::vertex)
    outwards = node_normals_[as_size(mesh.facets[facet][as_size(best.number)])];

  // On edges and nodes the normal is along the distance [C11], if that is more than rounding.
  const Vec3 d = p - best.at;
  constexpr double rounding = 1e-14;
  const double scale = low_.cwiseAbs().cwiseMax(high_.cwiseAbs()).maxCoeff();
  const Direction away = direction_of(d, Vec3::Zero());
  Vec3 normal = (d.dot(outwards) < 0 ? -1 : 1) * away.along;
  if (best.part == FacetPart::face || away.length <= rounding * scale)
    normal = direction_of(outwards, facet_normal).along;
  out = {best.at, normal, d.dot(normal), best.part == FacetPart::vertex, nearest, best.N};
  return true;
}

bool MeshIndex::nearest(const Mesh& mesh, const Vec3& p, double range, Touch& out) const {
  const double around = std::max(range, behind());
  if (mesh.facets.empty() || ((p - low_).array() < -around).any() || ((p - high_).array() > around).any())
    return false;
  if (nearest_within(mesh, p, range, out))
    return true;
  // Too far from all facets to be near them, but perhaps inside.
  const double farthest = solid_ ? (high_ - low_).norm() : behind();
  for (double wider = std::max(2 * range, mean_edge_ / 2); wider < 2 * farthest; wider *= 2)
    if (nearest_within(mesh, p, std::min(wider, farthest), out))
      return out.distance < 0;
  return false;
}

void MeshIndex::touches(const Mesh& mesh, const Vec3& p, double range, std::vector<Touch>& out) const {
  out.clear();
  Touch first;
  if (!nearest(mesh, p, range, first))
    return;
  out.push_back(first);
  if (smooth_ || first.distance < 0)
    return;
  const Vec3 around = Vec3::Constant(range);
  for_entries(trees_->facets, p - around, p + around, [&](int facet) {
    const int patch = patch_of(facet);
    const Corners corners(mesh, as_size(facet));
    const ClosestOnFacet closest = corners.closest(p);
    const Vec3 normal = corners.normal(closest.N);
    const double distance = normal.dot(p - closest.at);
    if (closest.part != FacetPart::face || distance < 0 || distance > range || patch == patch_of(first.facet))
      return;
    const auto same = std::find_if(out.begin(), out.end(), [&](const Touch& t) { return patch_of(t.facet) == patch; });
    if (same == out.end())
      out.push_back({closest.at, normal, distance, false, facet, closest.N});
    else if (distance < same->distance || (distance == same->distance && facet < same->facet))
      *same = {closest.at, normal, distance, false, facet, closest.N};
  });
  std::sort(out.begin(), out.end(),
            [&](const Touch& s, const Touch& t) { return patch_of(s.facet) < patch_of(t.facet); });
}

void MeshIndex::facets_before(const Mesh& mesh, const Vec3& p, double depth, double beside,
                              std::vector<Touch>& out) const {
  const Vec3 around = Vec3::Constant(depth);
  for_entries(trees_->facets, p - around, p + around, [&](int facet) {
    const Corners corners(mesh, as_size(facet));
    const ClosestOnFacet closest = corners.closest(p);
    const Vec3 normal = corners.normal(closest.N), d = p - closest.at;
    const double distance = normal.dot(d);
    if (distance <= 0 && distance >= -depth && (d - distance * normal).norm() <= beside)
      out.push_back({p - distance * normal, normal, distance, false, facet, closest.N});
  });
}

void MeshIndex::sharp_edges_near(const Vec3& low, const Vec3& high, std::vector<const SharpEdge*>& out) const {
  for_entries(trees_->edges, low, high, [&](int i) { out.push_back(&sharp_[as_size(i)]); });
}

} // namespace emmy::contact
