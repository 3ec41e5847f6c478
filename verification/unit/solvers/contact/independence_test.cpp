/// What results must not depend on: caches, units, where the origin is, and how bodies are formulated.

#include "elements/bodies/director.hpp"
#include "elements/bodies/point_mass.hpp"
#include "verification/support/free_scenes.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(Independence)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Units of a scene: its lengths, masses and times are multiplied by these.
struct Units {
  double length = 1, mass = 1, time = 1;
  double speed() const { return length / time; }
};

/// Balls, blocks and rods in a room that floats free, all moving. Coordinates are multiples of 2^-20, so that a shift
/// of the origin by a power of two does not round them.
FreeScene crowd(const Units& units = {}, const Vec3& origin = Vec3::Zero()) {
  Random random(11);
  FreeScene scene;
  const auto dyadic = [](const Vec3& v) -> Vec3 { return (std::exp2(20) * v).array().round() / std::exp2(20); };
  const auto motion = [&](const Vec3& at) {
    const Quaternion turn = random.rotation();
    return BodyMotion{units.length * (dyadic(at) + origin), turn, units.speed() * random.vector(4),
                      random.vector(3) / units.time};
  };
  const auto mass = [&] { return units.mass * random.mass(); };
  for (int i = 0; i < 27; ++i) {
    const Vec3 at = 0.85 * Vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1) + random.vector(0.02);
    const BodyMotion start = motion(at);
    if (i % 3 == 0)
      scene.ball(mass(), 0.3 * units.length, start.position, start.velocity, start.angular_velocity);
    else if (i % 3 == 1)
      scene.block(mass(), units.length * Vec3(0.5, 0.4, 0.3), start);
    else
      scene.cornered(mass(), units.length * Vec3(0.6, 0.3, 0.2), start);
  }
  const double L = units.length;
  const Body& room = scene.add(40 * units.mass, 100 * units.mass * L * L * Mat3::Identity(), motion(Vec3::Zero()));
  scene.surface(room.port(), contact::Box{Vec3::Zero(), 1.4 * L * Vec3::Ones(), Mat3::Identity(), true});
  scene.gravity(units.speed() / units.time * Vec3(0.5, 1, -9.81));
  scene.restitution(0.8);
  return scene;
}

} // namespace

// [K6]: an engine whose caches are cold every few steps gives the bits of one that runs through.
BOOST_AUTO_TEST_CASE(caches_never_change_a_result) {
  for (const bool located : {false, true})
    BOOST_TEST_CONTEXT((located ? "located" : "stepped")) {
      FreeScene scene = crowd();
      scene.options.located = located;
      const double h = 2e-3;
      FreeBodies whole = scene.engine();
      auto parts = std::make_unique<FreeBodies>(scene.model, scene.scene, scene.options);
      State through = scene.state(), again = through;
      whole.begin(through);
      parts->begin(again);
      long impacts = 0;
      int differs = -1;
      bool is_sorted = true;
      for (int i = 0; i < 500 && differs < 0; ++i) {
        BOOST_REQUIRE(whole.step(through, h).converged);
        if (i % 7 == 3) {
          parts = std::make_unique<FreeBodies>(scene.model, scene.scene, scene.options);
          parts->begin(again);
        }
        BOOST_REQUIRE(parts->step(again, h).converged);
        impacts += static_cast<long>(whole.happenings()->impacts.size());
        is_sorted &= std::is_sorted(through.contacts.begin(), through.contacts.end(),
                                    [](const ContactRecord& a, const ContactRecord& b) { return a.key < b.key; });
        if (!(through == again))
          differs = i;
      }
      BOOST_TEST(differs == -1);
      BOOST_TEST(is_sorted);
      BOOST_TEST(impacts > 200);
    }
}

// In other units, by powers of two, all numbers have other exponents and the same digits: nothing is compared with a
// length, mass or time of its own.
BOOST_AUTO_TEST_CASE(units_change_no_digit) {
  const double h = std::exp2(-9);
  const long steps = 300;
  const Course course = run(crowd(), h, steps);
  BOOST_TEST(course.impacts > 100);
  for (const Units& units :
       {Units{std::exp2(-20), 1, 1}, Units{std::exp2(20), 1, 1}, Units{1, std::exp2(30), 1},
        Units{1, std::exp2(-30), 1}, Units{1, 1, std::exp2(-10)}, Units{std::exp2(-20), std::exp2(-60), std::exp2(10)}})
    BOOST_TEST_CONTEXT("length " << units.length << ", mass " << units.mass << ", time " << units.time) {
      const FreeScene scene = crowd(units);
      const Course other = run(scene, units.time * h, steps);
      BOOST_TEST(other.impacts == course.impacts);
      const FreeScene same = crowd();
      for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        const BodyMotion found = scene.bodies[b]->motion(other.end), expected = same.bodies[b]->motion(course.end);
        BOOST_TEST((found.position == units.length * expected.position));
        BOOST_TEST((found.orientation.coeffs() == expected.orientation.coeffs()));
        BOOST_TEST((found.velocity == units.speed() * expected.velocity));
        BOOST_TEST((found.angular_velocity == expected.angular_velocity / units.time));
      }
    }
}

// A thousand kilometres from the origin coordinates have ten digits less than distances need. Gaps are taken between
// bodies and what sums lose is kept, so that impacts are the same to rounding of velocities, which every impact
// multiplies by less than ten.
BOOST_AUTO_TEST_CASE(far_from_the_origin_impacts_are_the_same) {
  const auto run_at = [](const Vec3& origin, long& impacts) {
    FreeScene scene = rod_in_cube();
    for (BodyMotion& motion : scene.motions)
      motion.position += origin;
    const Course course = run(scene, 1e-5, 32000);
    impacts = course.impacts;
    // Of the size of the shift, as momenta about the origin are.
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
    BOOST_TEST(course.ledger.relative_angular_imbalance() <= 1e-13);
    return scene.bodies[0]->motion(course.end);
  };
  long near_impacts = 0, far_impacts = 0;
  const BodyMotion expected = run_at(Vec3::Zero(), near_impacts);
  const BodyMotion found = run_at(std::exp2(20) * Vec3(1, -1, 1), far_impacts);
  BOOST_TEST(near_impacts == 3);
  BOOST_TEST(far_impacts == 3);
  const double tolerance = 100 * 1e3 * eps; // a hundred roundings, three impacts
  BOOST_TEST((found.velocity - expected.velocity).norm() <= tolerance * expected.velocity.norm());
  BOOST_TEST((found.angular_velocity - expected.angular_velocity).norm() <=
             tolerance * expected.angular_velocity.norm());
}

// Gaps are as fine there as near the origin: two balls a spacing of coordinates apart, 2e-10 m, which the one of them
// crosses in a thousand steps, meet in the same step.
BOOST_AUTO_TEST_CASE(far_from_the_origin_gaps_are_as_fine) {
  const auto steps_to_impact = [](double origin) {
    const double gap = std::exp2(-32), h = 1e-3;
    FreeScene scene;
    scene.ball(1, 0.5, Vec3(origin, 0, 0), Vec3(gap, 0, 0));
    scene.ball(1, 0.5, Vec3(origin + 1 + gap, 0, 0), Vec3::Zero());
    FreeBodies engine = scene.engine();
    State s = scene.state();
    engine.begin(s);
    for (int i = 1; i <= 2000; ++i) {
      BOOST_REQUIRE(engine.step(s, h).converged);
      if (!engine.happenings()->impacts.empty())
        return i;
    }
    return 0;
  };
  const int near_origin = steps_to_impact(0), far_away = steps_to_impact(std::exp2(20));
  BOOST_TEST(std::abs(near_origin - 1000) <= 1); // rounding of a gap counts as closed
  BOOST_TEST(std::abs(far_away - near_origin) <= 1);
}

// Director bodies are the same bodies in other unknowns; a mass point is a ball that does not turn. Elastic: otherwise
// the inertia of a ball has a part in the targets [Q3], whether it turns or not.
BOOST_AUTO_TEST_CASE(formulations_fly_and_hit_alike) {
  const auto run_with = [](bool frames) {
    FreeScene scene;
    const Vec3 size(0.6, 0.4, 0.5);
    const BodyMotion block{Vec3(0, 0, 1), {0.8, 0.6, 0, 0}, Vec3(1, 0.2, -1), Vec3(1, 2, -1)};
    const BodyMotion point{Vec3(0.5, 0.1, 2), {1, 0, 0, 0}, Vec3(-0.5, 0, -3), Vec3::Zero()};
    if (frames) {
      scene.cornered(2, size, block);
      scene.add(1, Mat3::Identity(), point);
    } else {
      const Body& director = DirectorBody::add_to(scene.model, scene.next_name(), 2, box_inertia(2, size));
      scene.surface(scene.enter(director, block).port(), corners(size));
      scene.enter(PointMass::add_to(scene.model, scene.next_name(), 1), point);
    }
    scene.surface(scene.bodies[0]->port(), contact::Sphere{Vec3::Zero(), 0.2});
    scene.surface(scene.bodies[1]->port(), contact::Sphere{Vec3::Zero(), 0.2});
    scene.floor();
    scene.gravity(Vec3(0, 0, -9.81));
    const Course course = run(scene, 1e-3, 1000);
    BOOST_TEST(course.impacts > 4);
    BOOST_TEST(course.ledger.relative_energy_imbalance() <= 1e-13);
    BOOST_TEST(course.ledger.relative_angular_imbalance() <= 1e-13);
    std::vector<BodyMotion> ends;
    for (const Body* body : scene.bodies)
      ends.push_back(body->motion(course.end));
    return ends;
  };
  const std::vector<BodyMotion> frames = run_with(true), others = run_with(false);
  // The engine has the same numbers for both, but for the rounding of directors at the start, which six impacts
  // multiply.
  const double tolerance = 100 * eps;
  for (std::size_t b = 0; b < 2; ++b) {
    BOOST_TEST((others[b].position - frames[b].position).norm() <= tolerance * frames[b].position.norm());
    BOOST_TEST((others[b].velocity - frames[b].velocity).norm() <= tolerance * frames[b].velocity.norm());
    BOOST_TEST((others[b].angular_velocity - frames[b].angular_velocity).norm() <=
               tolerance * frames[0].angular_velocity.norm());
    BOOST_TEST(others[b].orientation.angularDistance(frames[b].orientation) <= tolerance);
  }
}

BOOST_AUTO_TEST_SUITE_END()
