#include "io/deck/shapes.hpp"

#include "verification/unit/io/deck/support.hpp"

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const double pi = std::acos(-1.0);

/// Largest deviation of two matrices relative to the larger one; a handful of roundings each.
bool same(const Mat3& a, const Mat3& b) {
  return (a - b).cwiseAbs().maxCoeff() <= 20 * eps * b.cwiseAbs().maxCoeff();
}
bool same(double a, double b) {
  return std::abs(a - b) <= 20 * eps * std::abs(b);
}

Mat3 diagonal(double x, double y, double z) {
  return Vec3(x, y, z).asDiagonal();
}

} // namespace

BOOST_AUTO_TEST_SUITE(Shapes)

BOOST_AUTO_TEST_CASE(boxes_have_the_textbook_inertia) {
  const Shape shape = box({1, 2, 3});
  BOOST_TEST(same(shape.volume, 6));
  BOOST_TEST(same(shape.gyration, diagonal(4 + 9, 1 + 9, 1 + 4) / 12));
}

// Eight boxes of half the size, moved to their places by the parallel-axis theorem, make the whole box.
BOOST_AUTO_TEST_CASE(boxes_are_made_of_boxes) {
  const Vec3 edges(0.3, 1.1, 0.7);
  const Shape whole = box(edges), part = box(edges / 2);
  const Vec3 d = edges / 4;
  const Mat3 steiner =
      d.squaredNorm() * Mat3::Identity() - Mat3(d.cwiseAbs2().asDiagonal()); // products cancel in pairs
  BOOST_TEST(same(8 * part.volume, whole.volume));
  BOOST_TEST(same(part.gyration + steiner, whole.gyration));
}

BOOST_AUTO_TEST_CASE(spheres_have_the_textbook_inertia) {
  const Shape shape = sphere(0.5);
  BOOST_TEST(same(shape.volume, pi / 6));
  BOOST_TEST(same(shape.gyration, Mat3::Identity() * 0.1));
}

BOOST_AUTO_TEST_CASE(cylinders_have_the_textbook_inertia_about_any_axis) {
  const Shape along_z = cylinder(0.5, 2, Vec3::UnitZ());
  BOOST_TEST(same(along_z.volume, pi / 2));
  BOOST_TEST(same(along_z.gyration, diagonal((0.75 + 4) / 12, (0.75 + 4) / 12, 0.125)));
  BOOST_TEST(same(cylinder(0.5, 2, Vec3::UnitX()).gyration, diagonal(0.125, (0.75 + 4) / 12, (0.75 + 4) / 12)));
  // Turning the axis turns the tensor: J = R J0 Rᵀ.
  const Mat3 R = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  BOOST_TEST(same(cylinder(0.5, 2, R.col(2)).gyration, R * along_z.gyration * R.transpose()));
}

// Two halves side by side along the axis make the whole.
BOOST_AUTO_TEST_CASE(cylinders_are_made_of_cylinders) {
  const Shape whole = cylinder(0.5, 2, Vec3::UnitZ()), half = cylinder(0.5, 1, Vec3::UnitZ());
  BOOST_TEST(same(half.gyration + diagonal(0.25, 0.25, 0), whole.gyration));
}

// What is left of a sphere after taking out a smaller one.
BOOST_AUTO_TEST_CASE(shells_are_differences_of_spheres) {
  const Shape outer = sphere(1), inner = sphere(0.6), shell = spherical_shell(1, 0.4);
  BOOST_TEST(same(shell.volume, outer.volume - inner.volume));
  BOOST_TEST(same(shell.volume * shell.gyration, outer.volume * outer.gyration - inner.volume * inner.gyration));
}

BOOST_AUTO_TEST_CASE(thin_shells_tend_to_two_thirds) {
  BOOST_TEST(same(spherical_shell(0.5, 0).gyration, Mat3::Identity() * (2.0 / 3 * 0.25)));
  BOOST_TEST(spherical_shell(0.5, 0).volume == 0.0);
  // r²_gyration = 2/3 R² (1 - t/R + ...): linear in the thickness down to the last digits.
  const double thin = spherical_shell(1, 1e-8).gyration(0, 0);
  BOOST_TEST(std::abs(thin - 2.0 / 3 * (1 - 1e-8)) <= 10 * eps);
}

BOOST_AUTO_TEST_CASE(decks_give_shapes_by_mass_or_density) {
  const auto body = [](const std::string& entries) { return read_good(deck_of(entries)).bodies.at(0); };
  BOOST_TEST(same(body("{box: [1, 2, 3], density: 2}").mass, 12));
  BOOST_TEST(same(body("{box: [1, 2, 3], density: 2}").inertia, diagonal(13, 10, 5)));
  BOOST_TEST(same(body("{sphere: 0.5, mass: 10}").inertia, Mat3::Identity()));
  BOOST_TEST(same(body("{cylinder: {radius: 0.5, length: 2}, mass: 8}").inertia(2, 2), 1));
  BOOST_TEST(same(body("{cylinder: {radius: 0.5, length: 2, axis: y}, mass: 8}").inertia(1, 1), 1));
  BOOST_TEST(same(body("{cylinder: {radius: 0.5, length: 2, axis: [0, 3, 0]}, mass: 8}").inertia(1, 1), 1));
  BOOST_TEST(same(body("{shell: {radius: 3}, mass: 2}").inertia, 12 * Mat3::Identity()));
  BOOST_TEST(same(body("{shell: {radius: 1, thickness: 1}, density: 3/(4*pi)}").mass, 1));
  BOOST_TEST(same(body("{rod: {length: 6, radius: 1, axis: x}, mass: 4}").inertia, diagonal(2, 13, 13)));
}

BOOST_AUTO_TEST_CASE(decks_give_inertia_in_three_ways) {
  const auto inertia = [](const std::string& entry) {
    return read_good(deck_of("{mass: 1, inertia: " + entry + "}")).bodies.at(0).inertia;
  };
  BOOST_TEST((inertia("[1, 2, 2.5]") == diagonal(1, 2, 2.5)));
  BOOST_TEST((inertia("[1, 1, 2]") == diagonal(1, 1, 2))); // a plate: the limit of the triangle inequality
  Mat3 full;
  full << 4, 0.1, 0.2, 0.1, 5, 0.3, 0.2, 0.3, 6;
  BOOST_TEST((inertia("[4, 5, 6, 0.1, 0.2, 0.3]") == full));
  BOOST_TEST((inertia("[[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]]") == full));
}

BOOST_AUTO_TEST_SUITE_END()
