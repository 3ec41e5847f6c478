#include "contact/geometry/box_box.hpp"
#include "verification/support/compare.hpp"
#include "verification/unit/contact/random_shapes.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <set>

using namespace emmy;
using namespace emmy::contact;
using namespace emmy::test;

namespace {

PlacedBox random_box(Random& random, double smallest = 0.2) {
  return {random.vector(), random.triad(),
          Vec3(random.between(smallest, 1), random.between(smallest, 1), random.between(smallest, 1))};
}

double distance(const PlacedBox& a, const PlacedBox& b) {
  return core_distance({a.centre, a.axes, a.half, 0}, {b.centre, b.axes, b.half, 0});
}

/// How far apart boxes are as seen across a direction of unit length.
double separation(const PlacedBox& a, const PlacedBox& b, const Vec3& n) {
  return std::abs(n.dot(b.centre - a.centre)) - a.half.dot((a.axes.transpose() * n).cwiseAbs()) -
         b.half.dot((b.axes.transpose() * n).cwiseAbs());
}

const BoxPoint& deepest(const BoxManifold& manifold) {
  return *std::min_element(manifold.begin(), manifold.end(),
                           [](const BoxPoint& p, const BoxPoint& q) { return p.gap < q.gap; });
}

BoxManifold manifold_of(const PlacedBox& a, const PlacedBox& b, double margin) {
  BoxManifold manifold;
  box_box(a, b, margin, manifold);
  return manifold;
}

/// Along z on top of each other, turned about z by any angle, with a gap between them.
std::pair<PlacedBox, PlacedBox> stacked(Random& random, double gap, double turn) {
  PlacedBox a = random_box(random), b = random_box(random);
  a.axes = Mat3::Identity();
  b.axes = Eigen::AngleAxisd(turn, Vec3::UnitZ()).toRotationMatrix();
  b.centre = a.centre + Vec3(random.between(-1, 1), random.between(-1, 1), a.half.z() + gap + b.half.z());
  return {a, b};
}

bool above(const PlacedBox& box, const Vec3& x) {
  const Vec3 at = box.coordinates(x);
  return std::abs(at.x()) <= box.half.x() && std::abs(at.y()) <= box.half.y();
}

/// Corners of the area where the faces of stacked boxes overlap, by what is above what in the plane.
std::vector<Vec3> overlap(const PlacedBox& a, const PlacedBox& b) {
  std::vector<Vec3> corners;
  const auto rectangle = [](const PlacedBox& box) {
    std::array<Vec3, 4> x;
    const std::array<Eigen::Vector2d, 4> signs{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    for (std::size_t i = 0; i < 4; ++i) {
      x[i] = box.point({signs[i].x() * box.half.x(), signs[i].y() * box.half.y(), 0});
      x[i].z() = 0;
    }
    return x;
  };
  const auto of_a = rectangle(a), of_b = rectangle(b);
  for (std::size_t i = 0; i < 4; ++i) {
    if (above(b, of_a[i]))
      corners.push_back(of_a[i]);
    if (above(a, of_b[i]))
      corners.push_back(of_b[i]);
    for (std::size_t j = 0; j < 4; ++j) {
      const Vec3 e = of_a[(i + 1) % 4] - of_a[i], f = of_b[(j + 1) % 4] - of_b[j], w = of_b[j] - of_a[i];
      const double determinant = e.cross(f).z(), s = w.cross(f).z() / determinant, t = w.cross(e).z() / determinant;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
        corners.push_back(of_a[i] + s * e);
    }
  }
  return corners;
}

/// Distance of a point from the corner or edge that a point of contact names.
double off_feature(const PlacedBox& box, BoxPoint::Kind own_corner, const BoxPoint& point, int feature, const Vec3& x) {
  if (point.kind == own_corner)
    return (box.point(corner_of_box(box.half, feature)) - x).norm();
  if (point.kind == BoxPoint::Kind::edges) {
    const auto ends = ends_of_edge(feature);
    const Vec3 p = box.point(corner_of_box(box.half, ends[0])), q = box.point(corner_of_box(box.half, ends[1]));
    return (x - p).cross(q - p).norm() / (q - p).norm();
  }
  return std::abs((box.coordinates(x).cwiseAbs() - box.half).maxCoeff()); // somewhere on the surface
}

} // namespace

BOOST_AUTO_TEST_SUITE(BoxBox)

BOOST_AUTO_TEST_CASE(least_gap_of_boxes_that_are_apart_is_their_distance) {
  Random random(21);
  int seen = 0;
  for (int i = 0; i < 4000; ++i) {
    const PlacedBox a = random_box(random);
    PlacedBox b = random_box(random);
    b.centre = a.centre + random.between(1, 3) * random.direction();
    if (i % 2) // faces and products of edges that are nearly parallel
      b.axes = a.axes * cayley(random.vector(0.1)).toRotationMatrix();
    const double d = distance(a, b);
    const BoxManifold manifold = manifold_of(a, b, 0.5);
    if (d > 0.5 + 1e-9) {
      BOOST_TEST(manifold.count == 0);
    } else if (d > 1e-6) {
      BOOST_REQUIRE(manifold.count > 0);
      // 1e-3 of the distance and 1e-6 of the smallest half edge, below 1, are what box_box leaves open.
      BOOST_TEST(agree("gap", deepest(manifold).gap, d, 1e-3 * d + 1e-6));
      ++seen;
    }
  }
  BOOST_TEST(seen > 1000);
}

// The depth of convex bodies is the least over all directions of how far they overlap along it.
BOOST_AUTO_TEST_CASE(overlap_is_the_least_over_all_directions) {
  Random random(22);
  int seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const PlacedBox a = random_box(random);
    PlacedBox b = random_box(random);
    b.centre = a.centre + random.between(0.3, 1.5) * random.direction();
    if (distance(a, b) > 1e-9)
      continue;
    ++seen;
    const BoxManifold manifold = manifold_of(a, b, 0);
    BOOST_REQUIRE(manifold.count > 0);
    const BoxPoint& point = deepest(manifold);
    BOOST_TEST(point.gap <= 0);
    BOOST_TEST(point.normal.dot(b.centre - a.centre) > 0);
    // A direction that is worse by 1e-3 of the smallest half edge, below 1, may be preferred. What reaches farthest
    // along it may then be beside the face.
    BOOST_TEST(agree("gap", point.gap, separation(a, b, point.normal), 1e-3));
    double greatest = -1e300;
    for (int k = 0; k < 300; ++k)
      greatest = std::max(greatest, separation(a, b, random.direction()));
    BOOST_TEST(greatest <= point.gap + 1e-3);
  }
  BOOST_TEST(seen > 500);
}

BOOST_AUTO_TEST_CASE(face_on_face_gives_every_corner_of_the_overlap) {
  Random random(23);
  int seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const double gap = i % 3 == 0 ? 0 : random.between(-1e-3, 1e-3);
    const auto [a, b] = stacked(random, gap, random.between(-3, 3));
    const std::vector<Vec3> expected = overlap(a, b);
    // Where they hardly overlap they touch at their sides.
    if (expected.empty() || separation(a, b, Vec3::UnitX()) > -0.01 || separation(a, b, Vec3::UnitY()) > -0.01 ||
        separation(a, b, b.axes.col(0)) > -0.01 || separation(a, b, b.axes.col(1)) > -0.01)
      continue;
    ++seen;
    const BoxManifold manifold = manifold_of(a, b, 2e-3);
    for (const BoxPoint& point : manifold) {
      BOOST_TEST(agree("gap", point.gap, gap, 20 * eps));
      BOOST_TEST(agree("normal", point.normal, Vec3::UnitZ(), 4 * eps));
    }
    // Corners that are closer than 1e-6 are one.
    const auto found = [&, &a = a](const Vec3& x) {
      return std::any_of(manifold.begin(), manifold.end(),
                         [&](const BoxPoint& p) { return (p.on_a - x).head<2>().norm() < 2e-6; });
    };
    for (const Vec3& x : expected)
      BOOST_TEST(found(x));
    for (const BoxPoint& point : manifold)
      BOOST_TEST(std::any_of(expected.begin(), expected.end(),
                             [&](const Vec3& x) { return (point.on_a - x).head<2>().norm() < 2e-6; }));
    BOOST_TEST(manifold.count <= static_cast<int>(expected.size()));
  }
  BOOST_TEST(seen > 500);
}

BOOST_AUTO_TEST_CASE(points_are_on_the_features_that_they_name) {
  Random random(24);
  for (int i = 0; i < 3000; ++i) {
    const PlacedBox a = random_box(random);
    PlacedBox b = random_box(random);
    b.centre = a.centre + random.between(0.5, 2) * random.direction();
    for (const BoxPoint& point : manifold_of(a, b, 0.3)) {
      BOOST_TEST(agree("gap", point.normal.dot(point.on_b - point.on_a), point.gap, 30 * eps));
      BOOST_TEST(agree("normal", point.normal.norm(), 1, 8 * eps));
      BOOST_TEST(off_feature(a, BoxPoint::Kind::corner_of_a, point, point.a, point.on_a) <= 100 * eps);
      BOOST_TEST(off_feature(b, BoxPoint::Kind::corner_of_b, point, point.b, point.on_b) <= 100 * eps);
    }
  }
}

// Equal cubes in line: rounding must not decide which features touch (pitfall 8 of [R]).
BOOST_AUTO_TEST_CASE(features_of_equal_cubes_do_not_change_with_rounding) {
  Random random(25);
  for (const double offset : {0.0, 0.3}) {
    std::set<std::vector<int>> keys;
    for (int i = 0; i < 200; ++i) {
      const PlacedBox a{Vec3::Zero(), Mat3::Identity(), Vec3::Ones()};
      const PlacedBox b{Vec3(offset, 0, 2) + random.vector(1e-9), cayley(random.vector(1e-9)).toRotationMatrix(),
                        Vec3::Ones()};
      std::vector<int> key;
      for (const BoxPoint& point : manifold_of(a, b, 1e-6))
        key.insert(key.end(), {static_cast<int>(point.kind), point.a, point.b});
      BOOST_TEST(key.size() == 4 * 3u);
      keys.insert(key);
    }
    BOOST_TEST(keys.size() == 1u);
  }
}

// Edge over edge, as in models that are plane: the whole edge counts.
BOOST_AUTO_TEST_CASE(parallel_edges_that_are_nearest_have_both_ends) {
  const PlacedBox a{Vec3::Zero(), Mat3::Identity(), Vec3::Ones()};
  const PlacedBox b{Vec3(2.3, 0, 2.4), Mat3::Identity(), Vec3::Ones()};
  const BoxManifold manifold = manifold_of(a, b, 0.6);
  BOOST_REQUIRE(manifold.count == 2);
  for (const BoxPoint& point : manifold) {
    BOOST_TEST(agree("gap", point.gap, 0.5, 8 * eps));
    BOOST_TEST(agree("normal", point.normal, Vec3(0.6, 0, 0.8), 8 * eps));
  }
  BOOST_TEST(std::abs(manifold.points[0].on_a.y() - manifold.points[1].on_a.y()) == 2);
}

BOOST_AUTO_TEST_CASE(powers_of_two_scale_to_the_bit_and_motions_to_rounding) {
  Random random(26);
  for (int i = 0; i < 300; ++i) {
    const PlacedBox a = random_box(random);
    PlacedBox b = random_box(random);
    b.centre = a.centre + random.between(0.5, 2) * random.direction();
    const BoxManifold original = manifold_of(a, b, 0.3);
    for (const int exponent : {-30, 30}) {
      const double scale = std::ldexp(1, exponent);
      const BoxManifold scaled = manifold_of({scale * a.centre, a.axes, scale * a.half},
                                             {scale * b.centre, b.axes, scale * b.half}, scale * 0.3);
      BOOST_REQUIRE(scaled.count == original.count);
      for (std::size_t k = 0; k < static_cast<std::size_t>(scaled.count); ++k) {
        BOOST_TEST(scaled.points[k].same_feature(original.points[k]));
        BOOST_TEST(scaled.points[k].gap == scale * original.points[k].gap);
        BOOST_TEST(scaled.points[k].normal == original.points[k].normal);
      }
    }
    const Mat3 Q = random.triad();
    const Vec3 shift = random.vector();
    const BoxManifold moved =
        manifold_of({shift + Q * a.centre, Q * a.axes, a.half}, {shift + Q * b.centre, Q * b.axes, b.half}, 0.3);
    BOOST_REQUIRE(moved.count == original.count);
    for (std::size_t k = 0; k < static_cast<std::size_t>(moved.count); ++k) {
      BOOST_TEST(moved.points[k].same_feature(original.points[k]));
      // Products of edges lose as many digits as their sine is small; draws are not that unlucky.
      BOOST_TEST(agree("gap", moved.points[k].gap, original.points[k].gap, 1e3 * eps));
      BOOST_TEST(agree("normal", moved.points[k].normal, Q * original.points[k].normal, 1e3 * eps));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
