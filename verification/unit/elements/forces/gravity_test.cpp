#include "elements/forces/gravity.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(GravityForces)

BOOST_AUTO_TEST_CASE(gravity_passes_the_shared_checks_on_every_body) {
  Random random(201);
  for (const BodyMaker& maker : body_makers())
    for (const StepSize& size : step_sizes())
      for (int repeat = 0; repeat < 5; ++repeat)
        BOOST_TEST_CONTEXT(maker.name << ", " << size.name << " step") {
          Model model;
          const Body& body = maker.add(model, "body", 2, random.inertia());
          const Gravity& gravity = model.add(
              std::make_unique<Gravity>("weight", model.ports(), body.port(), body.mass(), random.vector(10)));
          Trial trial = random_trial(model, size, random);
          disturb(model, size.shift, random, trial);
          BOOST_TEST(check_tangent(gravity, model, trial));
          BOOST_TEST(check_adds(gravity, model, trial));
          BOOST_TEST(check_magnitude(gravity, model, trial));
          BOOST_TEST(check_row_names(gravity));
          BOOST_TEST(check_discrete_gradient(gravity, model, trial));
          BOOST_TEST(check_books(gravity, model, trial));
        }
}

// Two kilograms, three metres up: V = 2 * 10 * 3, and the weight pulls down. Whole numbers: equality.
BOOST_AUTO_TEST_CASE(weight_points_along_g_and_potential_grows_against_it) {
  Model model;
  const Body& body = body_makers()[0].add(model, "body", 2, Mat3::Identity());
  const Gravity& gravity =
      model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -10)));
  const Motion still{{Vec3(1, 2, 3), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()},
                     {Vec3(1, 2, 3), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}};
  const Trial trial = make_trial(model, {still}, 0.5, VecX());
  StepBooks books;
  gravity.book(trial.moved(model), trial.n1, books);
  BOOST_TEST(books.potential == 60);
  BOOST_TEST((books.impulse == Vec3(0, 0, -10)));                                     // 20 N for 0.5 s
  BOOST_TEST((books.angular_impulse == Vec3(2 * -10, 10, 0)));                        // (1, 2, 3) x (0, 0, -10)
  BOOST_TEST(books.work == 0);                                                        // it is in the potential
  BOOST_TEST((assemble(gravity, model, trial, false).r.head<3>() == Vec3(0, 0, 20))); // the acting force is -r
  const Reaction weight = gravity.reaction(trial.moved(model), body.port(), 0);
  BOOST_TEST((weight.force == Vec3(0, 0, -20)));
  BOOST_TEST((weight.moment == Vec3::Zero()));
}

// The step is exact for a quadratic: x = x0 + v0 t + g t²/2 at every step, whatever the step, and the spin stays.
BOOST_AUTO_TEST_CASE(a_thrown_body_flies_on_a_parabola) {
  for (const BodyMaker& maker : body_makers()) {
    if (!maker.is_free)
      continue;
    Model model;
    const Vec3 g(0, 0, -9.81), v_0(3, 0, 4);
    const Body& body = maker.add(model, "body", 2, Vec3(1, 2, 2.5).asDiagonal());
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, g));
    State state = model.rest_state();
    body.set_motion({Vec3::Zero(), Quaternion::Identity(), v_0, Vec3::Zero()}, state);
    for (int step = 1; step <= 20; ++step) {
      state = solve_step(model, state, 0.1).trial.n1;
      const double t = 0.1 * step;
      const BodyMotion m = body.motion(state);
      // Ten roundings a step of positions up to ten metres and of velocities up to twenty.
      BOOST_TEST(agree("position", m.position, Vec3(v_0 * t + g * t * t / 2), 10 * step * eps * 10));
      BOOST_TEST(agree("velocity", m.velocity, Vec3(v_0 + g * t), 10 * step * eps * 20));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
