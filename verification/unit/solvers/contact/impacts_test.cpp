/// Impacts with closed-form answers: docs/theory/contact.md, section "Tests".

#include "elements/forces/load.hpp"
#include "verification/support/free_scenes.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(Impacts)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Vec3 velocity(const Body& body, const State& s) {
  return body.motion(s).velocity;
}
Vec3 spin_of(const Body& body, const State& s) {
  return body.motion(s).angular_velocity;
}

/// Balls of radius 1/2 in a row along x, the first with speed 1.
FreeScene cradle(int n, double gap) {
  FreeScene scene;
  for (int i = 0; i < n; ++i)
    scene.ball(1, 0.5, Vec3((1 + gap) * i, 0, 0), Vec3(i == 0 ? 1 : 0, 0, 0));
  return scene;
}

/// A cube of 1 kg over a slab of 3 kg, both at rest but for the cube, which falls with speed 1.
FreeScene cube_on_slab(const Vec3& offset, double gap) {
  FreeScene scene;
  scene.cornered(1, Vec3::Ones(), {offset + Vec3(0, 0, 0.6 + gap), {1, 0, 0, 0}, Vec3(0, 0, -1), Vec3::Zero()});
  scene.block(3, Vec3(2, 2, 0.2), {Vec3::Zero(), {1, 0, 0, 0}, Vec3::Zero(), Vec3::Zero()});
  return scene;
}

} // namespace

// [C29]: touching balls are hit all at once, the velocity is reflected at the cone of non-approaching ones.
BOOST_AUTO_TEST_CASE(touching_balls_share_the_impulse) {
  for (const int n : {2, 3, 5, 10, 30, 100}) {
    const FreeScene scene = cradle(n, 0);
    const Course course = run(scene, 1e-3, 1);
    // The problem of n contacts in a row has a condition of (2n/pi)², which multiplies rounding of velocities.
    const double tolerance = 4 * eps * n * n;
    BOOST_TEST(std::abs(velocity(*scene.bodies[0], course.end).x() - (2.0 / n - 1)) <= tolerance);
    for (int i = 1; i < n; ++i)
      BOOST_TEST(std::abs(velocity(*scene.bodies[static_cast<std::size_t>(i)], course.end).x() - 2.0 / n) <= tolerance);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= tolerance);
    BOOST_TEST(std::abs(course.ledger.dissipation()) <= tolerance);
  }
}

// With gaps longer than the way of one step impacts come one after the other, and the last ball leaves alone.
BOOST_AUTO_TEST_CASE(balls_with_gaps_pass_the_impulse_on) {
  const FreeScene scene = cradle(5, 0.01);
  const Course course = run(scene, 1e-3, 100);
  for (std::size_t i = 0; i < 5; ++i)
    BOOST_TEST(std::abs(velocity(*scene.bodies[i], course.end).x() - (i == 4 ? 1 : 0)) <= 100 * eps);
  BOOST_TEST(course.impacts == 4);
}

BOOST_AUTO_TEST_CASE(a_cube_falls_flat_on_a_free_slab) {
  const FreeScene scene = cube_on_slab(Vec3::Zero(), 1e-4);
  const Course course = run(scene, 1e-3, 1);
  BOOST_TEST((velocity(*scene.bodies[0], course.end) - Vec3(0, 0, 0.5)).norm() <= 100 * eps);
  BOOST_TEST((velocity(*scene.bodies[1], course.end) - Vec3(0, 0, -0.5)).norm() <= 100 * eps);
  BOOST_TEST(spin_of(*scene.bodies[0], course.end).norm() <= 100 * eps);
}

// Closed form: both turn together with 2 Omega after the impact. Nothing turns before it, so that the arms are those of
// the impact whatever the step.
BOOST_AUTO_TEST_CASE(a_cube_falls_beside_the_middle_of_a_free_slab) {
  const Vec3 omega(-0.123541523678792, 0.247083047357584, 0);
  for (const double h : {1e-4, 1e-2}) {
    const FreeScene scene = cube_on_slab(Vec3(0.2, 0.1, 0), h / 2);
    const Course course = run(scene, h, 1);
    // Published with 15 digits.
    BOOST_TEST((spin_of(*scene.bodies[0], course.end) - omega).norm() <= 1e-14);
    BOOST_TEST((spin_of(*scene.bodies[1], course.end) - omega).norm() <= 1e-14);
    BOOST_TEST(std::abs(velocity(*scene.bodies[0], course.end).z() - 0.453671928620453) <= 1e-14);
    BOOST_TEST(std::abs(velocity(*scene.bodies[1], course.end).z() + 0.484557309540151) <= 1e-14);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 100 * eps);
    BOOST_TEST(course.ledger.relative_angular_imbalance() <= 100 * eps);
  }
}

BOOST_AUTO_TEST_CASE(a_stack_is_hit_from_above) {
  FreeScene scene;
  const double masses[] = {1, 1, 3};
  for (int i = 0; i < 3; ++i) // balls of radius 1/2, touching, the heaviest below
    scene.ball(masses[i], 0.5, Vec3(0, 0, 2 - i), Vec3(0, 0, i == 0 ? -1 : 0));
  const Course course = run(scene, 1e-3, 1);
  const double expected[] = {0.6, -0.4, -0.4};
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(std::abs(velocity(*scene.bodies[i], course.end).z() - expected[i]) <= 50 * eps);
}

// [C21]: the first ball hits the second within the step, which would then enter the third although these two were apart
// at the predicted end. All three are hit at once, as if they had touched.
BOOST_AUTO_TEST_CASE(what_an_impulse_closes_is_hit_in_the_same_step) {
  FreeScene scene;
  const double h = 1e-3;
  scene.ball(1, 0.5, Vec3(-1 - h / 2, 0, 0), Vec3(1, 0, 0));
  scene.ball(1, 0.5, Vec3(0, 0, 0), Vec3::Zero());
  scene.ball(1, 0.5, Vec3(1 + h / 10, 0, 0), Vec3::Zero());
  const Course course = run(scene, h, 1);
  const double expected[] = {-1 / 3.0, 2 / 3.0, 2 / 3.0};
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(std::abs(velocity(*scene.bodies[i], course.end).x() - expected[i]) <= 50 * eps);
  BOOST_TEST(course.ledger.max_penetration() == 0);
}

// A ground whose points touch bodies: then the body is the one that carries the normal, and its impulse has the other
// sign.
BOOST_AUTO_TEST_CASE(a_block_falls_on_a_post_of_the_ground) {
  FreeScene scene;
  scene.block(2, Vec3(1, 1, 0.2), {Vec3(0.3, 0.1, 0.5), {1, 0, 0, 0}, Vec3(0, 0, -1), Vec3(0.2, 0.1, 0)});
  contact::NodeSet post;
  post.at = {Vec3::Zero()};
  post.radius = 0.1;
  scene.surface(Model::ground, post);
  const Course course = run(scene, 1e-3, 1000);
  BOOST_TEST(course.impacts >= 1);
  BOOST_TEST(velocity(*scene.bodies[0], course.end).z() > -0.9);
  const double tolerance = 1000 * eps;
  BOOST_TEST(course.ledger.relative_energy_imbalance() <= tolerance);
  BOOST_TEST(course.ledger.relative_linear_imbalance() <= tolerance);
  BOOST_TEST(course.ledger.relative_angular_imbalance() <= tolerance);
}

// What is told of an impact: where the ball touches the floor, not where its centre is.
BOOST_AUTO_TEST_CASE(impacts_are_told_with_their_place) {
  const double h = 1e-3;
  for (const bool located : {false, true}) {
    FreeScene scene;
    scene.ball(2, 0.25, Vec3(1, 2, 0.25 + h / 4), Vec3(0.5, 0, -1));
    scene.floor();
    scene.options.located = located;
    FreeBodies engine = scene.engine();
    State s = scene.state();
    engine.begin(s);
    BOOST_REQUIRE(engine.step(s, h).converged);
    BOOST_REQUIRE(engine.happenings()->impacts.size() == 1u);
    const contact::Impact& impact = engine.happenings()->impacts[0];
    // Of the middle of the step, or of the time of the impact.
    BOOST_TEST((impact.at - Vec3(1, 2, 0)).norm() <= h);
    BOOST_TEST((impact.normal - Vec3::UnitZ()).norm() <= eps);
    BOOST_TEST(std::abs(impact.impulse - 4) <= 50 * eps);
    BOOST_TEST(std::abs(impact.approach - 1) <= 50 * eps);
    BOOST_TEST(std::abs(impact.lost) <= 50 * eps);
    BOOST_TEST(std::abs(impact.time - (located ? h / 4 : h)) <= 1e-12 * h + eps);
  }
}

// Any step: the end of the rod stays where the impulse acts, so nothing depends on the turn.
BOOST_AUTO_TEST_CASE(the_end_of_a_rod_hits_a_wall) {
  for (const double h : {1e-4, 1e-2}) {
    FreeScene scene;
    const Body& rod = scene.add(1, (Vec3(1e-3, 1 / 12.0, 1 / 12.0)).asDiagonal(),
                                {Vec3(0, 0, h / 2), {1, 0, 0, 0}, Vec3(0, 0, -1), Vec3::Zero()});
    contact::NodeSet end;
    end.at = {Vec3(0.5, 0, 0)};
    scene.surface(rod.port(), end);
    scene.floor();
    FreeBodies engine = scene.engine();
    State s = scene.state();
    engine.begin(s);
    BOOST_REQUIRE(engine.step(s, h).converged);
    BOOST_REQUIRE(engine.happenings()->impacts.size() == 1u);
    BOOST_TEST(std::abs(engine.happenings()->impacts[0].impulse - 0.5) <= 50 * eps);
    BOOST_TEST(std::abs(velocity(rod, s).z() + 0.5) <= 50 * eps);
    BOOST_TEST(std::abs(spin_of(rod, s).norm() - 3) <= 50 * eps);
  }
}

// [C33]: impulse and loss of a single contact, for every restitution.
BOOST_AUTO_TEST_CASE(restitution_of_a_single_contact) {
  for (const double e : {0.0, 0.3, 0.7, 1.0}) {
    FreeScene scene;
    scene.ball(1, 0.5, Vec3(0, 0, 0), Vec3(0, 0, 0));
    scene.ball(3, 0.25, Vec3(0, 0, 0.7501), Vec3(0.2, 0.1, -2), Vec3(1, 2, 3));
    scene.restitution(e);
    const Course course = run(scene, 1e-4, 1);
    const double reduced = 0.75; // 1 * 3 / (1 + 3)
    // The normal turns with the sideways motion by v h / d = 3e-5 in the step.
    BOOST_TEST(std::abs(course.ledger.dissipation() - reduced * (1 - e * e) * 2) <= 1e-3);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 50 * eps);
    const double after = velocity(*scene.bodies[1], course.end).z() - velocity(*scene.bodies[0], course.end).z();
    BOOST_TEST(std::abs(after - 2 * e) <= 1e-3);
  }
}

// [C32]: whatever mixture of restitutions, no contact of a step feeds energy, and the books close.
BOOST_AUTO_TEST_CASE(mixed_restitution_dissipates_at_every_contact) {
  Random random(7);
  long solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    FreeScene scene; // eight balls around one, each with a restitution of its own
    scene.ball(random.mass(), 0.5, Vec3::Zero(), random.vector(0.1), random.vector());
    for (int i = 0; i < 8; ++i) {
      const Vec3 n = Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1).normalized();
      scene.ball(random.mass(), 0.25, 0.7502 * n, -random.between(-0.3, 1) * n + random.vector(0.1), random.vector());
    }
    scene.scene.rule_of = Eigen::MatrixXi::Zero(9, 9);
    scene.scene.rules.clear();
    for (int i = 0; i < 9; ++i) {
      scene.scene.class_of[static_cast<std::size_t>(i)] = i;
      scene.scene.rules.push_back({});
      scene.scene.rules.back().material.restitution = random.between(0, 1);
      scene.scene.rule_of.row(i).setConstant(i);
      scene.scene.rule_of.col(i).setConstant(i);
    }
    FreeBodies engine = scene.engine();
    State s = scene.state();
    engine.begin(s);
    Ledger ledger;
    ledger.open(scene.model.books_at(s));
    BOOST_REQUIRE(engine.step(s, 1e-3).converged);
    ledger.add(engine.books(s));
    BOOST_TEST(ledger.relative_energy_imbalance() <= 100 * eps);
    BOOST_TEST(ledger.relative_angular_imbalance() <= 100 * eps);
    for (const contact::Impact& impact : engine.happenings()->impacts) {
      ++solved;
      BOOST_TEST(impact.lost >= -100 * eps * ledger.energy_scale());
    }
  }
  BOOST_TEST(solved > 400);
}

// [C23]: energy and both momenta of random bodies that hit each other, whatever the step, and forces on single bodies.
BOOST_AUTO_TEST_CASE(random_impacts_keep_energy_and_momenta) {
  Random random(3);
  for (const bool exponential : {false, true})
    for (const Arms arms : {Arms::common, Arms::mean, Arms::corrected})
      for (const double h : {1e-3, 1e-2}) {
        FreeScene scene;
        scene.options.exponential = exponential;
        scene.options.arms = arms;
        for (int i = 0; i < 4; ++i)
          scene.cornered(random.mass(), Vec3(1, 0.7, 0.4),
                         {1.2 * Vec3(i & 1, i & 2 ? 1 : 0, 0), random.rotation(), random.vector(2), random.vector(3)});
        const Body& room =
            scene.add(5, 4 * Mat3::Identity(), {Vec3(0.6, 0.6, 0), {1, 0, 0, 0}, Vec3::Zero(), Vec3::Zero()});
        scene.surface(room.port(), contact::Box{Vec3::Zero(), Vec3(1.8, 1.8, 1.3), Mat3::Identity(), true});
        const Course course = run(scene, h, static_cast<long>(3 / h));
        BOOST_TEST(course.impacts > 10);
        // Each impact leaves some ten roundings of the energy.
        const double tolerance = 10 * eps * static_cast<double>(course.impacts + 100);
        BOOST_TEST(course.ledger.relative_energy_imbalance() <= tolerance);
        BOOST_TEST(std::abs(course.ledger.dissipation()) <= tolerance * course.ledger.energy_scale());
        BOOST_TEST(course.ledger.relative_linear_imbalance() <= tolerance);
        BOOST_TEST(course.ledger.relative_angular_imbalance() <= tolerance);
      }
}

// [C23]: a force on one body only, at its centre or not, does not drop out of the distance of centres in the middle of
// the step. Left out there, each impact would change the angular momentum by h²/4M F x I, 1e-6 of it.
BOOST_AUTO_TEST_CASE(a_load_on_one_body_keeps_the_balance_of_angular_momentum) {
  for (const Arms arms : {Arms::common, Arms::corrected})
    for (const Vec3& at : {Vec3(0, 0, 0), Vec3(0.2, -0.3, 0.1)}) {
      FreeScene scene = cube_on_slab(Vec3(0.2, 0.1, 0), 0.1);
      scene.motions[0].angular_velocity = Vec3(0.3, 0.2, -0.5);
      scene.motions[1].angular_velocity = Vec3(0.1, -0.1, 0.2);
      scene.options.arms = arms;
      scene.model.add(std::make_unique<AppliedForce>("push", scene.model.ports(), scene.bodies[0]->port(), at,
                                                     Vec3(2, -1, -30), LoadAxes::space));
      const Course course = run(scene, 1e-3, 1000);
      BOOST_TEST(course.impacts > 5);
      const double tolerance = 10 * eps * static_cast<double>(course.impacts + 100);
      BOOST_TEST(course.ledger.relative_energy_imbalance() <= tolerance);
      BOOST_TEST(course.ledger.relative_linear_imbalance() <= tolerance);
      BOOST_TEST(course.ledger.relative_angular_imbalance() <= tolerance);
    }
}

// The paper's rule with its misprints loses angular momentum by h/2 (v_s - v_m) x I at every impact, and no energy.
BOOST_AUTO_TEST_CASE(arms_at_the_start_of_the_step_lose_angular_momentum) {
  double errors[2];
  for (const int i : {0, 1}) {
    FreeScene scene = cube_on_slab(Vec3(0.2, 0.1, 0), 1e-5);
    scene.motions[0].velocity = Vec3(1, 0.5, -1);
    scene.options.arms = Arms::start;
    const Course course = run(scene, i == 0 ? 1e-3 : 1e-4, 1);
    errors[i] = course.ledger.relative_angular_imbalance();
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 100 * eps);
  }
  BOOST_TEST(errors[1] > 1e-6);
  BOOST_TEST(errors[0] / errors[1] > 8);
  BOOST_TEST(errors[0] / errors[1] < 12);
}

BOOST_AUTO_TEST_SUITE_END()
