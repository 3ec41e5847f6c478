#include "contact/surfaces/surface.hpp"

#include "contact/surfaces/mesh_index.hpp"

#include <algorithm>
#include <limits>

namespace emmy::contact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double farthest(const std::vector<Vec3>& points) {
  double squared = 0;
  for (const Vec3& x : points)
    squared = std::max(squared, x.squaredNorm());
  return std::sqrt(squared);
}

struct Reach {
  double operator()(const Sphere& s) const { return s.centre.norm() + s.radius; }
  double operator()(const Shell& s) const { return s.centre.norm() + s.radius; }
  double operator()(const HalfSpace&) const { return infinite; }
  double operator()(const Box& box) const { return (box.half + (box.axes.transpose() * box.centre).cwiseAbs()).norm(); }
  double operator()(const Capsule& c) const { return std::max(c.a.norm(), c.b.norm()) + c.radius; }
  double operator()(const NodeSet& set) const { return farthest(set.at) + set.radius; }
  double operator()(const Mesh& mesh) const { return farthest(mesh.nodes) + mesh.radius; }
};

struct Thickness {
  double operator()(const Sphere& s) const { return 2 * s.radius; }
  double operator()(const Shell&) const { return infinite; }
  double operator()(const HalfSpace&) const { return infinite; }
  double operator()(const Box& box) const { return box.inside ? infinite : 2 * box.half.minCoeff(); }
  double operator()(const Capsule& c) const { return 2 * c.radius; }
  double operator()(const NodeSet& set) const { return 2 * set.radius; }
  double operator()(const Mesh& mesh) const { return 2 * mesh.radius + (mesh.index ? mesh.index->thickness() : 0); }
};

} // namespace

double reach(const Geometry& geometry) {
  return std::visit(Reach{}, geometry);
}

double thickness(const Geometry& geometry) {
  return std::visit(Thickness{}, geometry);
}

} // namespace emmy::contact
