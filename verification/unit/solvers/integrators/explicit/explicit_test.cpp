/// Explicit integrators on bodies without joints: what they keep and what they book.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit_models.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(Explicit)

// [E3]: pi is carried, not made anew, so nothing adds up. J Omega is turned to space: some ten roundings.
BOOST_DATA_TEST_CASE(a_free_body_keeps_its_angular_momentum_in_space, data::make(schemes())) {
  Free free;
  const Vec3 before = free.model.books_at(free.state).angular_momentum;
  const double size = free.model.books_at(free.state).angular_momentum_sum;
  const auto integrator = sample.on(free.model);
  double largest = 0;
  for (int i = 0; i < 2000; ++i) {
    run(*integrator, free.state, 0.01, 1);
    const Vec3 spin = free.model.books_at(free.state).angular_momentum;
    largest = std::max(largest, (spin - before).cwiseAbs().maxCoeff());
  }
  if (sample.is(ExplicitMethod::park_chiou_downer))
    BOOST_TEST(largest > 1e-7); // [E7]
  else                          // the centre of mass goes 10 m far in 2000 sums: x x p rounds with each
    BOOST_TEST(largest <= 20 * eps * size + 2000 * eps * 10);
}

// In a steady flight every sum x + h v would lose the same, up to half a unit in the last place of x, and x times p
// with it: 2e-11 after 20 000 steps. What is lost is kept, so that there remain the rounding of x itself, and that of h
// v, three operations, over the whole way.
BOOST_DATA_TEST_CASE(places_lose_nothing_in_a_long_flight, data::make(schemes())) {
  Model model;
  const Mat3 J = Vec3(1.4, 2, 0.9).asDiagonal();
  const Body& a = FrameBody::add_to(model, "a", 2, J);
  const Body& b = DirectorBody::add_to(model, "b", 5, J);
  const Body& c = PointMass::add_to(model, "c", 3);
  State state = model.rest_state();
  a.set_motion({{3, -2, 0.5}, exponential({0.3, 0.2, -0.4}), {0.4, 0.1, -0.2}, {1.2, -0.7, 1.5}}, state);
  b.set_motion({{-1, 4, 1.5}, Quaternion::Identity(), {-0.3, 0.2, 0.1}, {0.2, 1.7, -0.5}}, state);
  c.set_motion({{0.1, -0.7, 2.2}, Quaternion::Identity(), {0.7, -0.3, 0.6}, Vec3::Zero()}, state);
  const StepBooks before = model.books_at(state);
  constexpr double h = 1e-3;
  constexpr int n = 20000;
  const std::vector<Vec3> from{a.motion(state).position, b.motion(state).position, c.motion(state).position};
  run(*sample.on(model), state, h, n);
  double rounding = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Body& body = *model.bodies()[i];
    const BodyMotion m = body.motion(state);
    const double path = n * h * m.velocity.norm(), here = eps * m.position.cwiseAbs().maxCoeff() + 3 * eps * path;
    BOOST_TEST((m.position - from[i] - n * h * m.velocity).cwiseAbs().maxCoeff() <= here);
    rounding += body.mass() * m.velocity.norm() * here;
  }
  if (sample.is(ExplicitMethod::park_chiou_downer))
    return; // the momentum of a body that turns is not kept [E7]
  const StepBooks after = model.books_at(state);
  // Beside it some twenty operations on the momenta themselves.
  BOOST_TEST((after.angular_momentum - before.angular_momentum).cwiseAbs().maxCoeff() <=
             rounding + 20 * eps * after.angular_momentum_sum);
}

// Halving h divides the error by four; the errors are small enough for their squares not to matter.
BOOST_DATA_TEST_CASE(every_scheme_is_of_second_order_on_springs, data::make(schemes())) {
  const Springs s(body_makers()[0]);
  const double end = 0.4;
  const State reference = after(schemes()[0], s.model, s.state, end / 6400, 6400);
  const double coarse = error_of(sample, s.model, s.state, reference, end / 100, 100);
  const double fine = error_of(sample, s.model, s.state, reference, end / 200, 200);
  BOOST_TEST(coarse < 1e-2);
  // With the trapezoidal rule nothing ties the two sequences, and their difference grows beside [E6].
  const bool parts = sample.is(ExplicitMethod::staggered) && sample.options.rule == ImpulseRule::trapezoidal;
  BOOST_TEST(coarse / fine == 4, boost::test_tools::tolerance(parts ? 0.5 : 0.15));
}

// Extrapolated velocities keep the second order of kick-drift-kick with dampers; with velocities that lag, damping is
// of first order.
BOOST_DATA_TEST_CASE(order_with_dampers_and_loads, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  const double end = 0.4;
  const State reference = after(schemes()[0], s.model, s.state, end / 6400, 6400);
  const double coarse = error_of(sample, s.model, s.state, reference, end / 100, 100);
  const double fine = error_of(sample, s.model, s.state, reference, end / 200, 200);
  const double ratio = sample.is(ExplicitMethod::kick_drift_kick) ? 4 : 2;
  BOOST_TEST(coarse / fine == ratio, boost::test_tools::tolerance(0.15));
}

/// A point of 1 kg on a spring of 100 N/m with a damper of 1 N s/m: 10 rad/s, a damping ratio of 0.05.
struct DampedPoint {
  DampedPoint() {
    const Body& point = PointMass::add_to(model, "point", 1);
    model.add(std::make_unique<SpringDamper>("coil", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                             body_point(point.port(), Vec3::Zero()), SpringLaw{100, 1, 1}));
    state = model.rest_state();
    point.set_motion({{1.1, 0, 0}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  }
  Model model;
  State state;
};

// Two hundred cycles, over which 0.1 m become exp(-0.05 * 10 * 120) of it, which is nothing; what is left is rounding,
// and an alternating acceleration of Simo-Wong that it may have excited, h²/2 times 1e-16 * 100 * 6000.
BOOST_DATA_TEST_CASE(damped_motions_die_out, data::make(schemes())) {
  const ImpulseRule rule = sample.options.rule;
  if (sample.is(ExplicitMethod::staggered) && rule == ImpulseRule::trapezoidal)
    return; // nothing ties its two sequences, and the damper drives them apart [E6]
  DampedPoint p;
  run(*sample.on(p.model), p.state, 0.02, 6000);
  // With midpoint rules the first acceleration is not the mean of the first step, and the difference, (omega h)²/4 of
  // it, alternates for ever [E4].
  const bool alternates = sample.is(ExplicitMethod::simo_wong) && rule != ImpulseRule::trapezoidal;
  BOOST_TEST(agree("place", p.state.values[0], 1.0, alternates ? 0.02 * 0.02 / 2 * 10 * 0.04 / 4 * 2 : 1e-13));
  BOOST_TEST(std::abs(p.state.rates[0]) <= (alternates ? 0.02 * 10 * 0.04 : 1e-12));
}

// [E14]: 0.95 of 2/omega (sqrt(1 + zeta²) - zeta) is stable where the scheme is, without damping, up to 2/omega.
BOOST_DATA_TEST_CASE(dampers_do_not_lower_the_limit_of_the_step_below_that_of_the_theory,
                     data::make({schemes()[0], schemes()[1], schemes()[2], schemes()[4]})) {
  DampedPoint p;
  const auto integrator = sample.on(p.model);
  double largest = 0;
  for (int i = 0; i < 5000; ++i) {
    run(*integrator, p.state, 0.95 * 0.2 * (std::sqrt(1 + 0.05 * 0.05) - 0.05), 1);
    largest = std::max(largest, std::abs(p.state.values[0] - 1));
  }
  BOOST_TEST(largest <= 0.1 * 4); // 1/sqrt(1 - (omega h/2)²) of the start in the undamped scheme, 2.4
}

// Momenta to rounding, energy to second order: kicks act where forces are evaluated, drifts keep momenta.
BOOST_DATA_TEST_CASE(the_books_of_kick_drift_kick_balance, data::make(recommended_schemes())) {
  const Springs s(body_makers()[0], true);
  const Model& model = s.model;
  const State& start = s.state;
  const Scheme& scheme = sample;
  const auto imbalance = [&](double h, int n) {
    const auto integrator = scheme.on(model);
    Simulation simulation(model, start, *integrator, {h, n * h, 0});
    BOOST_REQUIRE(simulation.run().completed);
    const Ledger& ledger = simulation.ledger();
    // Some fifty roundings a step of impulses and momenta; impulses pass through that are ten times the momenta.
    BOOST_TEST(ledger.relative_linear_imbalance() <= n * 50 * eps);
    BOOST_TEST(ledger.relative_angular_imbalance() <= n * 50 * eps);
    BOOST_TEST(ledger.dissipation() > 0.1); // J: there is something to balance
    BOOST_TEST(std::abs(ledger.work()) > 0.1);
    return ledger.max_energy_imbalance();
  };
  const double coarse = imbalance(4e-3, 500), fine = imbalance(2e-3, 1000);
  BOOST_TEST(coarse / fine == 4, boost::test_tools::tolerance(0.15));
  // Far below what is dissipated: a part that is not booked, or booked twice, would show.
  BOOST_TEST(fine < 2e-3);
}

BOOST_DATA_TEST_CASE(linear_momentum_balances_for_all_but_half_sequences, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  const auto integrator = sample.on(s.model);
  Simulation simulation(s.model, s.state, *integrator, {2e-3, 0.4, 0});
  BOOST_REQUIRE(simulation.run().completed);
  BOOST_TEST(simulation.ledger().relative_linear_imbalance() <= 200 * 50 * eps); // p changes by impulses alone
  BOOST_TEST(simulation.ledger().relative_energy_imbalance() <= 2e-2);
  BOOST_TEST(simulation.ledger().dissipation() > 0.01);
}

// x = f t²/(2 m): every scheme moves so exactly, and what it books as work is f x.
BOOST_DATA_TEST_CASE(the_work_of_a_constant_force_is_exact, data::make(schemes())) {
  Model model;
  const Body& body = PointMass::add_to(model, "point", 2);
  const Vec3 f(3, -1, 0.5);
  model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(), f, LoadAxes::space));
  const auto integrator = sample.on(model);
  State start = model.rest_state();
  body.set_motion({Vec3(1, 0, 0), Quaternion::Identity(), Vec3(0, 1, 0), Vec3::Zero()}, start);
  Simulation simulation(model, start, *integrator, {0.01, 1, 0});
  BOOST_REQUIRE(simulation.run().completed);
  const Vec3 x(1 + 3.0 / 4, 1 - 1.0 / 4, 0.5 / 4);
  BOOST_TEST(agree("place", body.motion(simulation.state()).position, x, 100 * 4 * eps));
  BOOST_TEST(agree("work", simulation.ledger().work(), f.dot(x - Vec3(1, 0, 0)), 100 * 10 * eps * 3));
  BOOST_TEST(agree("energy", simulation.ledger().energy_imbalance(), 0, 100 * 10 * eps * 3));
}

// One oscillator under kick-drift-kick, or another scheme of central differences: x_n = A cos(n a), cos a = 1 - h²w²/2.
BOOST_DATA_TEST_CASE(point_masses_on_a_spring_swing_as_central_differences_do, data::make(schemes())) {
  Model model;
  const Body& a = PointMass::add_to(model, "a", 1);
  const Body& b = PointMass::add_to(model, "b", 3);
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(a.port(), Vec3::Zero()),
                                           body_point(b.port(), Vec3::Zero()), SpringLaw{75, 0, 0}));
  State state = model.rest_state();
  b.set_motion({Vec3(1, 0, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  const double h = 0.02, omega = std::sqrt(75 * (1 + 1.0 / 3)), angle = std::acos(1 - h * h * omega * omega / 2);
  const auto integrator = sample.on(model);
  // These part from it: they gain energy, or two sequences that nothing ties together [E4]-[E6].
  const bool unstable = sample.is(ExplicitMethod::predictor_corrector) || sample.name == "Simo-Wong, midpoint" ||
                        sample.name == "staggered, trapezoidal";
  const int steps = unstable ? 20 : 500;
  double largest = 0;
  for (int n = 1; n <= steps; ++n) {
    run(*integrator, state, h, 1);
    const Vec3 apart = b.motion(state).position - a.motion(state).position;
    largest = std::max(largest, (apart - std::cos(n * angle) * Vec3::UnitX()).norm());
  }
  const Vec3 centre = (a.motion(state).position + 3 * b.motion(state).position) / 4;
  BOOST_TEST(agree("centre of mass", centre, Vec3(0.75, 0, 0), 500 * 4 * eps));
  if (sample.is(ExplicitMethod::kick_drift_kick)) // errors of phase add up with the square of the number of steps
    BOOST_TEST(largest <= 500 * 500 * 4 * eps);
  else // the start of the others differs by (h w)², and they are of second order
    BOOST_TEST(largest <= (unstable ? 2 : 1) * std::pow(h * omega, 2));
}

// --- formulations

// A frame and a director body are the same body: the port is made from the pose, not from the unknowns. Only the start
// differs, by the rounding with which a rotation is read off base vectors.
BOOST_DATA_TEST_CASE(director_bodies_move_as_frames_do, data::make(recommended_schemes())) {
  const Springs frames(body_makers()[0], true), directors(body_makers()[1], true);
  const State a = after(sample, frames.model, frames.state, 4e-3, 250);
  const State b = after(sample, directors.model, directors.state, 4e-3, 250);
  for (std::size_t i = 0; i < 2; ++i) {
    const BodyMotion one = frames.model.bodies()[i]->motion(a), two = directors.model.bodies()[i]->motion(b);
    BOOST_TEST(agree("position", two.position, one.position, 250 * 10 * eps * 10));
    BOOST_TEST(agree("orientation", two.orientation.toRotationMatrix(), one.orientation.toRotationMatrix(),
                     250 * 10 * eps * 10));
    BOOST_TEST(agree("velocity", two.velocity, one.velocity, 250 * 10 * eps * 100));
    BOOST_TEST(agree("spin", two.angular_velocity, one.angular_velocity, 250 * 10 * eps * 100));
  }
  BOOST_TEST(directors.model.books_at(b).rigidity_violation <= 10 * eps);
}

namespace {

/// A top on a fixed point that a spring ties to a free body; or the same with a ball joint for the point.
Mechanism tied_top(bool fixed_point) {
  Mechanism m;
  Model& model = *m.model;
  const Mat3 J = Vec3(0.3, 0.3, 0.1).asDiagonal();
  const Vec3 pivot(0, 0.1, -0.5), X_p(0.3, -1, 0.2);
  m.bodies.push_back(fixed_point ? static_cast<const Body*>(&PivotedBody::add_to(model, "top", 2, J, pivot, X_p))
                                 : &FrameBody::add_to(model, "top", 2, J));
  m.bodies.push_back(&FrameBody::add_to(model, "free", 1, J));
  if (!fixed_point)
    model.add(spherical_joint("tip", model.ports(), {Model::ground, X_p}, {m.bodies[0]->port(), pivot}));
  for (const Body* body : m.bodies)
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), Vec3(0, 0, -9.81)));
  model.add(std::make_unique<SpringDamper>("tie", model.ports(), body_point(m.bodies[0]->port(), Vec3(0, 0.1, 0.4)),
                                           body_point(m.bodies[1]->port(), Vec3(0.1, 0, 0)), SpringLaw{40, 0.2, 0.3}));
  m.initial = model.rest_state();
  const Quaternion q = exponential({0.3, 0.1, 0});
  const Vec3 spin(0.5, 1, 12);
  m.bodies[0]->set_motion({X_p - q * pivot, q, -spin.cross(q * pivot), spin}, m.initial);
  m.bodies[1]->set_motion({X_p + Vec3(0.5, 0, 1), Quaternion::Identity(), Vec3(0, 1, 0), Vec3(1, 0, 0)}, m.initial);
  model.begin(m.initial);
  return m;
}

} // namespace

// What the ground gives to a body at its fixed point is booked as its answer to all that acts.
BOOST_DATA_TEST_CASE(the_books_of_a_body_on_a_fixed_point_balance, data::make(recommended_schemes())) {
  const Mechanism m = tied_top(true);
  double energy[2];
  for (const int i : {0, 1}) {
    const int n = i == 0 ? 500 : 1000;
    const auto integrator = sample.on(*m.model);
    Simulation simulation(*m.model, m.initial, *integrator, {1.0 / n, 1, 0});
    BOOST_REQUIRE(simulation.run().completed);
    BOOST_TEST(simulation.ledger().relative_linear_imbalance() <= n * 50 * eps);
    BOOST_TEST(simulation.ledger().relative_angular_imbalance() <= n * 50 * eps);
    energy[i] = simulation.ledger().max_energy_imbalance();
  }
  BOOST_TEST(energy[0] / energy[1] == 4, boost::test_tools::tolerance(0.2));
}

// A fixed point and a ball joint are two schemes of second order for one motion.
BOOST_DATA_TEST_CASE(a_fixed_point_holds_as_a_ball_joint_does, data::make(schemes())) {
  const Mechanism fixed = tied_top(true), jointed = tied_top(false);
  const Scheme& scheme = sample;
  const auto apart = [&](int n) {
    const State a = after(scheme, *fixed.model, fixed.initial, 0.2 / n, n);
    const State b = after(scheme, *jointed.model, jointed.initial, 0.2 / n, n);
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i)
      sum += (fixed.bodies[i]->motion(a).position - jointed.bodies[i]->motion(b).position).norm();
    return sum;
  };
  const double coarse = apart(100), fine = apart(200);
  BOOST_TEST(coarse < 1e-3);
  BOOST_TEST(fine <= coarse / 1.8); // dampers that lag are of first order
}

BOOST_DATA_TEST_CASE(bodies_held_by_springs_are_refused, data::make(schemes())) {
  Model model;
  SpringTetra::add_to(model, "soft", 1, Mat3::Identity(), SpringTetraOptions{});
  BOOST_CHECK_THROW(sample.on(model), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
