#include "elements/bodies/frame.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

struct Scene {
  Scene(const Vec3& J, const Vec3& Omega) : body(FrameBody::add_to(model, "body", 1, J.asDiagonal())) {
    state = model.rest_state();
    state.rates.tail<3>() = Omega;
  }
  Vec3 Omega() const { return state.rates.tail<3>(); }
  Vec3 axis() const { return body.motion(state).orientation * Vec3::UnitZ(); } // of the figure, in space
  Model model;
  const FrameBody& body;
  State state;
};

} // namespace

BOOST_AUTO_TEST_SUITE(FrameMotions)

// directors.md section 9: J = (5, 5, 1), Omega = (0.6, 0, 10), h = 0.05. In the body Omega precesses by exactly
// 2 arctan(h omega_p/2) in every step, omega_p = (J3 - J1)/J1 Omega3 = -8.
BOOST_AUTO_TEST_CASE(a_symmetric_top_precesses_in_the_body_by_the_discrete_angle) {
  const double h = 0.05, expected = 2 * std::atan(h * -8 / 2);
  BOOST_TEST(agree("the figure of the note", expected, -0.394791119699762, 1e-15));
  Scene s({5, 5, 1}, {0.6, 0, 10});
  for (int step = 0; step < 100; ++step) {
    const Vec3 before = s.Omega();
    s.state = solve_step(s.model, s.state, h).trial.n1;
    const Vec3 after = s.Omega();
    const double turned =
        std::atan2(before.x() * after.y() - before.y() * after.x(), before.x() * after.x() + before.y() * after.y());
    // Newton stops at the rounding floor of r, 2/h J Omega eps; k = 2/h² J carries a floor of h Omega eps to Theta and
    // 2/h times it to Omega: some ten roundings of 2 |Omega| = 20, which is 20/0.6 of the transverse part.
    const double floor = 10 * eps * 20;
    BOOST_TEST(agree("angle", turned, expected, floor / 0.6));
    BOOST_TEST(agree("spin about the axis", after.z(), before.z(), floor));
    BOOST_TEST(agree("transverse spin", after.head<2>().norm(), before.head<2>().norm(), floor));
  }
}

// In space the axis goes round the angular momentum by beta in every step,
//   cos(beta/2) = (1 - (h Omega3/2)(h omega_p/2)) / sqrt((1 + |Theta|²/4)(1 + h² omega_p²/4)).
BOOST_AUTO_TEST_CASE(a_symmetric_top_precesses_in_space_by_the_discrete_angle) {
  const double h = 0.05, p = h * -8 / 2, spin = h * 10 / 2;
  const double Theta2 = h * h * (100 + 0.36 / (1 + p * p));
  const double beta = 2 * std::acos((1 - spin * p) / std::sqrt((1 + Theta2 / 4) * (1 + p * p)));
  BOOST_TEST(agree("the figure of the note", beta, 0.0993496917095, 1e-12));
  Scene s({5, 5, 1}, {0.6, 0, 10});
  const Vec3 l = Vec3(5 * 0.6, 0, 10).normalized(); // upright at the start: space and body axes are one
  for (int step = 0; step < 100; ++step) {
    const Vec3 before = s.axis() - s.axis().dot(l) * l;
    s.state = solve_step(s.model, s.state, h).trial.n1;
    const Vec3 after = s.axis() - s.axis().dot(l) * l;
    const double turned = std::atan2(l.dot(before.cross(after)), before.dot(after));
    // The axis is known to ten roundings a step, added up over the steps so far, and lies 0.28 away from l; acos at
    // cos(beta/2) = 0.9988 loses a factor 1/sin = 20.
    BOOST_TEST(agree("angle", turned, beta, 10 * eps * (step + 1) / 0.28 + 20 * 4 * eps));
  }
}

// What Newton leaves, R, does the work R . z in a step; nothing else changes the energy of a free body.
BOOST_AUTO_TEST_CASE(a_free_body_keeps_energy_and_momenta_in_a_thousand_steps) {
  Scene s({1, 2, 3}, {0.5, -1, 1});
  s.state.rates.head<3>() = Vec3(0.3, 0.2, -0.1);
  s.state.values.head<3>() = Vec3(1, 2, 3);
  Ledger ledger;
  ledger.open(s.model.books_at(s.state));
  double left = 0;
  for (int step = 1; step <= 1000; ++step) {
    const Solution solution = solve_step(s.model, s.state, 0.1);
    const Trial& t = solution.trial;
    ledger.add(s.model.books(t.moved(s.model), t.n1));
    left += solution.residual * t.z.norm();
    s.state = t.n1;
    // Bookings of the energy round ten times; the quaternion and the rates are stored with two roundings a step.
    const double energy = left + (10 + 2 * step) * eps * ledger.energy_scale();
    BOOST_TEST(std::abs(ledger.energy_imbalance()) <= energy);
    // R of the force balance is h R of momentum, as seen from a point |x| away.
    const double arm = 1 + s.state.values.head<3>().norm();
    const double momentum = left / t.z.norm() * 0.1 * arm + (10 + 4 * step) * eps * ledger.angular_scale();
    BOOST_TEST(ledger.linear_imbalance().norm() <= momentum);
    BOOST_TEST(ledger.angular_imbalance().norm() <= momentum);
  }
  BOOST_TEST(ledger.energy_scale() > 1);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 1e-12);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 1e-12);
}

// Asymmetric body J = (1, 2, 3), Omega_0 = (0.5, 0, 1): Jacobi's solution at t = 1, directors.md section 9. Halving the
// step divides the error by four.
BOOST_AUTO_TEST_CASE(an_asymmetric_body_converges_with_order_two) {
  const Vec3 exact(0.274908606148, 0.417642500550, 0.970493816181);
  double errors[3];
  int steps = 10;
  for (double& error : errors) {
    Scene s({1, 2, 3}, {0.5, 0, 1});
    for (int step = 0; step < steps; ++step)
      s.state = solve_step(s.model, s.state, 1.0 / steps).trial.n1;
    error = (s.Omega() - exact).norm();
    steps *= 2;
  }
  // The next term of the error is h² times smaller: at h = 0.1 the slope may be off by about one per cent.
  BOOST_TEST(agree("slope", std::log2(errors[0] / errors[1]), 2, 0.02));
  BOOST_TEST(agree("slope", std::log2(errors[1] / errors[2]), 2, 0.005));
}

// Quadratic residual: from the predictor h Omega, at one radian a step, Newton doubles its digits.
BOOST_AUTO_TEST_CASE(newton_needs_few_iterations_even_for_large_rotations) {
  Scene s({1, 2, 3}, {3, -5, 8});
  const Solution solution = solve_step(s.model, s.state, 0.1);
  BOOST_TEST(s.body.rotation_in(solution.trial.step()) > 0.9);
  BOOST_TEST(solution.iterations <= 6); // 0.1, 1e-2, 1e-4, 1e-8, 1e-16, and the one beyond
}

BOOST_AUTO_TEST_SUITE_END()
