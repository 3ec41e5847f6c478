/// Cubes that tumble on a floor and on a slab that floats free, without friction: what holds in every step and over a
/// run, whatever the restitution. The motions themselves are chaotic.

#include "verification/support/free_scenes.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(Tumbling)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double h = 1e-3;
const Quaternion upright(1, 0, 0, 0);

/// A cube of 1 m and 1 kg that falls with spin.
FreeScene cube_on_floor(double e) {
  FreeScene scene;
  scene.cornered(1, Vec3::Ones(), {Vec3(0, 0, 1.5), upright, Vec3(0.5, 0.2, 0), Vec3(1, 2, 0.5)});
  scene.floor();
  scene.gravity(Vec3(0, 0, -9.81));
  scene.restitution(e);
  return scene;
}

/// The same over a slab that moves towards it, in a field that moves both.
FreeScene cube_on_slab(double e) {
  FreeScene scene;
  scene.cornered(1, Vec3::Ones(), {Vec3(0.1, 0.2, 1.4), upright, Vec3(0.3, 0.1, -2), Vec3(1, 2, 0.5)});
  scene.block(3, Vec3(4, 4, 0.2), {Vec3::Zero(), upright, Vec3(0, 0, 1), Vec3(0.1, -0.1, 0.2)});
  scene.gravity(Vec3(1, -2, -9.81));
  scene.restitution(e);
  return scene;
}

/// What a run is judged by beside its books.
struct Watched {
  Course course;
  double fastest = 0; ///< |omega| [rad/s]
};

Watched watch(const FreeScene& scene, long steps) {
  Watched watched;
  watched.course = run(scene, h, steps, [&](const State& s) {
    for (const Body* body : scene.bodies)
      watched.fastest = std::max(watched.fastest, body->motion(s).angular_velocity.norm());
  });
  return watched;
}

// [Q5]: what a step of an island may gain at most. Its derivation drops terms of relative size h |omega|.
double largest_gain(const FreeScene& scene, const Vec3& g, double e, double turn) {
  double weight = 0; // sum of |F|² / M
  for (const Body* body : scene.bodies)
    weight += body->mass() * g.squaredNorm();
  return (1 + turn) * (1 - e) / (1 + e) / 8 * h * h * weight;
}

// Arms are those of the predicted half step; with the turn that comes out, points of a cube of half diagonal R move by
// |dtheta| R |theta| / 2 more or less than their impulses are found for, where dtheta, the change by impulses, is no
// larger than twice the largest turn. Rest of an earlier step, and what is not corrected, 2 h² g, come on top.
double deepest(double fastest, double g) {
  const double R = std::sqrt(3) / 2, turn = fastest * h;
  return turn * turn * R + 2 * h * h * g;
}

void check_books(const Course& course, double e) {
  // Some ten roundings of the energy or momentum in a step with contact; those of free steps do not add up.
  const double tolerance = 10 * eps * static_cast<double>(course.impacts + course.contact_steps + 100);
  BOOST_TEST(course.impacts > 0);
  BOOST_TEST(course.ledger.relative_energy_imbalance() <= tolerance);
  BOOST_TEST(course.ledger.relative_linear_imbalance() <= tolerance);
  BOOST_TEST(course.ledger.relative_angular_imbalance() <= tolerance);
  BOOST_TEST(std::abs(course.ledger.lost_friction()) <= tolerance * course.ledger.energy_scale());
  if (e == 1)
    BOOST_TEST(std::abs(course.ledger.dissipation()) <= tolerance * course.ledger.energy_scale());
  else
    BOOST_TEST(course.ledger.dissipation() > 0.1);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_cube_tumbles_on_a_floor) {
  for (const double e : {1.0, 0.6, 0.0})
    BOOST_TEST_CONTEXT("restitution " << e) {
      const FreeScene scene = cube_on_floor(e);
      const auto [course, fastest] = watch(scene, 5000);
      check_books(course, e);
      BOOST_TEST(course.lowest_loss >=
                 -largest_gain(scene, Vec3(0, 0, 9.81), e, fastest * h) - 10 * eps * course.ledger.energy_scale());
      BOOST_TEST(course.ledger.max_penetration() <= deepest(fastest, 9.81));
      // The floor pushes upwards alone, and not about the vertical through the centre: these are as at the start.
      const BodyMotion end = scene.bodies[0]->motion(course.end);
      BOOST_TEST((end.velocity.head<2>() - Eigen::Vector2d(0.5, 0.2)).norm() <= 4 * eps);
      BOOST_TEST(std::abs(end.position.x() - 0.5 * 5000 * h) <= 100 * eps * 2.5);
      if (e < 1) { // it has come to lie flat, and slides on, turning about the vertical
        const Vec3 up = end.orientation.conjugate() * Vec3::UnitZ();
        BOOST_TEST(std::abs(up.cwiseAbs().maxCoeff() - 1) <= 1e-9);
        BOOST_TEST(std::abs(end.velocity.z()) <= 1e-9);
        BOOST_TEST(end.angular_velocity.head<2>().norm() <= 1e-9);
        BOOST_TEST(std::abs(end.position.z() - 0.5) <= 4 * h * h * 9.81); // within what counts as touching
      }
    }
}

// Cubes that hit each other and the floor in the same steps: of the impulses on a cube only some are the ground's.
BOOST_AUTO_TEST_CASE(cubes_fall_on_each_other) {
  for (const double e : {1.0, 0.5})
    BOOST_TEST_CONTEXT("restitution " << e) {
      FreeScene scene;
      for (int i = 0; i < 3; ++i)
        scene.block(1 + i, Vec3::Ones(),
                    {Vec3(0.1 * i, 0.2 * i, 0.8 + 1.5 * i), exponential(Vec3(0.2, 0.1 * i, 0)), Vec3(0.5, 0.2, -i),
                     Vec3(1, 2, 0.5)});
      scene.floor();
      scene.gravity(Vec3(0, 0, -9.81));
      scene.restitution(e);
      check_books(run(scene, h, 1500), e);
    }
}

BOOST_AUTO_TEST_CASE(a_cube_tumbles_on_a_free_slab) {
  const Vec3 field(1, -2, -9.81);
  for (const double e : {1.0, 0.6, 0.0})
    BOOST_TEST_CONTEXT("restitution " << e) {
      const FreeScene scene = cube_on_slab(e);
      const auto [course, fastest] = watch(scene, 1500);
      check_books(course, e);
      BOOST_TEST(course.lowest_loss >=
                 -largest_gain(scene, field, e, fastest * h) - 10 * eps * course.ledger.energy_scale());
      BOOST_TEST(course.ledger.max_penetration() <= deepest(fastest, field.norm()));
      // The common centre falls freely.
      const double t = 1500 * h;
      Vec3 centre = Vec3::Zero(), expected = (Vec3(0.1, 0.2, 1.4) + t * (Vec3(0.3, 0.1, -2) + 3 * Vec3(0, 0, 1))) / 4;
      for (std::size_t b = 0; b < 2; ++b)
        centre += scene.bodies[b]->mass() / 4 * scene.bodies[b]->motion(course.end).position;
      expected += t * t / 2 * field;
      BOOST_TEST((centre - expected).norm() <= 1000 * eps * expected.norm());
    }
}

BOOST_AUTO_TEST_SUITE_END()
