#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(PointMasses)

BOOST_AUTO_TEST_CASE(body_and_port_pass_the_shared_checks) {
  Random random(400);
  for (const StepSize& size : step_sizes()) {
    Model model;
    const PointMass& body = PointMass::add_to(model, "ball", 2);
    const Trial trial = random_trial(model, size, random);
    BOOST_TEST(body.unknowns() == 3);
    check_body(body, model, trial, random);
  }
}

// A throw is a parabola, which the mean rule integrates exactly; the ledger balances.
BOOST_AUTO_TEST_CASE(a_thrown_point_flies_a_parabola) {
  Model model;
  const PointMass& ball = PointMass::add_to(model, "ball", 2);
  model.add(std::make_unique<Gravity>("gravity", model.ports(), ball.port(), 2, Vec3(0, 0, -9.81)));
  State state = model.rest_state();
  const Vec3 x(1, 2, 3), v(4, 0, 5);
  ball.set_motion({x, Quaternion::Identity(), v, Vec3(1, 1, 1)}, state);
  BOOST_TEST((ball.motion(state).angular_velocity == Vec3::Zero()));
  Ledger ledger;
  ledger.open(model.books_at(state));
  for (int i = 0; i < 10; ++i) {
    const Trial t = solve_step(model, state, 0.1).trial;
    state = t.n1;
    ledger.add(model.books(t.moved(model), state));
  }
  // Ten steps, some ten roundings each, of numbers below twenty.
  const double tolerance = 100 * eps * 20;
  BOOST_TEST(agree("place", ball.motion(state).position, Vec3(x + v - Vec3(0, 0, 9.81 / 2)), tolerance));
  BOOST_TEST(ledger.relative_energy_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_linear_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_angular_imbalance() <= tolerance);
}

BOOST_AUTO_TEST_SUITE_END()
