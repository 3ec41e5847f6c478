#include "contact/search/broad_phase.hpp"

#include "verification/unit/contact/random_scene.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

using namespace emmy;
using namespace emmy::contact;
using test::RandomScenes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<SurfacePair> found_by_search(const Scene& scene, const std::vector<Placed>& places,
                                         const std::vector<double>& margins) {
  BroadPhase broad_phase;
  std::vector<SurfacePair> found;
  broad_phase.find(scene, places, margins, found);
  return found;
}

Bounds grown(Bounds box, double margin) {
  box.low.array() -= margin;
  box.high.array() += margin;
  return box;
}

/// All pairs one by one.
std::vector<SurfacePair> found_by_trial(const Scene& scene, const std::vector<Placed>& places,
                                        const std::vector<double>& margins) {
  std::vector<SurfacePair> found;
  const auto place = [&](std::size_t s) { return places[static_cast<std::size_t>(scene.surfaces[s].port)]; };
  for (std::size_t a = 0; a < scene.surfaces.size(); ++a)
    for (std::size_t b = a + 1; b < scene.surfaces.size(); ++b) {
      const int rule = scene.rule(static_cast<int>(a), static_cast<int>(b));
      const Geometry &of_a = scene.surfaces[a].geometry, &of_b = scene.surfaces[b].geometry;
      if (rule < 0 || (is_unbounded(of_a) && is_unbounded(of_b)))
        continue;
      const Bounds box_a = grown(bounds(of_a, place(a)), margins[a]), box_b = grown(bounds(of_b, place(b)), margins[b]);
      bool near = false;
      if (is_unbounded(of_a))
        near = clearance(of_a, place(a), box_b) <= margins[a];
      else if (is_unbounded(of_b))
        near = clearance(of_b, place(b), box_a) <= margins[b];
      else
        near = (box_a.low.array() <= box_b.high.array()).all() && (box_b.low.array() <= box_a.high.array()).all();
      if (near)
        found.push_back({static_cast<int>(a), static_cast<int>(b), rule});
    }
  return found;
}

/// A point of a surface that has bounds, or of the solid behind it, in space.
struct PointOf {
  RandomScenes& scenes;
  const Placed& place;

  Vec3 ball(const Vec3& centre, double radius) {
    return place.point(centre) + scenes.random.between(0, 1) * radius * scenes.random.direction();
  }
  Vec3 operator()(const Sphere& sphere) { return ball(sphere.centre, sphere.radius); }
  Vec3 operator()(const Box& box) {
    return place.point(box.centre + box.axes * box.half.cwiseProduct(scenes.random.vector()));
  }
  Vec3 operator()(const Capsule& capsule) {
    return ball(capsule.a + scenes.random.between(0, 1) * (capsule.b - capsule.a), capsule.radius);
  }
  Vec3 operator()(const NodeSet& nodes) {
    return ball(nodes.at[static_cast<std::size_t>(scenes.integer(0, static_cast<int>(nodes.at.size()) - 1))],
                nodes.radius);
  }
  Vec3 operator()(const Mesh& mesh) {
    const auto& facet =
        mesh.facets[static_cast<std::size_t>(scenes.integer(0, static_cast<int>(mesh.facets.size()) - 1))];
    const double u = scenes.random.between(0, 1), v = scenes.random.between(0, 1 - u);
    const auto node = [&](std::size_t k) { return mesh.nodes[static_cast<std::size_t>(facet[k])]; };
    return ball(node(0) + u * (node(1) - node(0)) + v * (node(2) - node(0)), mesh.radius);
  }
  Vec3 operator()(const Shell&) { return Vec3::Zero(); }
  Vec3 operator()(const HalfSpace&) { return Vec3::Zero(); }
};

/// How far a point is from going through a surface without bounds.
struct GapOf {
  Vec3 at; // body coordinates
  double operator()(const HalfSpace& plane) const { return plane.normal.dot(at) - plane.offset; }
  double operator()(const Shell& shell) const { return shell.radius - (at - shell.centre).norm(); }
  double operator()(const Box& room) const {
    return (room.half - (room.axes.transpose() * (at - room.centre)).cwiseAbs()).minCoeff();
  }
  template <class Other>
  double operator()(const Other&) const {
    return infinity;
  }
};

std::vector<double> random_margins(RandomScenes& scenes, const Scene& scene, double size) {
  std::vector<double> margins;
  for (std::size_t s = 0; s < scene.surfaces.size(); ++s)
    margins.push_back(scenes.integer(0, 2) * scenes.random.between(0, size));
  return margins;
}

Scene spheres_in_a_row(int count, double spacing, std::vector<Placed>& places) {
  Scene scene;
  places.resize(1);
  for (int i = 1; i <= count; ++i) {
    Surface surface;
    surface.port = i;
    surface.geometry = Sphere{Vec3::Zero(), 1};
    scene.surfaces.push_back(surface);
    scene.class_of.push_back(0);
    Placed place;
    place.x = Vec3(i * spacing, 0, 0);
    places.push_back(place);
  }
  scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  scene.rules.resize(1);
  return scene;
}

} // namespace

BOOST_AUTO_TEST_SUITE(BroadPhase_)

// All kinds, sparse and crowded, from 1e-9 to 1e9 m, and with more and fewer surfaces than a group of the search holds.
BOOST_AUTO_TEST_CASE(finds_the_pairs_that_trial_finds_in_order) {
  RandomScenes scenes(1);
  std::size_t pairs = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double size = scenes.size();
    const Scene scene =
        scenes.scene(scenes.integer(0, 1) ? scenes.integer(0, 20) : scenes.integer(50, 200), 0.05, size);
    const std::vector<Placed> places = scenes.places(scene, scenes.random.between(2, 30) * size);
    const std::vector<double> margins = random_margins(scenes, scene, size);
    const auto expected = found_by_trial(scene, places, margins), found = found_by_search(scene, places, margins);
    BOOST_TEST((found == expected));
    BOOST_TEST(std::is_sorted(found.begin(), found.end()));
    pairs += found.size();
  }
  BOOST_TEST(pairs > 10000U);
}

BOOST_AUTO_TEST_CASE(all_that_comes_within_the_margins_is_found) {
  RandomScenes scenes(2);
  int near = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double size = scenes.size();
    const Scene scene = scenes.scene(33, 0.1, size);
    const std::vector<Placed> places = scenes.places(scene, scenes.random.between(2, 10) * size);
    const std::vector<double> margins = random_margins(scenes, scene, size);
    const auto found = found_by_search(scene, places, margins);
    for (std::size_t a = 0; a < scene.surfaces.size(); ++a)
      for (std::size_t b = 0; b < scene.surfaces.size(); ++b) {
        const int rule = scene.rule(static_cast<int>(a), static_cast<int>(b));
        const Geometry &of_a = scene.surfaces[a].geometry, &of_b = scene.surfaces[b].geometry;
        if (rule < 0 || is_unbounded(of_b))
          continue;
        const Placed &place_a = places[static_cast<std::size_t>(scene.surfaces[a].port)],
                     &place_b = places[static_cast<std::size_t>(scene.surfaces[b].port)];
        for (int k = 0; k < 20; ++k) {
          const Vec3 at = std::visit(PointOf{scenes, place_b}, of_b);
          const double gap = is_unbounded(of_a) ? std::visit(GapOf{place_a.coordinates(at)}, of_a)
                                                : (std::visit(PointOf{scenes, place_a}, of_a) - at).norm();
          if (gap > margins[a] + margins[b])
            continue;
          ++near;
          const SurfacePair pair{static_cast<int>(std::min(a, b)), static_cast<int>(std::max(a, b)), rule};
          BOOST_TEST(std::binary_search(found.begin(), found.end(), pair));
        }
      }
  }
  BOOST_TEST(near > 10000);
}

// Rounded outwards: points of a body far from the origin, placed by the same formula, are within without a tolerance.
BOOST_AUTO_TEST_CASE(bounds_hold_every_point_whatever_the_rounding) {
  RandomScenes scenes(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const double size = scenes.size();
    const Geometry geometry = scenes.bounded(size);
    const Placed place = scenes.place(size * std::pow(10., scenes.integer(0, 9)));
    const Bounds box = bounds(geometry, place);
    for (int k = 0; k < 20; ++k) {
      const Vec3 at = std::visit(PointOf{scenes, place}, geometry);
      BOOST_TEST((at.array() >= box.low.array()).all());
      BOOST_TEST((at.array() <= box.high.array()).all());
    }
  }
}

BOOST_AUTO_TEST_CASE(bounds_are_no_larger_than_they_must_be) {
  Placed place;
  place.x = Vec3(1, 2, 3);
  place.Q = Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()).toRotationMatrix();
  const auto check = [&](const Geometry& geometry, const Vec3& low, const Vec3& high) {
    const Bounds box = bounds(geometry, place);
    const double tolerance = 100 * std::numeric_limits<double>::epsilon(); // of coordinates below 10
    BOOST_TEST((box.low - low).norm() <= tolerance);
    BOOST_TEST((box.high - high).norm() <= tolerance);
  };
  const double root = std::sqrt(2.);
  check(Sphere{Vec3(1, 0, 0), 0.5}, Vec3(0.5 + root / 2, 1.5 + root / 2, 2.5),
        Vec3(1.5 + root / 2, 2.5 + root / 2, 3.5));
  Box box;
  box.half = Vec3(1, 1, 2);
  check(box, Vec3(1 - root, 2 - root, 1), Vec3(1 + root, 2 + root, 5));
  check(Capsule{Vec3(-1, 0, 0), Vec3(1, 0, 0), 0.25}, Vec3(0.75 - root / 2, 1.75 - root / 2, 2.75),
        Vec3(1.25 + root / 2, 2.25 + root / 2, 3.25));
  check(NodeSet{{Vec3(0, 0, 1), Vec3(0, 0, -1)}, 0}, Vec3(1, 2, 2), Vec3(1, 2, 4));
}

BOOST_AUTO_TEST_CASE(clearance_is_the_gap_of_the_nearest_corner) {
  const Bounds box{Vec3(-1, -2, -3), Vec3(1, 2, 3)};
  const double tolerance = 1000 * std::numeric_limits<double>::epsilon(); // of coordinates below 10, rounding kept back
  const auto check = [&](const Geometry& geometry, double expected) {
    const double found = clearance(geometry, Placed(), box);
    BOOST_TEST(found <= expected);
    BOOST_TEST(found >= expected - tolerance);
  };
  check(HalfSpace{Vec3::UnitZ(), -5}, 2);
  check(HalfSpace{Vec3(1, 1, 0).normalized(), -4}, 4 - 3 / std::sqrt(2.));
  check(Shell{Vec3(1, 0, 0), 6}, 6 - std::sqrt(4. + 4 + 9));
  Box room;
  room.half = Vec3(4, 4, 4);
  room.inside = true;
  check(room, 1);
}

BOOST_AUTO_TEST_CASE(margins_of_both_surfaces_add_up) {
  std::vector<Placed> places;
  const Scene scene = spheres_in_a_row(2, 3, places); // a gap of 1
  BOOST_TEST(found_by_search(scene, places, {0.5, 0.49}).empty());
  BOOST_TEST(found_by_search(scene, places, {0.51, 0.5}).size() == 1U);
  BOOST_TEST(found_by_search(scene, places, {0, 1.01}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_is_found_of_nothing) {
  std::vector<Placed> places;
  BOOST_TEST(found_by_search(spheres_in_a_row(0, 1, places), places, {}).empty());
  Scene scene = spheres_in_a_row(2, 1, places);
  scene.surfaces[0].geometry = NodeSet{};
  BOOST_TEST(found_by_search(scene, places, {1, 1}).empty());
}

// A diverged body must reach the narrow phase and the checks behind it, not vanish from the search.
BOOST_AUTO_TEST_CASE(what_is_lost_in_nan_meets_everything) {
  std::vector<Placed> places;
  Scene scene = spheres_in_a_row(40, 10, places);
  scene.surfaces.back().geometry = HalfSpace{Vec3::UnitZ(), -100};
  for (const double lost : {std::numeric_limits<double>::quiet_NaN(), infinity}) {
    places[7].x.setConstant(lost);
    BOOST_TEST(found_by_search(scene, places, std::vector<double>(40, 0.)).size() == 39U);
  }
}

BOOST_AUTO_TEST_CASE(the_same_work_space_serves_scenes_of_any_size) {
  RandomScenes scenes(4);
  BroadPhase broad_phase;
  std::vector<SurfacePair> found;
  for (const int count : {100, 3, 200, 0, 50}) {
    const Scene scene = scenes.scene(count, 0.1, 1);
    const std::vector<Placed> places = scenes.places(scene, 5);
    const std::vector<double> margins = random_margins(scenes, scene, 1);
    broad_phase.find(scene, places, margins, found);
    BOOST_TEST((found == found_by_trial(scene, places, margins)));
  }
}

// A sheet has no inside: what is behind it by less than its edges has gone through, and is still to be found.
BOOST_AUTO_TEST_CASE(what_has_gone_through_a_sheet_is_found) {
  contact::MeshFindings findings;
  contact::Scene scene;
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  scene.surfaces = {{"sheet", 1, contact::make_mesh(corners, {{0, 1, 2, 3}}, 0, findings)},
                    {"ball", 2, contact::Sphere{Vec3::Zero(), 0.1}}};
  scene.class_of = {0, 0};
  scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  scene.rules = {contact::Rule()};
  std::vector<contact::Placed> places(3);
  places[2].x = Vec3(0.5, 0.5, -0.4);
  std::vector<contact::ContactPoint> points;
  contact::near_points(scene, {0, 1, 0}, places[1], places[2], 0, points);
  BOOST_REQUIRE(points.size() == 1u);
  BOOST_TEST(points[0].gap < 0);
  std::vector<contact::SurfacePair> pairs;
  contact::BroadPhase().find(scene, places, {0, 0}, pairs);
  BOOST_TEST(pairs.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
