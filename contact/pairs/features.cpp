#include "contact/pairs/features.hpp"

#include "contact/geometry/box_box.hpp"

#include <algorithm>
#include <limits>

namespace emmy::contact {

bool is_nearest(const Capsule& capsule, int end, const Vec3& normal) {
  const Vec3 along = direction_of(capsule.b - capsule.a, Vec3::Zero()).along;
  return normal.dot(end == 0 ? along : -along) >= -steepest;
}

bool is_nearest(const Box& box, int corner, const Vec3& normal) {
  return leaves_box(-(box.axes.transpose() * normal), corner);
}

bool is_nearest(const Mesh& mesh, int node, const Vec3& normal) {
  const auto ways = mesh.index->ways_from(node);
  return std::all_of(ways.begin(), ways.end(), [&](const Vec3& way) { return normal.dot(way) >= -steepest; });
}

double deepest_crossing(const Capsule&) {
  return std::numeric_limits<double>::infinity();
}

double deepest_crossing(const Box& box) {
  return box.half.minCoeff();
}

double deepest_crossing(const Mesh& mesh) {
  return std::min(mesh.index->mean_edge(), mesh.index->thickness() / 2);
}

bool is_inside(const Capsule&, const Vec3&, double) {
  return true;
}

bool is_inside(const Box& box, const Vec3& p, double tolerance) {
  return ((box.axes.transpose() * (p - box.centre)).cwiseAbs() - box.half).maxCoeff() <= tolerance;
}

bool is_inside(const Mesh& mesh, const Vec3& p, double tolerance) {
  Touch touch;
  return mesh.index->nearest(mesh, p, tolerance, touch);
}

constexpr double flush = 1e-9; ///< of the depth that is looked at: what is beside a face by less is rounding

void faces_before(const Capsule&, const Vec3&, std::vector<Touch>&) {}

void faces_before(const Box& box, const Vec3& p, std::vector<Touch>& out) {
  for (int face = 0; face < box_faces; ++face) {
    const Touch wall = touch_wall(p, box.half, face); // as seen from inside
    Vec3 beside = p.cwiseAbs() - box.half;
    beside[face / 2] = 0;
    const double deepest = deepest_crossing(box);
    if (wall.distance >= 0 && wall.distance <= deepest && beside.maxCoeff() <= flush * deepest)
      out.push_back(from_box(box, {wall.at, -wall.normal, -wall.distance}));
  }
}

void faces_before(const Mesh& mesh, const Vec3& p, std::vector<Touch>& out) {
  const std::size_t first = out.size();
  const double deepest = deepest_crossing(mesh);
  mesh.index->facets_before(mesh, p, deepest, flush * deepest, out);
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].at += mesh.radius * out[i].normal;
    out[i].distance -= mesh.radius;
  }
}

Extent extent_of(const Capsule& capsule) {
  const Vec3 skin = Vec3::Constant(capsule.radius);
  return {capsule.a.cwiseMin(capsule.b) - skin, capsule.a.cwiseMax(capsule.b) + skin};
}

Extent extent_of(const Box& box) {
  const Vec3 half = box.axes.cwiseAbs() * box.half;
  return {box.centre - half, box.centre + half};
}

Extent extent_of(const Mesh& mesh) {
  const Vec3 skin = Vec3::Constant(mesh.radius);
  return {mesh.index->low() - skin, mesh.index->high() + skin};
}

void edges_near(const Capsule& capsule, const Extent&, double, std::vector<EdgeFeature>& out) {
  out.push_back({-1, {capsule.a, capsule.b}, {Vec3::Zero(), Vec3::Zero()}, capsule.radius});
}

void edges_near(const Box& box, const Extent&, double, std::vector<EdgeFeature>& out) {
  for (int edge = 0; edge < box_edges; ++edge) {
    const std::array<int, 2> ends = ends_of_edge(edge);
    EdgeFeature& feature = out.emplace_back();
    feature.number = edge;
    for (std::size_t i = 0; i < 2; ++i) {
      feature.x[i] = box.centre + box.axes * corner_of_box(box.half, ends[i]);
      const int across = (edge / 4 + 1 + static_cast<int>(i)) % 3;
      feature.into[i] = (ends[0] >> across & 1 ? -1 : 1) * box.axes.col(across);
    }
  }
}

void edges_near(const Mesh& mesh, const Extent& extent, double range, std::vector<EdgeFeature>& out) {
  const Vec3 around = Vec3::Constant(std::max(range + mesh.radius, deepest_crossing(mesh)));
  thread_local std::vector<const SharpEdge*> near;
  near.clear();
  mesh.index->sharp_edges_near(extent.low - around, extent.high + around, near);
  for (const SharpEdge* edge : near)
    out.push_back({edge->number, edge->x, edge->into, mesh.radius});
}

bool is_behind_another(const FoundCrossing& found, const std::vector<FoundCrossing>& all) {
  const double depth = std::abs(found.crossing.distance);
  return std::any_of(all.begin(), all.end(), [&](const FoundCrossing& other) {
    if (!(std::abs(other.crossing.distance) < depth))
      return false;
    const bool same_slave = other.slave.number == found.slave.number,
               same_master = other.master.number == found.master.number;
    return (same_slave && (other.crossing.on_slave - found.crossing.on_slave).norm() < 2 * depth) ||
           (same_master && (other.crossing.on_master - found.crossing.on_master).norm() < 2 * depth);
  });
}

void add_crossing(const FoundCrossing& found, Collector& points) {
  const auto& [slave, master, crossing] = found;
  Touch touch{crossing.on_master + master.radius * crossing.normal, crossing.normal, crossing.distance - master.radius};
  touch.N = {1 - crossing.t, crossing.t, 0, 0};
  points.add(slave.number, points.in_slave(crossing.on_slave), slave.radius, master.number, touch).slave.N = {
      1 - crossing.s, crossing.s, 0, 0};
}

} // namespace emmy::contact
