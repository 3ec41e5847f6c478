/// Bodies that come to rest on each other without friction, and what correcting their positions does.

#include "verification/support/free_scenes.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(Resting)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
const Quaternion upright(1, 0, 0, 0);

FreeScene box_on_floor(double height) {
  FreeScene scene;
  scene.cornered(1, Vec3::Ones(), {Vec3(0, 0, 0.5 + height), upright, Vec3::Zero(), Vec3::Zero()});
  scene.floor();
  scene.gravity(Vec3(0, 0, -10));
  scene.restitution(0);
  return scene;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_box_at_rest_stays) {
  const FreeScene scene = box_on_floor(0);
  const Course course = run(scene, 1e-3, 1000);
  BOOST_TEST((scene.bodies[0]->motion(course.end).position - Vec3(0, 0, 0.5)).norm() <= 1e-12);
  BOOST_TEST(scene.bodies[0]->motion(course.end).velocity.norm() <= 100 * eps);
  BOOST_TEST(std::abs(course.ledger.dissipation()) <= 1e-12);
}

// Impulses of the step before are where the next one starts, in proportion to its length: what it leaves open, how four
// corners share a load, stays as it was [R25].
BOOST_AUTO_TEST_CASE(impulses_carry_over_to_steps_of_another_length) {
  const FreeScene scene = box_on_floor(0);
  FreeBodies engine = scene.engine();
  State s = scene.state();
  engine.begin(s);
  const double h = 1e-3, share = 10 * h / 4, uneven = share / 3;
  BOOST_REQUIRE(engine.step(s, h).converged);
  BOOST_REQUIRE(s.contacts.size() == 4u);
  for (const std::size_t corner : {0, 1, 2, 3}) // diagonals against each other: neither force nor moment
    s.contacts[corner].impulse = Vec3(0, 0, share + (corner == 0 || corner == 3 ? uneven : -uneven));
  BOOST_REQUIRE(engine.step(s, h / 2).converged);
  BOOST_REQUIRE(s.contacts.size() == 4u);
  for (const std::size_t corner : {0, 1, 2, 3}) {
    const double expected = (share + (corner == 0 || corner == 3 ? uneven : -uneven)) / 2;
    // To rounding of velocities h g over the inverse mass of a corner.
    BOOST_TEST(std::abs(s.contacts[corner].impulse.z() - expected) <= 1e-12 * share);
  }
}

// W_st = M g (depth - slop / 2): the potential energy that the box had lost before the run [R21].
BOOST_AUTO_TEST_CASE(a_box_that_starts_inside_the_floor_is_lifted) {
  const FreeScene scene = box_on_floor(-1e-3);
  const Course course = run(scene, 1e-3, 100);
  BOOST_TEST(std::abs(course.ledger.stabilisation() / 9.9e-3 - 1) <= 1e-9); // published to this
  BOOST_TEST(std::abs(course.ledger.energy_imbalance()) <= 100 * eps);
  BOOST_TEST(scene.bodies[0]->motion(course.end).velocity.norm() <= 100 * eps);
  BOOST_TEST(std::abs(scene.bodies[0]->motion(course.end).position.z() - 0.5 + 1e-5) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(without_stabilisation_it_stays_inside) {
  FreeScene scene = box_on_floor(-1e-3);
  scene.options.stabilise = false;
  const Course course = run(scene, 1e-3, 100);
  BOOST_TEST(course.ledger.stabilisation() == 0);
  BOOST_TEST(std::abs(scene.bodies[0]->motion(course.end).position.z() - 0.499) <= 1e-12);
}

// Ten boxes of 1 kg, each half a millimetre inside the next and the lowest in the floor: one correction lifts box k by
// k times the depth less half of what is left, 10 um [R17]. W_st = M g sum k (0.5 mm - 10 um) = 0.2695 J [R21].
BOOST_AUTO_TEST_CASE(ten_boxes_inside_each_other_are_parted) {
  FreeScene scene;
  const double g = 10, h = 1e-3, depth = 0.5e-3, left = h * h * g;
  for (int k = 1; k <= 10; ++k)
    scene.block(1, Vec3::Ones(), {Vec3(0, 0, k - 0.5 - k * depth), upright, Vec3::Zero(), Vec3::Zero()});
  scene.floor();
  scene.gravity(Vec3(0, 0, -g));
  scene.restitution(0);
  const Course course = run(scene, h, 100);
  BOOST_TEST(std::abs(course.ledger.stabilisation() / (g * 55 * (depth - left)) - 1) <= 1e-9); // published to this
  // Ten bodies of some 50 J of potential energy to be kept.
  BOOST_TEST(std::abs(course.ledger.energy_imbalance()) <= 10 * eps * 500);
  for (std::size_t b = 0; b < 10; ++b) {
    const BodyMotion end = scene.bodies[b]->motion(course.end);
    BOOST_TEST(std::abs(end.position.z() - (static_cast<double>(b) + 0.5 - static_cast<double>(b + 1) * left)) <=
               1e-11);
    BOOST_TEST(end.position.head<2>().norm() <= 1e-12);
    BOOST_TEST(end.velocity.norm() <= 1e-11);
  }
}

// Two bodies that turn together and overlap: parting them keeps both momenta [R19].
BOOST_AUTO_TEST_CASE(parting_two_bodies_that_turn_together_keeps_angular_momentum) {
  FreeScene scene;
  const Vec3 Omega(0.7, 0.4, 1), V(0.3, -0.2, 0.1);
  const Vec3 slab_at(0, 0, 0), box_at(0.1, 0.05, 0.599);
  const Vec3 centre = (3 * slab_at + box_at) / 4;
  scene.block(3, Vec3(2, 2, 0.2), {slab_at, upright, V + Omega.cross(slab_at - centre), Omega});
  scene.cornered(1, Vec3::Ones(), {box_at, upright, V + Omega.cross(box_at - centre), Omega});
  scene.restitution(0);
  // A uniform field drops out of relative motion; it only says how deep counts as deep.
  scene.gravity(Vec3(0, 0, -10));
  const Course course = run(scene, 1e-3, 20);
  BOOST_TEST(course.ledger.stabilisation() != 0);
  BOOST_TEST(course.ledger.relative_linear_imbalance() <= 200 * eps);
  BOOST_TEST(course.ledger.relative_angular_imbalance() <= 200 * eps);
  BOOST_TEST(course.ledger.relative_energy_imbalance() <= 200 * eps);
  BOOST_TEST(course.ledger.last().penetration <= 2e-5);
}

// [C37]: with look-ahead a plastic impact ends above the floor, not up to half a step's approach below it.
BOOST_AUTO_TEST_CASE(plastic_impacts_do_not_sink) {
  for (const double e : {0.0, 0.5}) {
    FreeScene scene = box_on_floor(0.5);
    scene.restitution(e);
    const double h = 1e-3;
    const Course course = run(scene, h, 1500);
    BOOST_TEST(course.impacts > 0);
    // What is left is of second order: h² g.
    BOOST_TEST(course.ledger.max_penetration() <= 10 * h * h);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
    if (e == 0)
      BOOST_TEST(scene.bodies[0]->motion(course.end).velocity.norm() <= 1e-12);
  }
}

// A body with contacts at the ground and at another body: what the ground gives is a moment about the place where the
// contacts were found, not about where the body comes to be [C23].
BOOST_AUTO_TEST_CASE(balls_between_ground_and_others_keep_the_balance_of_angular_momentum) {
  for (const Arms arms : {Arms::common, Arms::mean}) {
    FreeScene scene;
    scene.options.arms = arms;
    for (int i = 0; i < 3; ++i)
      scene.ball(1 + i, 0.1, Vec3(0.05 * i, 0.03 * i, 0.1 + 0.19 * i), Vec3(0.1 * i, 0.2, -0.3 * i));
    scene.floor();
    scene.surface(Model::ground, contact::Box{Vec3(0, 0, 2), Vec3(0.25, 0.25, 2.5), Mat3::Identity(), true});
    scene.gravity(Vec3(0, 0, -9.81));
    scene.restitution(0);
    const Course course = run(scene, 2e-3, 300);
    BOOST_TEST(course.impacts > 3);
    // Some twenty roundings a step of impulses that add up to the weight times the time.
    BOOST_TEST(course.ledger.angular_imbalance().norm() <= 20 * eps * 300 * 6 * 9.81 * 0.6);
    BOOST_TEST(course.ledger.linear_imbalance().norm() <= 20 * eps * 300 * 6 * 9.81 * 0.6);
  }
}

BOOST_AUTO_TEST_SUITE_END()
