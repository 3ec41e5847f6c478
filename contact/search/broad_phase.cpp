#include "contact/search/broad_phase.hpp"

#include "contact/surfaces/mesh_index.hpp"

#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory_resource>
#include <numeric>

namespace emmy::contact {

namespace {

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of placing a point: three products and four sums, each rounded to eps / 2 of the largest term; and as much again.
double rounding_of(const Placed& place, double distance) {
  return 8 * eps * (place.x.cwiseAbs().maxCoeff() + distance);
}

/// Box about balls of one radius.
class BoundsOfPoints {
public:
  explicit BoundsOfPoints(const Placed& place) : place_(place) {}

  void add(const Vec3& at) {
    const Vec3 turned = place_.direction(at);
    low_ = low_.cwiseMin(turned);
    high_ = high_.cwiseMax(turned);
    farthest_squared_ = std::max(farthest_squared_, at.squaredNorm());
  }

  Bounds with(double radius) const {
    const double room = radius + rounding_of(place_, std::sqrt(farthest_squared_) + radius);
    return {place_.x + low_ - Vec3::Constant(room), place_.x + high_ + Vec3::Constant(room)};
  }

private:
  const Placed& place_;
  Vec3 low_ = Vec3::Constant(infinity), high_ = Vec3::Constant(-infinity);
  double farthest_squared_ = 0;
};

Bounds bounds_of_points(const std::vector<Vec3>& points, double radius, const Placed& place) {
  BoundsOfPoints found(place);
  for (const Vec3& at : points)
    found.add(at);
  return found.with(radius);
}

struct BoundsOf {
  const Placed& place;

  Bounds operator()(const Sphere& sphere) const {
    BoundsOfPoints found(place);
    found.add(sphere.centre);
    return found.with(sphere.radius);
  }
  Bounds operator()(const Box& box) const {
    if (box.inside)
      return everywhere();
    const Vec3 centre = place.point(box.centre), reach = (place.Q * box.axes).cwiseAbs() * box.half;
    const Vec3 room = reach + Vec3::Constant(rounding_of(place, box.centre.norm() + box.half.norm()));
    return {centre - room, centre + room};
  }
  Bounds operator()(const Capsule& capsule) const {
    BoundsOfPoints found(place);
    found.add(capsule.a);
    found.add(capsule.b);
    return found.with(capsule.radius);
  }
  Bounds operator()(const NodeSet& nodes) const { return bounds_of_points(nodes.at, nodes.radius, place); }
  Bounds operator()(const Mesh& mesh) const { // with what has gone through a sheet
    return bounds_of_points(mesh.nodes, mesh.radius + (mesh.index ? mesh.index->behind() : 0), place);
  }
  Bounds operator()(const Shell&) const { return everywhere(); }
  Bounds operator()(const HalfSpace&) const { return everywhere(); }

  static Bounds everywhere() { return {Vec3::Constant(-infinity), Vec3::Constant(infinity)}; }
};

struct ClearanceOf {
  const Placed& place;
  Vec3 centre, half; // of the box

  double operator()(const HalfSpace& plane) const {
    const Vec3 normal = place.direction(plane.normal);
    return normal.dot(centre - place.x) - normal.cwiseAbs().dot(half) - plane.offset - rounding(plane.offset);
  }
  double operator()(const Shell& shell) const {
    const Vec3 farthest = (centre - place.point(shell.centre)).cwiseAbs() + half;
    return shell.radius - farthest.norm() - rounding(shell.centre.norm() + shell.radius);
  }
  double operator()(const Box& room) const {
    const Mat3 axes = place.Q * room.axes;
    const Vec3 farthest =
        (axes.transpose() * (centre - place.point(room.centre))).cwiseAbs() + axes.cwiseAbs().transpose() * half;
    return (room.half - farthest).minCoeff() - rounding(room.centre.norm() + room.half.norm());
  }
  template <class Bounded>
  double operator()(const Bounded&) const {
    return -infinity;
  }

  double rounding(double size) const {
    return 2 * rounding_of(place, std::abs(size) + centre.cwiseAbs().maxCoeff() + half.maxCoeff());
  }
};

/// What is needed of a surface to tell whether it meets another: side by side, where surfaces themselves lie far apart.
struct Tag {
  int surface, of_class;
  Index port;
};

using Corner = bg::model::point<double, 3, bg::cs::cartesian>;
using TreeBox = bg::model::box<Corner>;
using Entry = std::pair<TreeBox, Tag>;
struct SameSurface {
  bool operator()(const Entry& a, const Entry& b) const { return a.second.surface == b.second.surface; }
};
using Nodes = bgi::rstar<8>; // at most 8 boxes a node; 16 and 32 cost the same, and packing knows no splitting
using Tree = bgi::rtree<Entry, Nodes, bgi::indexable<Entry>, SameSurface, std::pmr::polymorphic_allocator<Entry>>;
constexpr std::size_t group_size = 16;

TreeBox tree_box(const Bounds& box) {
  return {Corner(box.low[0], box.low[1], box.low[2]), Corner(box.high[0], box.high[1], box.high[2])};
}

/// Boxes that a group of neighbours may meet, by coordinate, so that they are compared without branches.
class Neighbourhood {
public:
  void clear() {
    for (std::vector<double>& side : sides_)
      side.clear();
    tags_.clear();
  }
  void add(const Entry& entry) {
    const Sides sides = sides_of(entry.first);
    for (std::size_t k = 0; k < sides.size(); ++k)
      sides_[k].push_back(sides[k]);
    tags_.push_back(entry.second);
  }
  /// Calls meet(a, b) for all b that `entry` overlaps and that have higher numbers.
  template <class Meet>
  void overlaps(const Entry& entry, const Meet& meet) {
    const Sides own = sides_of(entry.first);
    const int surface = entry.second.surface;
    hits_.resize(tags_.size() + 1);
    std::size_t found = 0;
    for (std::size_t j = 0; j < tags_.size(); ++j) {
      hits_[found] = j;
      // Numbers instead of conditions: no branch.
      const auto holds = [](bool condition) { return static_cast<std::size_t>(condition); };
      found += holds(sides_[0][j] <= own[3]) & holds(sides_[3][j] >= own[0]) & holds(sides_[1][j] <= own[4]) &
               holds(sides_[4][j] >= own[1]) & holds(sides_[2][j] <= own[5]) & holds(sides_[5][j] >= own[2]) &
               holds(surface < tags_[j].surface);
    }
    for (std::size_t k = 0; k < found; ++k)
      meet(entry.second, tags_[hits_[k]]);
  }

private:
  using Sides = std::array<double, 6>; // low x y z, high x y z
  static Sides sides_of(const TreeBox& box) {
    const Corner &low = box.min_corner(), &high = box.max_corner();
    return {bg::get<0>(low), bg::get<1>(low), bg::get<2>(low), bg::get<0>(high), bg::get<1>(high), bg::get<2>(high)};
  }

  std::array<std::vector<double>, 6> sides_;
  std::vector<Tag> tags_;
  std::vector<std::size_t> hits_;
};

} // namespace

Bounds bounds(const Geometry& geometry, const Placed& place) {
  return std::visit(BoundsOf{place}, geometry);
}

bool is_unbounded(const Geometry& geometry) {
  const Box* box = std::get_if<Box>(&geometry);
  return (box && box->inside) || std::holds_alternative<Shell>(geometry) || std::holds_alternative<HalfSpace>(geometry);
}

double clearance(const Geometry& unbounded, const Placed& place, const Bounds& box) {
  return std::visit(ClearanceOf{place, (box.low + box.high) / 2, (box.high - box.low) / 2}, unbounded);
}

struct BroadPhase::Work {
  std::pmr::unsynchronized_pool_resource nodes; // of the tree; keeps what it has
  std::vector<Bounds> boxes;                    // by surface, with margins
  std::vector<Entry> bounded, group;
  std::vector<Tag> apart; // surfaces that are not in the tree
  Neighbourhood neighbourhood;
  std::vector<SurfacePair> found;
  std::vector<std::size_t> starts; // by surface, of its pairs

  void collect(const Scene& scene, const std::vector<Placed>& places, const std::vector<double>& margins);
  void find_among_bounded(const Scene& scene);
  void find_apart(const Scene& scene, const std::vector<Placed>& places, const std::vector<double>& margins);
  void sort_into(std::vector<SurfacePair>& out);

  void add(const Scene& scene, const Tag& a, const Tag& b) {
    const int rule = scene.rule(a.port, a.of_class, b.port, b.of_class);
    if (rule >= 0)
      found.push_back({std::min(a.surface, b.surface), std::max(a.surface, b.surface), rule});
  }
};

/// Boxes of all surfaces that are somewhere.
void BroadPhase::Work::collect(const Scene& scene, const std::vector<Placed>& places,
                               const std::vector<double>& margins) {
  boxes.clear();
  bounded.clear();
  apart.clear();
  for (std::size_t s = 0; s < scene.surfaces.size(); ++s) {
    const Surface& surface = scene.surfaces[s];
    Bounds box = bounds(surface.geometry, places[static_cast<std::size_t>(surface.port)]);
    if ((box.low.array() <= box.high.array()).all() || box.low.hasNaN()) {
      box.low.array() -= margins[s];
      box.high.array() += margins[s];
      const Tag tag{static_cast<int>(s), scene.class_of[s], surface.port};
      if (box.low.allFinite() && box.high.allFinite())
        bounded.emplace_back(tree_box(box), tag);
      else
        apart.push_back(tag);
    }
    boxes.push_back(box);
  }
}

/// Entries that follow one another in the tree are neighbours: what they may meet is looked up for a group at once.
void BroadPhase::Work::find_among_bounded(const Scene& scene) {
  const auto meet = [&](const Tag& a, const Tag& b) { add(scene, a, b); };
  if (bounded.size() <= group_size) { // one group: a tree would spare nothing
    neighbourhood.clear();
    for (const Entry& entry : bounded)
      neighbourhood.add(entry);
    for (const Entry& entry : bounded)
      neighbourhood.overlaps(entry, meet);
    return;
  }
  const Tree tree(bounded.begin(), bounded.end(), Nodes(), bgi::indexable<Entry>(), SameSurface(),
                  std::pmr::polymorphic_allocator<Entry>(&nodes));
  const auto look_up = [&] {
    TreeBox all = group.front().first;
    for (const Entry& entry : group)
      bg::expand(all, entry.first);
    neighbourhood.clear();
    tree.query(bgi::intersects(all),
               boost::make_function_output_iterator([&](const Entry& entry) { neighbourhood.add(entry); }));
    for (const Entry& entry : group)
      neighbourhood.overlaps(entry, meet);
    group.clear();
  };
  for (const Entry& entry : tree) {
    group.push_back(entry);
    if (group.size() == group_size)
      look_up();
  }
  if (!group.empty())
    look_up();
}

void BroadPhase::Work::find_apart(const Scene& scene, const std::vector<Placed>& places,
                                  const std::vector<double>& margins) {
  const auto geometry = [&](const Tag& tag) -> const Geometry& {
    return scene.surfaces[static_cast<std::size_t>(tag.surface)].geometry;
  };
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const Tag& a = apart[i];
    const bool unbounded = is_unbounded(geometry(a));
    const Placed& place = places[static_cast<std::size_t>(a.port)];
    const double margin = margins[static_cast<std::size_t>(a.surface)];
    for (const auto& [box, b] : bounded)
      // The box has the margin of the other already; what cannot be compared is near.
      if (!unbounded || !(clearance(geometry(a), place, boxes[static_cast<std::size_t>(b.surface)]) > margin))
        add(scene, a, b);
    for (std::size_t j = i + 1; j < apart.size(); ++j)
      if (can_meet(geometry(a), geometry(apart[j])))
        add(scene, a, apart[j]);
  }
}

/// By the first surface in linear time, and the few pairs of each by the second.
void BroadPhase::Work::sort_into(std::vector<SurfacePair>& out) {
  starts.assign(boxes.size() + 1, 0);
  for (const SurfacePair& pair : found)
    ++starts[static_cast<std::size_t>(pair.a) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  out.resize(found.size());
  for (const SurfacePair& pair : found)
    out[starts[static_cast<std::size_t>(pair.a)]++] = pair;
  // Every start has become the end of its own pairs, which is where those of the next begin.
  std::size_t first = 0;
  for (const std::size_t end : starts) {
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
  }
}

BroadPhase::BroadPhase() : work_(std::make_unique<Work>()) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;

void BroadPhase::find(const Scene& scene, const std::vector<Placed>& places, const std::vector<double>& margins,
                      std::vector<SurfacePair>& out) {
  work_->found.clear();
  work_->collect(scene, places, margins);
  work_->find_among_bounded(scene);
  work_->find_apart(scene, places, margins);
  work_->sort_into(out);
}

} // namespace emmy::contact
