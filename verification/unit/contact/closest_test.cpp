#include "contact/geometry/closest.hpp"
#include "contact/geometry/touch.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::contact;
using namespace emmy::test;

namespace {

/// Least value of a function on the unit square: the best of a grid, then of finer and finer grids around it.
template <class Value>
double least_on_square(const Value& value, int cells = 24) {
  double x = 0.5, y = 0.5, half = 0.5, least = 1e300;
  for (int level = 0; level < 40; ++level) {
    const double centre_x = x, centre_y = y;
    for (int i = 0; i <= cells; ++i)
      for (int j = 0; j <= cells; ++j) {
        const double at_x = std::clamp(centre_x + half * (2.0 * i / cells - 1), 0.0, 1.0);
        const double at_y = std::clamp(centre_y + half * (2.0 * j / cells - 1), 0.0, 1.0);
        const double here = value(at_x, at_y);
        if (here < least) {
          least = here;
          x = at_x;
          y = at_y;
        }
      }
    half /= level == 0 ? 6 : 2;
    cells = 6;
  }
  return least;
}

Vec3 sum_of(const std::vector<Vec3>& x, const std::array<double, 4>& N) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += N[i] * x[i];
  return sum;
}

/// Weights are those of the point, which is as far as it says.
void check_consistent(const Vec3& p, const std::vector<Vec3>& x, const ClosestOnFacet& closest, double size) {
  double sum = 0;
  for (const double weight : closest.N) {
    BOOST_TEST(weight >= -4 * eps);
    sum += weight;
  }
  BOOST_TEST(agree("sum of weights", sum, 1, 8 * eps));
  BOOST_TEST(agree("point", sum_of(x, closest.N), closest.at, 16 * eps * size));
  BOOST_TEST(agree("distance", std::sqrt(closest.distance_squared), (p - closest.at).norm(), 16 * eps * size));
}

std::array<Vec3, 3> first_three(const std::array<Vec3, 4>& x) {
  return {x[0], x[1], x[2]};
}

/// Facets of all sorts: any corners, flat, nearly on a line, on a line, with corners that coincide, a point.
std::array<Vec3, 4> random_facet(int sort, Random& random) {
  std::array<Vec3, 4> x{random.vector(), random.vector(), random.vector(), random.vector()};
  if (sort == 1) // a parallelogram
    x[3] = x[0] + x[2] - x[1];
  if (sort == 2 || sort == 3) // a needle
    for (std::size_t i = 2; i < 4; ++i)
      x[i] = x[0] + random.between(0, 1) * (x[1] - x[0]) + (sort == 2 ? 1e-9 : 0.0) * random.vector();
  if (sort == 4)
    x[2] = x[1];
  if (sort == 5)
    x = {x[0], x[0], x[0], x[0]};
  if (sort == 6) // slightly warped
    x = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, random.between(-0.2, 0.2)), Vec3(0, 1, 0)};
  return x;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Closest)

BOOST_AUTO_TEST_CASE(segments_are_as_far_apart_as_sampling_says) {
  Random random(31);
  for (int i = 0; i < 700; ++i) {
    std::array<Vec3, 2> a{random.vector(), random.vector()}, b{random.vector(), random.vector()};
    if (i % 7 == 1) // parallel
      b[1] = b[0] + random.between(-2, 2) * (a[1] - a[0]);
    if (i % 7 == 2) // on one line
      b = {Vec3(a[0] + random.between(-2, 2) * (a[1] - a[0])), Vec3(a[0] + random.between(-2, 2) * (a[1] - a[0]))};
    if (i % 7 == 3)
      b[1] = b[0];
    if (i % 7 == 4)
      a[1] = a[0], b[1] = b[0];
    if (i % 7 == 5) // nearly parallel
      b[1] = b[0] + (a[1] - a[0]) + random.vector(1e-9);
    const auto distance = [&](double s, double t) {
      return (a[0] + s * (a[1] - a[0]) - b[0] - t * (b[1] - b[0])).norm();
    };
    const ClosestOfSegments closest = closest_of_segments(a, b);
    BOOST_TEST(agree("on a", closest.on_a, a[0] + closest.s * (a[1] - a[0]), 8 * eps));
    BOOST_TEST(agree("on b", closest.on_b, b[0] + closest.t * (b[1] - b[0]), 8 * eps));
    BOOST_TEST(agree("distance", std::sqrt(closest.distance_squared), (closest.on_a - closest.on_b).norm(), 8 * eps));
    // The grid around the least of its values ends at steps of 2^-40.
    BOOST_TEST(std::sqrt(closest.distance_squared) <= least_on_square(distance) + 1e-11);
    const ClosestOfSegments swapped = closest_of_segments(b, a);
    BOOST_TEST(agree("swapped", std::sqrt(swapped.distance_squared), std::sqrt(closest.distance_squared), 16 * eps));
  }
}

BOOST_AUTO_TEST_CASE(triangles_are_as_far_as_sampling_says) {
  Random random(32);
  for (int i = 0; i < 600; ++i) {
    const std::array<Vec3, 3> x = first_three(random_facet(i % 6, random));
    const Vec3 p = random.vector(2);
    const ClosestOnFacet closest = closest_on_triangle(p, x);
    check_consistent(p, {x[0], x[1], x[2]}, closest, 4);
    const double sampled = least_on_square([&](double r, double s) { // the square folded on the triangle
      return (p - (1 - r) * x[0] - r * ((1 - s) * x[1] + s * x[2])).norm();
    });
    // A needle that is as thin as 1e-12 of its length is taken as a line.
    BOOST_TEST(std::sqrt(closest.distance_squared) <= sampled + 1e-11);
  }
}

// A facet that is warped much may have several minima, of which the best is found in nearly all draws; those of the
// size of meshes always.
BOOST_AUTO_TEST_CASE(quads_are_as_far_as_sampling_says) {
  Random random(33);
  int missed = 0;
  for (int i = 0; i < 1400; ++i) {
    const std::array<Vec3, 4> x = random_facet(i % 7, random);
    const Vec3 p = random.vector(2);
    const ClosestOnFacet closest = closest_on_quad(p, x);
    check_consistent(p, {x[0], x[1], x[2], x[3]}, closest, 4);
    const double sampled = least_on_square([&](double r, double s) {
      return (p - (1 - r) * (1 - s) * x[0] - r * (1 - s) * x[1] - r * s * x[2] - (1 - r) * s * x[3]).norm();
    });
    const bool found = std::sqrt(closest.distance_squared) <= sampled + 1e-9;
    if (i % 7 == 1 || i % 7 == 6)
      BOOST_TEST(found);
    missed += !found;
  }
  BOOST_TEST(missed == 0);
}

// [C11]: inside the normal is that of the facet.
BOOST_AUTO_TEST_CASE(points_above_the_inside_of_a_warped_quad_are_along_its_normal) {
  Random random(34);
  for (int i = 0; i < 200; ++i) {
    const std::array<Vec3, 4> x = random_facet(6, random);
    const double r = random.between(0.05, 0.95), s = random.between(0.05, 0.95);
    const std::array<double, 4> N{(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s};
    const Vec3 foot = sum_of({x[0], x[1], x[2], x[3]}, N), normal = quad_normal(x, N).normalized();
    const double height = random.between(-0.3, 0.3);
    const ClosestOnFacet closest = closest_on_quad(foot + height * normal, x);
    BOOST_TEST((closest.part == FacetPart::face));
    // Newton's method ends at 1e-14 of the parameters.
    BOOST_TEST(agree("foot", closest.at, foot, 1e-12));
    BOOST_TEST(agree("distance", std::sqrt(closest.distance_squared), std::abs(height), 1e-12));
  }
}

BOOST_AUTO_TEST_CASE(parts_of_facets_are_named) {
  const std::array<Vec3, 4> x{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
  const auto part = [&](const Vec3& p) {
    const ClosestOnFacet closest = closest_on_quad(p, x);
    return std::make_pair(closest.part, closest.number);
  };
  BOOST_TEST((part({0.5, 0.5, 3}) == std::make_pair(FacetPart::face, 0)));
  BOOST_TEST((part({0.5, -1, 3}) == std::make_pair(FacetPart::edge, 0)));
  BOOST_TEST((part({2, 0.3, 0}) == std::make_pair(FacetPart::edge, 1)));
  BOOST_TEST((part({-1, 0.3, 0}) == std::make_pair(FacetPart::edge, 3)));
  BOOST_TEST((part({2, 2, 1}) == std::make_pair(FacetPart::vertex, 2)));
  BOOST_TEST((closest_on_triangle({-1, 2, 1}, first_three(x)).part == FacetPart::edge));
  BOOST_TEST((closest_on_triangle({2, 2, 1}, first_three(x)).number == 2));
}

// Sizes from 1e-9 to 1e9 m: by powers of two to the bit.
BOOST_AUTO_TEST_CASE(sizes_scale_to_the_bit) {
  Random random(35);
  for (int i = 0; i < 300; ++i) {
    const std::array<Vec3, 4> x = random_facet(i % 7, random);
    const Vec3 p = random.vector();
    const ClosestOnFacet quad = closest_on_quad(p, x), triangle = closest_on_triangle(p, first_three(x));
    const ClosestOfSegments segments = closest_of_segments({x[0], x[1]}, {x[2], x[3]});
    for (const int exponent : {-30, 30}) {
      const double scale = std::ldexp(1, exponent);
      const std::array<Vec3, 4> y{scale * x[0], scale * x[1], scale * x[2], scale * x[3]};
      BOOST_TEST(closest_on_quad(scale * p, y).N == quad.N);
      BOOST_TEST(closest_on_triangle(scale * p, first_three(y)).N == triangle.N);
      BOOST_TEST(closest_of_segments({y[0], y[1]}, {y[2], y[3]}).s == segments.s);
      BOOST_TEST(closest_of_segments({y[0], y[1]}, {y[2], y[3]}).t == segments.t);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(Touches)

// Whatever the shape: p = at + distance * normal, and normals have unit length, also where no direction can be told.
BOOST_AUTO_TEST_CASE(of_points_with_no_direction_are_finite) {
  const Vec3 o = Vec3::Zero(), half(1, 2, 3);
  const std::vector<Vec3> places{o,
                                 Vec3(1, 0, 0),
                                 Vec3(0, 2, 0),
                                 Vec3(1, 2, 3),
                                 Vec3(1, 2, 0),
                                 Vec3(-1, -2, -3),
                                 Vec3(1e-200, 0, 0),
                                 Vec3(1, 2, 3 + 4e-16),
                                 Vec3(0, 0, 1e-160)};
  for (const Vec3& p : places) {
    std::vector<Touch> touches{touch_sphere(p, o, 1),
                               touch_shell(p, o, 1),
                               touch_plane(p, Vec3::UnitX(), 0),
                               touch_capsule(p, o, Vec3(0, 0, 1), 0.5),
                               touch_capsule(p, o, o, 0.5),
                               touch_box(p, half)};
    for (int wall = 0; wall < box_faces; ++wall)
      touches.push_back(touch_wall(p, half, wall));
    for (const Touch& touch : touches) {
      BOOST_TEST(agree("normal", touch.normal.norm(), 1, 4 * eps));
      BOOST_TEST(agree("point", touch.at + touch.distance * touch.normal, p, 16 * eps));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_points_in_a_box_are_those_of_the_nearest_face) {
  const Vec3 half(1, 2, 3);
  BOOST_TEST(agree("x", touch_box({0.9, 0, 0}, half).distance, -0.1, 2 * eps));
  BOOST_TEST(touch_box({-0.9, 0, 0}, half).normal == -Vec3::UnitX());
  BOOST_TEST(touch_box({0.5, -1.9, 0}, half).normal == -Vec3::UnitY());
  BOOST_TEST(touch_box({0.5, 0, 2.8}, half).normal == Vec3::UnitZ());
  BOOST_TEST(touch_box({0.5, 0, 2.8}, half).at == Vec3(0.5, 0, 3));
}

BOOST_AUTO_TEST_SUITE_END()
