/// The engine as a whole: published runs, restarts, located impacts.

#include "solvers/simulation.hpp"
#include "verification/support/free_scenes.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(FreeBodiesEngine)

// contact_rod_first_impacts.csv: the first two of eight impacts, h = 1e-6, by an independent program. The others take
// 4e5 steps and are in the long verification.
BOOST_AUTO_TEST_CASE(the_rod_hits_the_cube_as_published) {
  const FreeScene scene = rod_in_cube();
  FreeBodies engine = scene.engine();
  State s = scene.state();
  engine.begin(s);
  const double h = 1e-6;
  const double times[] = {0.010943, 0.273349}, impulses[] = {3.780832259e-04, 3.845878027e-04};
  const Vec3 velocities[] = {{-4.011889420, 2, 0}, {50.926862630, 1.947662929, 0.506818720}};
  std::size_t found = 0;
  for (long i = 1; i <= 280000 && found < 2; ++i) {
    BOOST_REQUIRE(engine.step(s, h).converged);
    for (const contact::Impact& impact : engine.happenings()->impacts) {
      BOOST_TEST(std::abs(static_cast<double>(i) * h - times[found]) <= h / 2);
      BOOST_TEST(std::abs(impact.impulse / impulses[found] - 1) <= 1e-9); // as many digits as are published
      BOOST_TEST((scene.bodies[0]->motion(s).velocity - velocities[found]).norm() <= 1e-8);
      ++found;
    }
  }
  BOOST_TEST(found == 2u);
}

// A second of the same with steps of 10 us: some 45 impacts. The full length is in the long verification.
BOOST_AUTO_TEST_CASE(the_rod_keeps_energy_and_momenta_in_the_cube) {
  const FreeScene scene = rod_in_cube();
  const Invariants start = invariants(scene, scene.state());
  double energy = 0, linear = 0, angular = 0;
  const Course course = run(scene, 1e-5, 100000, [&](const State& s) {
    const Invariants now = invariants(scene, s);
    energy = std::max(energy, std::abs(now.energy / start.energy - 1));
    linear = std::max(linear, (now.linear_momentum - start.linear_momentum).norm() / start.linear_momentum.norm());
    angular = std::max(angular, (now.angular_momentum - start.angular_momentum).cwiseAbs().maxCoeff() /
                                    start.angular_momentum.norm());
  });
  BOOST_TEST(course.impacts > 25);
  BOOST_TEST(course.impacts < 75);
  // Ten roundings for each of the impacts and as many again; the angular momentum is the difference of moments about
  // the origin that are up to ten times as large. The paper has 9.5e-11 and 2.9e-5.
  BOOST_TEST(energy <= 1e-13);
  BOOST_TEST(linear <= 1e-13);
  BOOST_TEST(angular <= 1e-12);
  // Points of the rod end within second order of the walls: (h omega)² L / 4 at 180 rad/s.
  BOOST_TEST(course.ledger.max_penetration() <= 1e-6);
}

// A run that is continued from a copy of the state, by another engine with cold caches, gives the same bits.
BOOST_AUTO_TEST_CASE(runs_continue_from_a_copy_bit_for_bit) {
  for (const bool located : {false, true}) {
    Random random(5);
    FreeScene scene;
    for (int i = 0; i < 8; ++i)
      scene.ball(random.mass(), 0.3, 0.7 * Vec3(i & 1, i & 2 ? 1 : 0, 0.5 + (i & 4 ? 1 : 0)) + random.vector(0.02),
                 random.vector(), random.vector());
    scene.floor();
    scene.surface(Model::ground, contact::Box{Vec3(0.3, 0.3, 2), Vec3(0.8, 0.8, 2.5), Mat3::Identity(), true});
    scene.gravity(Vec3(0, 0, -9.81));
    scene.restitution(0.5);
    scene.options.located = located;
    FreeBodies whole = scene.engine();
    State s = scene.state();
    whole.begin(s);
    State half;
    for (int i = 0; i < 1000; ++i) {
      BOOST_REQUIRE(whole.step(s, 1e-3).converged);
      if (i == 499)
        half = s;
    }
    FreeBodies other = scene.engine();
    other.begin(half);
    for (int i = 500; i < 1000; ++i)
      BOOST_REQUIRE(other.step(half, 1e-3).converged);
    BOOST_TEST((half == s));
    BOOST_TEST(!s.contacts.empty());
  }
}

// A ball bounces on a floor under gravity: where impacts are located the motion across them is of second order, and
// exact for a parabola up to rounding; stepped it is of first order.
BOOST_AUTO_TEST_CASE(located_impacts_are_hit_in_time) {
  const double g = 9.81, height = 1, fall = std::sqrt(2 * height / g);
  const auto error = [&](double h, bool located) {
    FreeScene scene;
    scene.ball(1, 0.1, Vec3(0, 0, 0.1 + height), Vec3(0.3, 0, 0));
    scene.floor();
    scene.gravity(Vec3(0, 0, -g));
    scene.options.located = located;
    const long steps = std::lround(1.2 / h);
    const Course course = run(scene, h, steps);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
    const double t = static_cast<double>(steps) * h - 2 * fall; // since the top after the first impact
    return std::abs(scene.bodies[0]->motion(course.end).position.z() - (0.1 + height - g / 2 * t * t));
  };
  BOOST_TEST(error(1e-2, true) <= 1e-12);
  BOOST_TEST(error(1e-2, false) > 1e-5);
}

// The same where impacts fall on the ends of steps: at t = 1 s to rounding, after a fall of g/2, and 2 e s later.
BOOST_AUTO_TEST_CASE(impacts_at_the_ends_of_steps_are_located) {
  FreeScene scene;
  scene.ball(2, 0.1, Vec3(0, 0, 5.1), Vec3::Zero());
  scene.floor();
  scene.gravity(Vec3(0, 0, -10));
  scene.restitution(0.5);
  scene.options.located = true;
  const Course course = run(scene, 1e-3, 2500);
  BOOST_TEST(course.impacts == 2);
  // 10 m/s times the rounding of 1000 steps of time, and what the speed after it makes of that.
  BOOST_TEST(std::abs(scene.bodies[0]->motion(course.end).position.z() - (0.1 + 2.5 * 0.5 - 5 * 0.25)) <= 1e-10);
  BOOST_TEST(std::abs(course.ledger.dissipation() - 100 * (1 - 0.0625)) <= 1e-9);
}

// A rod with spin hits a floor with its ends: no closed form, so orders are found by halving the step.
BOOST_AUTO_TEST_CASE(located_impacts_are_of_second_order) {
  const auto end = [&](double h, bool located) {
    FreeScene scene;
    const Body& rod =
        scene.add(1, box_inertia(1, Vec3(1, 0.1, 0.2)), {Vec3(0, 0, 1), {1, 0, 0, 0}, Vec3(0, 0, -1), Vec3(0.5, 3, 1)});
    contact::NodeSet ends;
    ends.at = {Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)};
    ends.radius = 0.05;
    scene.surface(rod.port(), ends);
    scene.floor();
    scene.gravity(Vec3(0, 0, -9.81));
    scene.options.located = located;
    return run(scene, h, std::lround(0.6 / h)).end.values;
  };
  const VecX exact = end(0.6 / 65536, true);
  const double coarse = (end(0.6 / 256, true) - exact).norm(), fine = (end(0.6 / 512, true) - exact).norm();
  BOOST_TEST(coarse / fine > 3.6);
  BOOST_TEST(coarse / fine < 4.4);
  BOOST_TEST((end(0.6 / 512, false) - exact).norm() > 20 * fine);
}

// A ball that bounces ever lower hits the floor infinitely often in finite time; the run goes on, and it rests.
BOOST_AUTO_TEST_CASE(accumulating_impacts_end_at_rest) {
  FreeScene scene;
  scene.ball(1, 0.1, Vec3(0, 0, 0.2), Vec3::Zero());
  scene.floor();
  scene.gravity(Vec3(0, 0, -10));
  scene.restitution(0.5);
  scene.options.located = true;
  const Course course = run(scene, 1e-3, 2000);
  BOOST_TEST(scene.bodies[0]->motion(course.end).velocity.norm() <= 1e-12);
  BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
  // The bounces of the closed form, 2 v/g (e + e² + ...): the impacts are many, and not one a step.
  BOOST_TEST(course.impacts > 5);
  BOOST_TEST(course.impacts < 60);
}

BOOST_AUTO_TEST_SUITE_END()
