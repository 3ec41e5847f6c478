#include "verification/support/compare.hpp"
#include "verification/unit/contact/random_shapes.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

using namespace emmy;
using namespace emmy::contact;
using namespace emmy::test;

namespace {

const std::vector<Kind> solids{Kind::sphere, Kind::block, Kind::nodes, Kind::capsule, Kind::mesh};
const std::vector<Kind> walls{Kind::shell, Kind::half_space, Kind::room};

/// Two surfaces at places where they are about a margin apart, or overlap a little.
struct Meeting {
  Scene scene;
  Placed a, b;
  double distance; ///< by enumeration

  std::vector<ContactPoint> points(double margin) const { return points_of(scene, a, b, margin); }
  const Geometry& geometry(int i) const { return scene.surfaces[static_cast<std::size_t>(i)].geometry; }
  const Placed& place(int i) const { return i == 0 ? a : b; }
};

/// b is moved by bisection until the distance is `gap`; of two that may have no roundings, its absolute value.
Meeting meeting(Kind kind_a, Kind kind_b, double gap, Random& random) {
  const auto sharp = [](Kind kind) { return kind == Kind::block || kind == Kind::mesh; };
  if (sharp(kind_a) && sharp(kind_b))
    gap = std::abs(gap) + 1e-4;
  Meeting m{scene_of(random_shape(kind_a, random), random_shape(kind_b, random)), random_place(random, 0.1),
            random_place(random, 0.1), 0};
  // A way on which the distance changes from less to more than wanted, or the other way round.
  const Vec3 way = 20 * random.direction();
  const Vec3 start = m.b.x;
  const auto distance = [&](double t) {
    m.b.x = start + t * way;
    return distance_of(m.geometry(0), m.a, m.geometry(1), m.b);
  };
  double low = 0, high = 1;
  const double at_start = distance(0), at_end = distance(1);
  if ((at_start < gap) == (at_end < gap))
    return meeting(kind_a, kind_b, gap, random);
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    ((distance(middle) < gap) == (at_start < gap) ? low : high) = middle;
  }
  m.distance = distance(low);
  return m;
}

template <class Check>
void for_pairs(int repeats, const Check& check) {
  std::vector<std::pair<Kind, Kind>> pairs;
  for (const Kind a : solids) {
    for (const Kind b : solids)
      pairs.emplace_back(a, b);
    for (const Kind b : walls) {
      pairs.emplace_back(a, b);
      pairs.emplace_back(b, a);
    }
  }
  Random random(11);
  for (const auto& [a, b] : pairs) {
    BOOST_TEST_CONTEXT("kinds " << static_cast<int>(a) << " and " << static_cast<int>(b))
    for (int i = 0; i < repeats; ++i)
      check(a, b, random);
  }
}

double least_gap(const std::vector<ContactPoint>& points) {
  double least = 1e300;
  for (const ContactPoint& point : points)
    least = std::min(least, point.gap);
  return least;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Narrow)

BOOST_AUTO_TEST_CASE(least_gap_is_the_distance_by_enumeration) {
  for_pairs(40, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    // Two boxes may be off by 1e-3 of the distance and 1e-6 of the smallest half edge, below 1; all else are some sums
    // of coordinates below 30 m.
    const bool boxes = a == Kind::block && b == Kind::block;
    BOOST_TEST(agree("gap", least_gap(m.points(0.2)), m.distance, boxes ? 1e-3 * m.distance + 1e-6 : 20 * 30 * eps));
    BOOST_TEST(m.points(std::max(0.0, m.distance - 1e-6)).empty() == (m.distance > 1e-6));
  });
}

BOOST_AUTO_TEST_CASE(points_say_where_they_are) {
  for_pairs(40, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    for (const ContactPoint& point : m.points(0.2)) {
      const int slave = point.key.slave, master = point.key.master;
      BOOST_TEST(slave + master == 1);
      BOOST_TEST(point.slave.port == slave + 1);
      BOOST_TEST(point.master.port == master + 1);
      BOOST_TEST(point.rule == 0);
      const Vec3 x_s = m.place(slave).point(point.slave.at), x_m = m.place(master).point(point.master.at);
      // A dozen sums of coordinates below 30 m.
      BOOST_TEST(agree("gap", point.normal.dot(x_s - x_m) - point.radius, point.gap, 12 * 30 * eps));
      BOOST_TEST(
          agree("across", (x_s - x_m) - point.normal.dot(x_s - x_m) * point.normal, Vec3::Zero(), 12 * 30 * eps));
      BOOST_TEST(agree("length", point.normal.norm(), 1, 12 * eps));
      BOOST_TEST(point.gap <= 0.2);
    }
  });
}

// The nearest point stays where it is when the slave leaves along the normal.
BOOST_AUTO_TEST_CASE(gap_grows_as_the_slave_moves_along_the_normal) {
  for_pairs(20, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    for (const ContactPoint& point : m.points(0.2)) {
      const double away = 1e-3;
      Meeting moved = m;
      (point.key.slave == 0 ? moved.a : moved.b).x += away * point.normal;
      const std::vector<ContactPoint> after = moved.points(0.3);
      const auto same =
          std::find_if(after.begin(), after.end(), [&](const ContactPoint& p) { return p.key == point.key; });
      BOOST_REQUIRE((same != after.end()));
      BOOST_TEST(agree("gap", same->gap, point.gap + away, 12 * 30 * eps));
    }
  });
}

BOOST_AUTO_TEST_CASE(points_are_sorted_and_have_keys_of_their_own) {
  for_pairs(20, [](Kind a, Kind b, Random& random) {
    const std::vector<ContactPoint> points = meeting(a, b, 0, random).points(1);
    for (std::size_t i = 1; i < points.size(); ++i)
      BOOST_TEST((points[i - 1].key < points[i].key));
  });
}

BOOST_AUTO_TEST_CASE(order_of_the_surfaces_does_not_matter) {
  for_pairs(10, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    const Scene scene = scene_of(m.geometry(1), m.geometry(0));
    const std::vector<ContactPoint> before = m.points(0.2), after = points_of(scene, m.b, m.a, 0.2);
    // Of two of a kind the first has the reference face, and stands for both where two vertices are nearest.
    if (a != b)
      BOOST_TEST(after.size() == before.size());
    BOOST_TEST(agree("gap", least_gap(after), least_gap(before), a == b ? 2e-3 : 600 * eps));
  });
}

// Sizes from 1e-9 to 1e9 m: by powers of two to the bit.
BOOST_AUTO_TEST_CASE(sizes_scale_to_the_bit) {
  for_pairs(10, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    const std::vector<ContactPoint> before = m.points(0.2);
    for (const int exponent : {-30, 30}) {
      const double scale = std::ldexp(1, exponent);
      const std::vector<ContactPoint> after =
          points_of(scene_of(scaled(m.geometry(0), scale), scaled(m.geometry(1), scale)), {scale * m.a.x, m.a.Q},
                    {scale * m.b.x, m.b.Q}, scale * 0.2);
      BOOST_REQUIRE(after.size() == before.size());
      for (std::size_t i = 0; i < after.size(); ++i) {
        BOOST_TEST((after[i].key == before[i].key));
        BOOST_TEST(after[i].gap == scale * before[i].gap);
        BOOST_TEST(after[i].normal == before[i].normal);
        BOOST_TEST(after[i].slave.at == scale * before[i].slave.at);
        BOOST_TEST(after[i].master.at == scale * before[i].master.at);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(points_move_with_the_bodies) {
  for_pairs(10, [](Kind a, Kind b, Random& random) {
    const Meeting m = meeting(a, b, random.between(-0.05, 0.1), random);
    const Mat3 Q = random.triad();
    const Vec3 shift = random.vector(10);
    const std::vector<ContactPoint> before = m.points(0.2), after = points_of(m.scene, {shift + Q * m.a.x, Q * m.a.Q},
                                                                              {shift + Q * m.b.x, Q * m.b.Q}, 0.2);
    BOOST_REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      BOOST_TEST((after[i].key == before[i].key));
      // Sums of coordinates below 30 m; directions are what is left of them over distances of a millimetre and more.
      BOOST_TEST(agree("gap", after[i].gap, before[i].gap, 20 * 30 * eps));
      BOOST_TEST(agree("normal", after[i].normal, Q * before[i].normal, 20 * 30 * eps / 1e-4));
    }
  });
}

BOOST_AUTO_TEST_CASE(kinds_that_cannot_meet_yield_nothing) {
  Random random(12);
  std::vector<Geometry> enclosing, thin{NodeSet{{Vec3::Zero()}, 0}, Capsule{Vec3::Zero(), Vec3::UnitX(), 0}};
  for (const Kind kind : walls)
    enclosing.push_back(random_shape(kind, random));
  for (const Geometry& a : enclosing)
    for (const Geometry& b : enclosing) {
      BOOST_TEST(!can_meet(a, b));
      BOOST_TEST(points_of(scene_of(a, b), {}, {}, 100).empty());
    }
  for (const Geometry& a : thin) {
    for (const Geometry& b : thin)
      BOOST_TEST(!can_meet(a, b));
    for (const Geometry& b : enclosing) {
      BOOST_TEST(can_meet(a, b));
      BOOST_TEST(can_meet(b, a));
    }
    BOOST_TEST(can_meet(a, Sphere{Vec3::Zero(), 1}));
  }
}

// Six nodes of a rod in a room, one of them in a corner: three walls, each with a key that it keeps.
BOOST_AUTO_TEST_CASE(every_wall_of_a_room_that_is_near_is_a_point_of_its_own) {
  NodeSet rod;
  for (int i = 0; i < 6; ++i)
    rod.at.emplace_back(-0.5 + 0.2 * i, 0, 0);
  Box room;
  room.inside = true;
  const Scene scene = scene_of(room, rod);
  const Placed place{Vec3(0.49, -0.98, 0.97), Mat3::Identity()};
  const std::vector<ContactPoint> points = points_of(scene, {}, place, 0.05);
  BOOST_REQUIRE(points.size() == 13u); // two walls along the rod, a third at its end
  const auto expect = [&](std::size_t i, int node, int wall, double gap, const Vec3& normal) {
    BOOST_TEST((points[i].key == ContactKey{1, node, 0, wall}));
    BOOST_TEST(agree("gap", points[i].gap, gap, 8 * eps));
    BOOST_TEST(points[i].normal == normal);
  };
  expect(0, 0, 2, 0.02, Vec3::UnitY());
  expect(1, 0, 5, 0.03, -Vec3::UnitZ());
  expect(10, 5, 1, 0.01, -Vec3::UnitX());
  expect(11, 5, 2, 0.02, Vec3::UnitY());
  expect(12, 5, 5, 0.03, -Vec3::UnitZ());
}

// Where directions cannot be told the answer is still a number, and every normal has unit length.
BOOST_AUTO_TEST_CASE(coincident_bodies_have_finite_points) {
  Random random(13);
  for (const Kind a :
       {Kind::sphere, Kind::shell, Kind::half_space, Kind::block, Kind::room, Kind::capsule, Kind::nodes, Kind::mesh})
    for (const Kind b : {Kind::sphere, Kind::block, Kind::capsule, Kind::nodes, Kind::mesh}) {
      Geometry first = random_shape(a, random), second = random_shape(b, random);
      if (a == b)
        second = first;
      for (Geometry* geometry : {&first, &second})
        if (auto* sphere = std::get_if<Sphere>(geometry))
          sphere->centre.setZero();
      for (const Placed& place : {Placed{}, Placed{random.vector(1e-300), Mat3::Identity()}})
        for (const ContactPoint& point : points_of(scene_of(first, second), {}, place, 0.1)) {
          BOOST_TEST(std::isfinite(point.gap));
          BOOST_TEST(agree("normal", point.normal.norm(), 1, 12 * eps));
          BOOST_TEST(point.slave.at.allFinite());
          BOOST_TEST(point.master.at.allFinite());
        }
    }
}

// A block lies on another and sticks out at one side; as boxes, as meshes, or one of each, a little apart or a little
// inside: corners and crossings of edges hold it, all with the normal of the face.
BOOST_AUTO_TEST_CASE(blocks_that_lie_flat_are_held_at_all_corners_of_the_overlap) {
  Box lower, upper;
  lower.half = {1, 1, 0.5};
  upper.half = {0.4, 0.6, 0.3};
  const std::vector<Geometry> below{lower, box_mesh(lower, Facets::triangles), box_mesh(lower, Facets::quads)};
  const std::vector<Geometry> above{upper, box_mesh(upper, Facets::triangles), box_mesh(upper, Facets::quads)};
  Random random(14);
  for (const Geometry& a : below)
    for (const Geometry& b : above)
      for (const double gap : {1e-4, 1e-9, 0.0, -1e-9, -1e-4}) {
        // Turned by a tenth of a radian, and tilted as much as rounding does.
        const Placed place{Vec3(0.9, 0.1, 0.8 + gap),
                           (cayley(random.vector(1e-14)) * cayley(Vec3(0, 0, 0.1))).toRotationMatrix()};
        std::vector<Vec3> held;
        for (const ContactPoint& point : points_of(scene_of(a, b), {}, place, 1e-3)) {
          const Vec3 normal = point.key.slave == 1 ? point.normal : -point.normal;
          // The product of edges, or the distance between them, has a direction to 1e-12 / 1e-6 where they touch.
          BOOST_TEST(agree("gap", point.gap, gap, 1e-12));
          BOOST_TEST(agree("normal", normal, Vec3::UnitZ(), 1e-6));
          held.push_back(point.key.slave == 1 ? place.point(point.slave.at) : point.slave.at);
        }
        // Corners of the upper one on the left, crossings with the edge x = 1 of the lower one on the right.
        std::vector<Vec3> corners;
        for (const double side : {-1, 1}) {
          const Vec3 left = place.point({-0.4, side * 0.6, -0.3}), right = place.point({0.4, side * 0.6, -0.3});
          corners.push_back(left);
          corners.push_back(left + (1 - left.x()) / (right.x() - left.x()) * (right - left));
        }
        BOOST_TEST_CONTEXT("gap " << gap << ", kinds " << a.index() << " and " << b.index())
        for (const Vec3& corner : corners)
          BOOST_TEST(std::any_of(held.begin(), held.end(), [&](const Vec3& x) { return (x - corner).norm() < 1e-3; }));
      }
}

// A capsule lies across a block, beyond both its edges: it is held where it crosses them, also if its axis is inside.
BOOST_AUTO_TEST_CASE(capsules_across_blocks_are_held_by_edges) {
  Box block;
  for (const double radius : {0.0, 0.1})
    for (const double gap : {1e-3, -1e-3}) {
      const Capsule capsule{Vec3(-3, 0, 0), Vec3(3, 0, 0), radius};
      for (const Geometry& b : {Geometry(block), Geometry(box_mesh(block, Facets::triangles))}) {
        const auto points =
            points_of(scene_of(capsule, b), {Vec3(0, 0.2, 1 + radius + gap), Mat3::Identity()}, {}, 0.01);
        BOOST_REQUIRE(points.size() == 2u);
        for (const ContactPoint& point : points) {
          BOOST_TEST(agree("gap", point.gap, gap, 16 * eps));
          BOOST_TEST(agree("normal", point.normal, Vec3::UnitZ(), 1e-12));
          BOOST_TEST(agree("place", point.slave.at.cwiseAbs(), Vec3(1, 0, 0), 16 * eps));
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(points_on_meshes_name_facet_and_weights) {
  const Mesh mesh = box_mesh({}, Facets::quads);
  const Sphere ball{Vec3::Zero(), 0.5};
  const Vec3 at(0.3, -0.2, 1.6);
  const auto points = points_of(scene_of(mesh, ball), {}, {at, Mat3::Identity()}, 0.2);
  BOOST_REQUIRE(points.size() == 1u);
  BOOST_TEST((points[0].key == ContactKey{1, -1, 0, -1}));
  BOOST_TEST(agree("gap", points[0].gap, 0.1, 8 * eps));
  Vec3 foot = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i)
    foot += points[0].master.N[i] *
            mesh.nodes[static_cast<std::size_t>(mesh.facets[static_cast<std::size_t>(points[0].master.facet)][i])];
  BOOST_TEST(agree("foot", foot, Vec3(0.3, -0.2, 1), 8 * eps));
}

// A ball in the corner of a room that is a mesh, and on the floor of it.
BOOST_AUTO_TEST_CASE(balls_in_valleys_touch_all_sides) {
  for (const Facets facets : {Facets::triangles, Facets::fans, Facets::quads}) {
    const Mesh block = box_mesh({}, facets);
    std::vector<std::array<int, 4>> turned = block.facets;
    for (auto& facet : turned)
      std::swap(facet[0], facet[2]);
    MeshFindings findings;
    const Mesh room = make_mesh(block.nodes, turned, 0, findings);
    BOOST_TEST(findings.inward);
    const Scene scene = scene_of(room, Sphere{Vec3::Zero(), 0.2});
    std::vector<ContactKey> keys;
    for (const double jitter : {-1e-12, 0.0, 1e-12}) {
      const auto points = points_of(scene, {}, {Vec3(0.79, 0.79 + jitter, -0.79 - 2 * jitter), Mat3::Identity()}, 0.05);
      BOOST_REQUIRE(points.size() == 3u);
      Vec3 sum = Vec3::Zero();
      for (const ContactPoint& point : points) {
        BOOST_TEST(agree("gap", point.gap, 0.01, 1e-11));
        sum += point.normal;
        keys.push_back(point.key);
      }
      BOOST_TEST(agree("normals", sum, Vec3(-1, -1, 1), 8 * eps));
      for (std::size_t i = 0; i < 3; ++i)
        BOOST_TEST((keys[keys.size() - 3 + i] == keys[i])); // whichever is nearest
    }
    const auto floor = points_of(scene, {}, {Vec3(0.1, 0.2, -0.81), Mat3::Identity()}, 0.05);
    BOOST_REQUIRE(floor.size() == 1u);
    BOOST_TEST((floor[0].key == ContactKey{1, -1, 0, -1}));
    BOOST_TEST(agree("gap", floor[0].gap, -0.01, 8 * eps));
  }
}

// Equal cubes as meshes, flush to rounding, or a little beyond the edge: the sides that are as near hold nothing.
BOOST_AUTO_TEST_CASE(cubes_that_lie_flush_are_held_from_below) {
  const Box cube;
  const std::vector<Geometry> shapes{cube, box_mesh(cube, Facets::triangles), box_mesh(cube, Facets::quads)};
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t j = 0; j < shapes.size(); ++j)
      for (const double gap : {1e-6, -1e-6, -1e-3})
        for (const double beyond : {0.0, 1e-16, -1e-16, 1e-7, -1e-7, 2e-6, -2e-6}) {
          const auto points = points_of(scene_of(shapes[i], shapes[j]), {},
                                        {Vec3(beyond, beyond / 2, 2 + gap), Mat3::Identity()}, 2e-6);
          double left = 0, right = 0; // held on both sides
          for (const ContactPoint& point : points) {
            BOOST_TEST((point.key.slave == 1 ? 1 : -1) * point.normal.z() > 0.8);
            BOOST_TEST(std::abs(point.gap - gap) < 1e-6);
            left = std::min(left, point.slave.at.x());
            right = std::max(right, point.slave.at.x());
          }
          BOOST_TEST_CONTEXT("shapes " << i << " and " << j << ", gap " << gap << ", beyond " << beyond) {
            BOOST_TEST(left < -0.99);
            BOOST_TEST(right > 0.99);
          }
        }
}

BOOST_AUTO_TEST_SUITE_END()
