#include "verification/unit/contact/random_shapes.hpp"

#include <cmath>
#include <limits>

namespace emmy::test {

using namespace contact;

Geometry random_shape(Kind kind, Random& random) {
  switch (kind) {
  case Kind::sphere:
    return Sphere{random.vector(0.3), random.between(0.2, 1)};
  case Kind::shell:
    return Shell{random.vector(0.3), random.between(5, 6)};
  case Kind::half_space:
    return HalfSpace{random.direction(), random.between(-1, 1)};
  case Kind::block:
  case Kind::room: {
    Box box;
    box.centre = random.vector(0.3);
    box.axes = random.triad();
    box.inside = kind == Kind::room;
    const double smallest = box.inside ? 4 : 0.2;
    box.half = {random.between(smallest, smallest + 1), random.between(smallest, smallest + 1),
                random.between(smallest, smallest + 1)};
    return box;
  }
  case Kind::mesh: {
    const Box box = std::get<Box>(random_shape(Kind::block, random));
    const double draw = random.between(0, 3);
    return box_mesh(box,
                    draw < 1   ? Facets::triangles
                    : draw < 2 ? Facets::fans
                               : Facets::quads,
                    random.between(0, 1) < 0.5 ? 0 : 0.1);
  }
  case Kind::capsule:
    return Capsule{random.vector(), random.vector(), random.between(0.1, 0.5)};
  case Kind::nodes: {
    NodeSet nodes;
    nodes.at.resize(5);
    for (Vec3& at : nodes.at)
      at = random.vector();
    nodes.radius = random.between(0, 0.3);
    return nodes;
  }
  }
  return {};
}

Mesh box_mesh(const Box& box, Facets facets, double radius) {
  std::vector<Vec3> nodes;
  for (int i = 0; i < 8; ++i)
    nodes.push_back(box.centre +
                    box.axes * box.half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  std::vector<std::array<int, 4>> sides;
  for (const auto& [a, b, c, d] : std::vector<std::array<int, 4>>{
           {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}) {
    if (facets == Facets::quads)
      sides.push_back({a, b, c, d});
    if (facets == Facets::triangles)
      sides.insert(sides.end(), {{a, b, c, -1}, {a, c, d, -1}});
    if (facets == Facets::fans) {
      const auto middle = static_cast<int>(nodes.size());
      nodes.push_back((nodes[static_cast<std::size_t>(a)] + nodes[static_cast<std::size_t>(c)]) / 2);
      sides.insert(sides.end(), {{a, b, middle, -1}, {b, c, middle, -1}, {c, d, middle, -1}, {d, a, middle, -1}});
    }
  }
  MeshFindings findings;
  return make_mesh(nodes, sides, radius, findings);
}

Geometry scaled(Geometry geometry, double scale) {
  struct Scale {
    double by;
    void operator()(Sphere& s) const { s = {by * s.centre, by * s.radius}; }
    void operator()(Shell& s) const { s = {by * s.centre, by * s.radius}; }
    void operator()(HalfSpace& h) const { h.offset *= by; }
    void operator()(Box& box) const { box = {by * box.centre, by * box.half, box.axes, box.inside}; }
    void operator()(Capsule& c) const { c = {by * c.a, by * c.b, by * c.radius}; }
    void operator()(NodeSet& nodes) const {
      nodes.radius *= by;
      for (Vec3& at : nodes.at)
        at *= by;
    }
    void operator()(Mesh& mesh) const {
      for (Vec3& at : mesh.nodes)
        at *= by;
      MeshFindings findings;
      mesh = make_mesh(mesh.nodes, mesh.facets, by * mesh.radius, findings);
    }
  };
  std::visit(Scale{scale}, geometry);
  return geometry;
}

Placed random_place(Random& random, double distance) {
  return {distance * random.direction(), random.triad()};
}

Scene scene_of(Geometry a, Geometry b) {
  Scene scene;
  scene.surfaces = {{"a", 1, std::move(a)}, {"b", 2, std::move(b)}};
  scene.class_of = {0, 0};
  scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  scene.rules.resize(1);
  return scene;
}

Vec3 Core::nearest(const Vec3& p) const {
  const Vec3 at = axes.transpose() * (p - centre);
  return centre + axes * at.cwiseMax(-half).cwiseMin(half);
}

std::vector<Core> cores_of(const Geometry& geometry, const Placed& place) {
  std::vector<Core> cores;
  if (const auto* sphere = std::get_if<Sphere>(&geometry))
    cores.push_back({place.point(sphere->centre), Mat3::Identity(), Vec3::Zero(), sphere->radius});
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) {
    const Vec3 along = place.direction(capsule->b - capsule->a);
    const Mat3 axes = Quaternion::FromTwoVectors(Vec3::UnitX(), along).toRotationMatrix();
    cores.push_back({place.point((capsule->a + capsule->b) / 2), axes, {along.norm() / 2, 0, 0}, capsule->radius});
  }
  if (const auto* nodes = std::get_if<NodeSet>(&geometry))
    for (const Vec3& at : nodes->at)
      cores.push_back({place.point(at), Mat3::Identity(), Vec3::Zero(), nodes->radius});
  if (const auto* box = std::get_if<Box>(&geometry); box && !box->inside)
    cores.push_back({place.point(box->centre), place.Q * box->axes, box->half, 0});
  if (const auto* mesh = std::get_if<Mesh>(&geometry)) {
    const auto x = [&](std::size_t i) -> Vec3 { return place.point(mesh->nodes[i]); };
    const Vec3 along_x = x(1) - x(0), along_y = x(2) - x(0), along_z = x(4) - x(0);
    Core& core = cores.emplace_back();
    core.centre = (x(0) + x(7)) / 2;
    core.axes << along_x.normalized(), along_y.normalized(), along_z.normalized();
    core.half = Vec3(along_x.norm(), along_y.norm(), along_z.norm()) / 2;
    core.radius = mesh->radius;
  }
  return cores;
}

Vec3 Core::corner(int number) const {
  return centre + axes * half.cwiseProduct(Vec3(number & 1 ? 1 : -1, number & 2 ? 1 : -1, number & 4 ? 1 : -1));
}

namespace {

double infinity() {
  return std::numeric_limits<double>::infinity();
}

/// Least distance of the corners and of all pairs of edges: that of the cores if these are apart.
double distance_by_enumeration(const Core& a, const Core& b) {
  double least = infinity();
  for (int i = 0; i < 8; ++i)
    least =
        std::min({least, (a.corner(i) - b.nearest(a.corner(i))).norm(), (b.corner(i) - a.nearest(b.corner(i))).norm()});
  const auto repeated = [](const Core& core, int corner) {
    return (core.half.x() == 0 && corner & 1) || (core.half.y() == 0 && corner & 2) ||
           (core.half.z() == 0 && corner & 4);
  };
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      if (repeated(a, i) || repeated(b, j))
        continue;
      const Vec3 from_a = a.corner(i), from_b = b.corner(j), w = from_b - from_a;
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
          // From the corners that are on the negative side along k and l; ends of edges are corners.
          if (i >> k & 1 || j >> l & 1)
            continue;
          const Vec3 u = a.corner(i | 1 << k) - from_a, v = b.corner(j | 1 << l) - from_b;
          Eigen::Matrix2d gram;
          gram << u.dot(u), -u.dot(v), -u.dot(v), v.dot(v);
          if (!(std::abs(gram.determinant()) > 1e-20))
            continue;
          const Eigen::Vector2d at = gram.inverse() * Eigen::Vector2d(u.dot(w), -v.dot(w));
          if (at.minCoeff() > 0 && at.maxCoeff() < 1)
            least = std::min(least, (at[0] * u - at[1] * v - w).norm());
        }
    }
  return least;
}

} // namespace

double core_distance(const Core& a, const Core& b) {
  const double apart = distance_by_enumeration(a, b);
  // Projection on the one and the other in turn comes to the closest points of convex bodies, also of those that
  // overlap.
  Vec3 x = a.centre;
  double distance = infinity();
  for (double before = infinity(); distance == infinity() || distance < before * (1 - 1e-9);) {
    const Vec3 y = b.nearest(x);
    x = a.nearest(y);
    before = distance;
    distance = (x - y).norm();
  }
  return distance < apart * (1 - 1e-9) ? 0 : apart;
}

namespace {

/// Least of the values that a function takes on the corners of all cores, less the rounding.
template <class Value>
double least_at_corners(const std::vector<Core>& cores, const Value& value) {
  double least = infinity();
  for (const Core& core : cores)
    for (int i = 0; i < 8; ++i)
      least = std::min(least, value(core.corner(i)) - core.radius);
  return least;
}

/// Distance of cores from a wall that goes around them.
double wall_distance(const std::vector<Core>& cores, const Geometry& wall, const Placed& place) {
  return least_at_corners(cores, [&](const Vec3& x) {
    const Vec3 p = place.coordinates(x);
    if (const auto* shell = std::get_if<Shell>(&wall))
      return shell->radius - (p - shell->centre).norm();
    if (const auto* half_space = std::get_if<HalfSpace>(&wall))
      return half_space->normal.dot(p) - half_space->offset;
    const Box& room = std::get<Box>(wall);
    double least = infinity();
    for (int i = 0; i < 3; ++i)
      for (const double side : {-1, 1})
        least = std::min(least, room.half[i] - side * room.axes.col(i).dot(p - room.centre));
    return least;
  });
}

} // namespace

double distance_of(const Geometry& a, const Placed& at_a, const Geometry& b, const Placed& at_b) {
  const std::vector<Core> cores_a = cores_of(a, at_a), cores_b = cores_of(b, at_b);
  if (cores_a.empty())
    return wall_distance(cores_b, a, at_a);
  if (cores_b.empty())
    return wall_distance(cores_a, b, at_b);
  double least = infinity();
  for (const Core& x : cores_a)
    for (const Core& y : cores_b)
      least = std::min(least, core_distance(x, y) - x.radius - y.radius);
  return least;
}

std::vector<ContactPoint> points_of(const Scene& scene, const Placed& a, const Placed& b, double margin) {
  std::vector<ContactPoint> points;
  near_points(scene, {0, 1, 0}, a, b, margin, points);
  return points;
}

} // namespace emmy::test
