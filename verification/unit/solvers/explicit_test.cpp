/// Explicit integrators on bodies without joints: what they keep, what they book, how they start and go on.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/displacement_spring.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// One frame body without forces, in general motion.
struct Free {
  explicit Free(const Mat3& J = Vec3(1.4, 2, 0.9).asDiagonal())
      : body(FrameBody::add_to(model, "body", 2, J)), state(model.rest_state()) {
    body.set_motion({{1, -2, 0.5}, exponential({0.3, 0.2, -0.4}), {0.4, 0.1, -0.2}, {1.2, -0.7, 1.5}}, state);
  }
  Model model;
  const Body& body;
  State state;
};

/// Two bodies of a kind on springs, with gravity; damped and loaded if wanted.
struct Springs {
  explicit Springs(const BodyMaker& kind, bool dissipates = false) {
    const Mat3 J = Vec3(0.3, 0.5, 0.4).asDiagonal();
    const Body& a = kind.add(model, "a", 2, J);
    const Body& b = kind.add(model, "b", 1.5, J);
    const double c = dissipates ? 0.6 : 0;
    const auto spring = [&](Index I, const Vec3& at_I, Index K, const Vec3& at_K, double k, double L0) {
      model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(I, at_I), body_point(K, at_K),
                                               SpringLaw{k, L0, c}));
    };
    spring(Model::ground, {0, 0, 1}, a.port(), {0.4, 0, 0}, 60, 0.5);
    spring(Model::ground, {1, 0, 1}, a.port(), {-0.3, 0.2, 0}, 40, 0.2);
    spring(a.port(), {0, 0, -0.3}, b.port(), {0, 0.2, 0.3}, 80, 0);
    BushingLaw law;
    law.K = 10 * Mat6::Identity();
    law.C = c * Mat6::Identity();
    model.add(bushing("bushing", model.ports(), {a.port(), {0.1, 0, 0}}, {b.port(), {0, 0, 0.5}}, law));
    for (const Body* body : {&a, &b})
      model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), Vec3(0, 0, -9.81)));
    if (dissipates) {
      const TimeFunction wave([](double t) { return 3 * std::sin(2 * t); });
      model.add(std::make_unique<AppliedForce>("wave", model.ports(), b.port(), Vec3(0.2, 0, 0),
                                               LoadComponents(wave, 1, wave), LoadAxes::space));
      model.add(std::make_unique<AppliedTorque>("twist", model.ports(), a.port(), LoadComponents(0, wave, 1),
                                                LoadAxes::body));
    }
    state = model.rest_state();
    a.set_motion({{0.2, 0, 0}, exponential({0.1, 0.2, 0}), {0.3, 0, 0}, {0.5, -1, 0.4}}, state);
    b.set_motion({{0.2, 0, -0.8}, exponential({0, -0.1, 0.3}), {0, 0.5, 0}, {-0.3, 0.2, 1}}, state);
    model.begin(state);
  }
  Model model;
  State state;
};

/// Runs n steps; fails the test if one does.
void run(ExplicitIntegrator& integrator, State& state, double h, int n) {
  for (int i = 0; i < n; ++i)
    BOOST_REQUIRE(integrator.step(state, h).converged);
}

/// What the same scheme leads to at t = n h.
State after(const Scheme& scheme, const Model& model, const State& start, double h, int n) {
  State state = start;
  run(*scheme.on(model), state, h, n);
  return state;
}

/// Distance of the configuration at t = n h from a reference.
double error_of(const Scheme& scheme, const Model& model, const State& start, const State& reference, double h, int n) {
  return (after(scheme, model, start, h, n).values - reference.values).norm();
}

const Scheme& scheme_of(ExplicitMethod method) {
  static const std::vector<Scheme> all = schemes();
  for (const Scheme& s : all)
    if (s.is(method))
      return s;
  throw std::logic_error("no such scheme");
}

} // namespace

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

// --- going on

BOOST_DATA_TEST_CASE(a_run_continues_bit_for_bit_from_a_copy, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  State state = s.state;
  const auto first = sample.on(s.model);
  run(*first, state, 2e-3, 20);
  State copy = state;
  run(*first, state, 2e-3, 20);
  run(*sample.on(s.model), copy, 2e-3, 20);
  BOOST_TEST((copy == state));
  BOOST_TEST(state.time == 0.08, boost::test_tools::tolerance(1e-14));
}

// A state that was changed by hand is begun again; one without memory begins by itself.
BOOST_DATA_TEST_CASE(a_state_without_memory_begins_by_itself, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  State bare = s.state, begun = s.state;
  const auto one = sample.on(s.model), other = sample.on(s.model);
  other->begin(begun);
  BOOST_TEST(begun.memory.size() > 0);
  BOOST_TEST((begun.values == bare.values));
  run(*one, bare, 2e-3, 3);
  run(*other, begun, 2e-3, 3);
  BOOST_TEST((bare == begun));
}

// Steps of several sizes: errors are those of the longest of them, twice at most, and a bad restart would show.
BOOST_DATA_TEST_CASE(steps_may_change_their_size, data::make(schemes())) {
  const Springs s(body_makers()[0]);
  const State reference = after(schemes()[0], s.model, s.state, 0.4 / 6400, 6400);
  State state = s.state;
  const auto integrator = sample.on(s.model);
  for (const auto& [h, n] :
       {std::pair(0.005, 20), std::pair(0.0025, 40), std::pair(0.005, 10), std::pair(0.001, 50), std::pair(0.002, 50)})
    run(*integrator, state, h, n);
  BOOST_TEST(std::abs(state.time - 0.4) <= 1e-13);
  const double uniform = error_of(sample, s.model, s.state, reference, 0.005, 80);
  BOOST_TEST((state.values - reference.values).norm() <= 2 * uniform);
}

// The last step of a run is what is left to the end: 0.4 - 79 * 0.005 is not 0.005 to the last bit. A restart there
// would shift the result by some h³; rounding grows by less than a hundred.
BOOST_DATA_TEST_CASE(a_last_step_that_differs_by_rounding_is_no_restart, data::make(schemes())) {
  const Springs s(body_makers()[0]);
  const auto integrator = sample.on(s.model);
  Simulation simulation(s.model, s.state, *integrator, {0.005, 0.4, 0});
  BOOST_REQUIRE(simulation.run().completed);
  BOOST_TEST(integrator->last_step().h != 0.005);
  const State even = after(sample, s.model, s.state, 0.005, 80);
  BOOST_TEST(agree("values", simulation.state().values, even.values, 80 * 10 * eps * 100));
}

BOOST_DATA_TEST_CASE(a_step_that_fails_leaves_the_state_as_it_was, data::make(schemes())) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 1, Mat3::Identity());
  model.add(std::make_unique<AppliedForce>(
      "f", model.ports(), body.port(), Vec3(1, 0, 0),
      LoadComponents(TimeFunction([](double t) { return t < 0.05 ? 1 : NAN; }), 0, 0), LoadAxes::space));
  State state = model.rest_state();
  const auto integrator = sample.on(model);
  run(*integrator, state, 0.01, 3);
  const State before = state;
  const StepReport report = integrator->step(state, 0.1);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why == "element 'f' (force) returned a value that is not finite");
  BOOST_TEST((state == before));
  // And goes on from there as if nothing had happened.
  State copy = before;
  run(*integrator, state, 0.01, 1);
  run(*sample.on(model), copy, 0.01, 1);
  BOOST_TEST((state == copy));
}

BOOST_AUTO_TEST_CASE(a_turn_that_is_not_found_fails_the_step) {
  Free free;
  free.body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3(60, -40, 50)}, free.state);
  const State before = free.state;
  Scheme scheme = schemes()[1];
  const auto integrator = scheme.on(free.model);
  integrator->begin(free.state);
  const StepReport report = integrator->step(free.state, 1);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why.find("turns too far") != std::string::npos);
  BOOST_TEST((free.state.values == before.values));
}

// --- symmetry in time

// n steps forward, momenta reversed, n steps back. Rounding of each step grows with the motion in between: by less than
// a thousand in 2 s, for springs of 10 rad/s that hang two bodies.
BOOST_DATA_TEST_CASE(kick_drift_kick_leads_back_in_time, data::make(recommended_schemes())) {
  const Springs s(body_makers()[0]);
  State state = s.state;
  const auto integrator = sample.on(s.model);
  const int n = 500;
  run(*integrator, state, 4e-3, n);
  BOOST_TEST((state.values - s.state.values).norm() > 0.1);
  state.rates *= -1;
  integrator->begin(state);
  run(*integrator, state, 4e-3, n);
  BOOST_TEST(agree("values", state.values, s.state.values, 2 * n * 10 * eps * 1e3));
  BOOST_TEST(agree("rates", state.rates, -s.state.rates, 2 * n * 100 * eps * 1e3));
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

// --- what Simo-Wong and the half sequence carry

// A load that jumps at t = 1 from rest: x = f (t - 1)²/2. A = f from there on, if it is made anew; otherwise it
// alternates between 0 and 2 f, and x is wrong by f h²/2 after every other step.
BOOST_AUTO_TEST_CASE(simo_wong_restarts_where_it_is_told_to) {
  struct Errors {
    double least = 1, largest = -1; // of x, after the jump
  };
  const auto errors = [](std::vector<double> at, double every, double h) {
    Model model;
    const Body& body = PointMass::add_to(model, "point", 1);
    const TimeFunction jump([](double t) { return t < 1 ? 0.0 : 4.0; });
    model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(), LoadComponents(jump, 0, 0),
                                             LoadAxes::space));
    Scheme scheme = scheme_of(ExplicitMethod::simo_wong);
    scheme.options.restart_at = std::move(at);
    scheme.options.restart_every = every;
    const auto integrator = scheme.on(model);
    State state = model.rest_state();
    Errors found;
    for (int n = 1; n * h <= 2; ++n) {
      run(*integrator, state, h, 1);
      state.time = n * h;
      const double since = n * h - 1, error = body.motion(state).position.x() - 2 * since * since;
      if (since <= 0)
        continue;
      found.least = std::min(found.least, error);
      found.largest = std::max(found.largest, error);
    }
    return found;
  };
  const double h = 0.01, wrong = 4 * h * h / 2, rounding = 200 * 4 * eps;
  const auto spread = [](const Errors& e) { return e.largest - e.least; };
  BOOST_TEST(spread(errors({}, 0, h)) == wrong, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(spread(errors({0.5, 1.5}, 0, h)) == wrong, boost::test_tools::tolerance(1e-9));
  for (const Errors& e : {errors({1}, 0, h), errors({}, 0.5, h)}) {
    BOOST_TEST(std::abs(e.least) <= rounding);
    BOOST_TEST(std::abs(e.largest) <= rounding);
  }
  // A jump within a step, early or late: restarted at the end of this step, x stays off by what was lost in it, and
  // does not alternate.
  for (const double uneven : {0.013, 0.03}) {
    const Errors e = errors({1}, 0, uneven);
    BOOST_TEST(spread(e) <= rounding);
    BOOST_TEST(std::abs(e.least) <= 4 * uneven * uneven / 2);
    BOOST_TEST(spread(errors({}, 0, uneven)) > 0.1 * uneven * uneven);
  }
}

// Where a restart is due the half sequence is made as at the start: a state that remembers nothing goes the same way.
BOOST_AUTO_TEST_CASE(the_half_sequence_is_made_anew_where_it_is_told_to) {
  const Springs s(body_makers()[0]);
  for (const ExplicitMethod method : {ExplicitMethod::staggered, ExplicitMethod::park_chiou_downer})
    for (const bool by_period : {true, false}) {
      Scheme scheme = scheme_of(method);
      const double h = 1.0 / 512; // times are exact
      if (by_period)
        scheme.options.restart_every = 16 * h;
      else
        scheme.options.restart_at = {16 * h, 40 * h};
      State state = s.state;
      const auto integrator = scheme.on(s.model);
      run(*integrator, state, h, 16);
      State forgetful = state, loyal = state;
      forgetful.memory.tail(forgetful.memory.size() - 2 * emmy::Motion::size).setZero();
      run(*integrator, state, h, 1);
      run(*scheme.on(s.model), forgetful, h, 1);
      BOOST_TEST((state == forgetful));
      // Without the option it would have gone another way.
      run(*scheme_of(method).on(s.model), loyal, h, 1);
      BOOST_TEST((state != loyal));
      run(*integrator, state, h, 1); // and does not restart in every step
      run(*scheme_of(method).on(s.model), forgetful, h, 1);
      BOOST_TEST((state == forgetful));
    }
}

BOOST_AUTO_TEST_SUITE_END()
