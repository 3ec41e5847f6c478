#include "contact/narrow.hpp"

#include "contact/pairs/balls.hpp"
#include "contact/pairs/boxes.hpp"
#include "contact/pairs/features.hpp"

#include <algorithm>
#include <type_traits>

namespace emmy::contact {

namespace {

template <class Kind, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<Kind, Kinds> || ...);

template <class Kind>
constexpr bool has_features = is_one_of<Kind, Capsule, Box, Mesh>;

bool is_room(const Box& box) {
  return box.inside;
}
template <class Kind>
bool is_room(const Kind&) {
  return false;
}

bool encloses(const Geometry& geometry) {
  const Box* box = std::get_if<Box>(&geometry);
  return std::holds_alternative<HalfSpace>(geometry) || std::holds_alternative<Shell>(geometry) || (box && box->inside);
}

/// A curve or a set of points: one of them never runs into another.
bool is_thin(const Geometry& geometry) {
  const NodeSet* nodes = std::get_if<NodeSet>(&geometry);
  const Capsule* capsule = std::get_if<Capsule>(&geometry);
  return (nodes && !(nodes->radius > 0)) || (capsule && !(capsule->radius > 0));
}

bool is_empty(const Geometry& geometry) {
  const Mesh* mesh = std::get_if<Mesh>(&geometry);
  return mesh && (!mesh->index || mesh->facets.empty());
}

/// Which of two is the slave: the one of lower rank. What encloses is always the master.
int rank_of(const Geometry& geometry) {
  struct Rank {
    int operator()(const NodeSet&) const { return 0; }
    int operator()(const Sphere&) const { return 1; }
    int operator()(const Capsule&) const { return 2; }
    int operator()(const Box&) const { return 3; }
    int operator()(const Mesh&) const { return 4; }
    int operator()(const Shell&) const { return 5; }
    int operator()(const HalfSpace&) const { return 5; }
  };
  return encloses(geometry) ? 5 : std::visit(Rank{}, geometry);
}

/// The points of a slave and a master.
struct Meet {
  const PlacedSurface &slave, &master;
  int rule;
  double margin;
  std::vector<ContactPoint>& out;

  template <class A, class B>
  void operator()(const A& a, const B& b) const {
    Collector points(slave, master, rule, margin, out);
    if constexpr (has_features<A> && has_features<B>) {
      if (!is_room(b)) {
        Collector reversed(master, slave, rule, margin, out);
        if constexpr (std::is_same_v<A, Box> && std::is_same_v<B, Box>)
          boxes_on_each_other(a, b, points, reversed);
        else
          features_on_each_other(a, b, points, reversed);
        return;
      }
    }
    if constexpr (!is_one_of<A, Shell, HalfSpace>)
      balls_on(a, b, points);
  }
};

} // namespace

bool can_meet(const Geometry& a, const Geometry& b) {
  return !is_empty(a) && !is_empty(b) && !(encloses(a) && encloses(b)) && !(is_thin(a) && is_thin(b));
}

void near_points(const Scene& scene, const SurfacePair& pair, const Placed& place_a, const Placed& place_b,
                 double margin, std::vector<ContactPoint>& out) {
  const Surface& a = scene.surfaces[static_cast<std::size_t>(pair.a)];
  const Surface& b = scene.surfaces[static_cast<std::size_t>(pair.b)];
  if (!can_meet(a.geometry, b.geometry))
    return;
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  const PlacedSurface at_a{pair.a, a, place_a}, at_b{pair.b, b, place_b};
  const bool swapped = rank_of(b.geometry) < rank_of(a.geometry);
  const PlacedSurface &slave = swapped ? at_b : at_a, &master = swapped ? at_a : at_b;
  std::visit(Meet{slave, master, pair.rule, margin, out}, slave.surface.geometry, master.surface.geometry);
  if (out.size() - static_cast<std::size_t>(first) > 1)
    std::sort(out.begin() + first, out.end(),
              [](const ContactPoint& p, const ContactPoint& q) { return p.key < q.key; });
}

} // namespace emmy::contact
