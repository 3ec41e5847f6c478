/// Steps of schemes that take forces at instants: what states carry, books, and joints.
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/unit/solvers/integrators/pointwise/machine.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(Instants)

// --- state

BOOST_DATA_TEST_CASE(a_run_continues_bit_for_bit_from_a_copy, data::make(instant_schemes())) {
  const Machine m(Enforced::penalty);
  State state = m.state;
  const auto first = sample.on(m.model);
  advance(*first, state, 1e-3, 20);
  State copy = state;
  advance(*first, state, 1e-3, 20);
  advance(*sample.on(m.model), copy, 1e-3, 20);
  BOOST_TEST((copy == state));
}

BOOST_DATA_TEST_CASE(a_state_without_memory_begins_by_itself, data::make(instant_schemes())) {
  const Machine m(Enforced::penalty);
  State bare = m.state, begun = m.state;
  const auto one = sample.on(m.model), other = sample.on(m.model);
  other->begin(begun);
  advance(*one, bare, 1e-3, 3);
  advance(*other, begun, 1e-3, 3);
  BOOST_TEST((bare == begun));
}

BOOST_DATA_TEST_CASE(a_step_that_fails_leaves_the_state_as_it_was, data::make(instant_schemes())) {
  Model model;
  const Body& body = PointMass::add_to(model, "body", 1);
  model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(),
                                           LoadComponents(TimeFunction([](double t) { return t < 1 ? 1 : NAN; }), 0, 0),
                                           LoadAxes::space));
  State state = model.rest_state();
  const auto integrator = sample.on(model);
  advance(*integrator, state, 0.01, 3);
  state.time = 1;
  const State before = state;
  const StepReport report = integrator->step(state, 0.01);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why == "element 'f' (force) returned a value that is not finite");
  BOOST_TEST((state == before));
  state.time = 0.03; // and goes on from there as if nothing had happened
  State copy = state;
  advance(*integrator, state, 0.01, 1);
  advance(*sample.on(model), copy, 0.01, 1);
  BOOST_TEST((state == copy));
}

// --- books

// Linear momentum gains the impulses that are booked; for midpoint angular momentum too. Weights and stops, springs to
// the ground and penalties bring them.
BOOST_DATA_TEST_CASE(momentum_is_what_is_booked, data::make(instant_schemes())) {
  Model model;
  std::vector<const Body*> bodies;
  for (const char* name : {"a", "b"}) {
    bodies.push_back(&PointMass::add_to(model, name, 1));
    model.add(std::make_unique<Gravity>("weight", model.ports(), bodies.back()->port(), 1, Vec3(0, 0, -9.81)));
  }
  const auto at = [&](std::size_t i) { return body_point(bodies[i]->port(), Vec3::Zero()); };
  model.add(std::make_unique<SpringDamper>("hook", model.ports(), body_point(Model::ground, {0, 0, 1}), at(0),
                                           SpringLaw{50, 0.5, 0}));
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), at(0), at(1), SpringLaw{50, 0.5, 0}));
  model.add(wall("floor", model.ports(), side_along({0, 0, -0.65}, Vec3::UnitZ()), at(1), 0, 1),
            {EnforcementMethod::penalty, 1e3, 0});
  if (sample.name != "explicit Euler")
    model.add(wall("left", model.ports(), side_along({0.2, 0, 0}, Vec3::UnitX()), at(0), 0, 1));
  State state = model.rest_state();
  bodies[0]->set_motion({{0.3, 0, 0.1}, Quaternion::Identity(), {-1, 0.5, 0}, Vec3::Zero()}, state);
  bodies[1]->set_motion({{0.1, 0, -0.6}, Quaternion::Identity(), {0, -1, -1}, Vec3::Zero()}, state);
  model.begin(state);
  const auto integrator = sample.on(model);
  Ledger ledger;
  integrator->begin(state);
  ledger.open(model.books_at(state));
  double pushed = 0, off = 0;
  for (int i = 0; i < 400; ++i) {
    advance(*integrator, state, i < 150 ? 2.5e-3 : 2e-3, 1); // also where the step changes its size
    ledger.add(integrator->books(state));
    pushed = std::max(pushed, state.multipliers.maxCoeff());
    off = std::max(off, std::abs(ledger.last().energy() - model.books_at(state).energy()));
  }
  BOOST_TEST(pushed > 1);
  BOOST_TEST(off <=
             20 * eps * 50); // the energy of the state, that in the penalty included: some 20 terms of up to 50 J
  // 400 steps add impulses of some 0.05 N s, those of an impact of 5 N s
  BOOST_TEST(ledger.max_linear_imbalance() <= 400 * 10 * eps * 10);
  if (sample.name == "midpoint")
    BOOST_TEST(ledger.max_angular_imbalance() <= 400 * 10 * eps * 10);
  BOOST_TEST(ledger.max_energy_imbalance() > 1e-6); // no scheme hides what it does to energy
  BOOST_TEST(std::isfinite(ledger.max_energy_imbalance()));
}

// --- joints

// A pendulum of 1 m and 1 kg falls from 45 degrees: |E - E_0| > 1 J after so many steps of 10 ms. With midpoint never.
BOOST_AUTO_TEST_CASE(joints_by_multipliers_blow_up_under_schemes_with_accelerations) {
  const auto steps_to_one_joule = [](const InstantScheme& scheme, const Enforcement& how, double& largest) {
    Model model;
    const PointMass& body = PointMass::add_to(model, "bob", 1);
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 1, Vec3(0, -9.81, 0)));
    model.add(distance_joint("rod", model.ports(), {}, {body.port(), Vec3::Zero()}, 1), how);
    State state = model.rest_state();
    const double c = std::sqrt(0.5);
    body.set_motion({Vec3(c, -c, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    const auto integrator = scheme.on(model);
    const double E_0 = model.books_at(state).energy();
    largest = 0;
    int n = 0;
    while (n < 200 && largest <= 1) {
      ++n;
      if (!integrator->step(state, 0.01).converged)
        break;
      largest = std::max(largest, std::abs(model.books_at(state).energy() - E_0));
    }
    return n;
  };
  const Enforcement by_augmented_lagrangian{EnforcementMethod::augmented_lagrangian, 0, 0};
  double largest = 0;
  for (const Enforcement& how : {Enforcement{}, by_augmented_lagrangian}) {
    BOOST_TEST(steps_to_one_joule(linear_acceleration(), how, largest) == 11);
    BOOST_TEST(steps_to_one_joule(high_order(), how, largest) == 16);
    BOOST_TEST(steps_to_one_joule(midpoint(), how, largest) == 200);
    BOOST_TEST(largest < 200 * 10 * eps * 10);
  }
}

// Joints are quadratic, so that their gradients at the mean are secants: a chain of director bodies under weight moves
// as it does by energy-momentum, and its books balance as well.
BOOST_AUTO_TEST_CASE(director_bodies_with_joints_move_as_by_energy_momentum) {
  const Mechanism m = hanging_chain(4, ChainJoint::revolute, body_makers()[1]);
  BOOST_TEST_REQUIRE(m.bodies[0]->kind() == "director body");
  const auto middle = midpoint().on(*m.model);
  EnergyMomentum conserving(*m.model, {});
  State a = m.initial, b = m.initial;
  Ledger ledger;
  ledger.open(m.model->books_at(a));
  for (int i = 0; i < 50; ++i) {
    advance(*middle, a, 0.02, 1);
    advance(conserving, b, 0.02, 1);
    ledger.add(middle->books(a));
  }
  BOOST_TEST(agree("values", a.values, b.values, 1e-10)); // rounding grows with the motion
  BOOST_TEST(agree("rates", a.rates, b.rates, 1e-9));
  BOOST_TEST(ledger.relative_energy_imbalance() <= 50 * 20 * eps);
  BOOST_TEST(ledger.relative_linear_imbalance() <= 50 * 20 * eps);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 50 * 20 * eps);
}

// What is prescribed counts from the start of the step, not from the instant: a slider at the rate 0.3 + t is where it
// should be at the end of every step.
BOOST_AUTO_TEST_CASE(prescribed_rates_are_followed) {
  for (const Enforced how : {Enforced::multipliers, Enforced::augmented_lagrangian}) {
    Model model;
    const PointMass& body = PointMass::add_to(model, "slider", 2);
    model.add(std::make_unique<Drive>("motor", model.ports(), side_along(Vec3::Zero(), Vec3::UnitX()),
                                      JointSide{body.port(), Vec3::Zero()}, Drive::Coordinate::displacement,
                                      Drive::Prescribes::rate, TimeFunction([](double t) { return 0.3 + t; })),
              enforcement(how));
    State state = model.rest_state();
    body.set_motion({Vec3(0.5, 0, 0), Quaternion::Identity(), Vec3(0.3, 0, 0), Vec3::Zero()}, state);
    model.begin(state);
    const auto integrator = midpoint().on(model);
    advance(*integrator, state, 0.1, 10);
    BOOST_TEST(agree("x", state.values[0], 0.5 + 0.3 + 0.5, 10 * 20 * eps));
    // v' = 1 throughout, which a force of 2 N on 2 kg gives
    BOOST_TEST(agree("force", -state.multipliers[0], 2, 1e-10));
  }
}

BOOST_AUTO_TEST_SUITE_END()
