/// Explicit integrators on mechanisms: books, orders, states, and loads that are not numbers.
#include "elements/forces/load.hpp"
#include "verification/support/compare.hpp"
#include "verification/unit/solvers/integrators/explicit/machine.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(ExplicitJoints)

// Reactions act where joints are closed: momenta to what the joints are closed to, energy to second order. Joints are
// closed to 500 roundings of coordinates of 3 m at most, and reactions of 100 N exchange that much more moment.
BOOST_DATA_TEST_CASE(the_books_of_a_driven_mechanism_balance, data::make(recommended_schemes())) {
  for (const Beside beside : {Beside::nothing, Beside::springs, Beside::everything}) {
    const Mechanism m = machine(beside);
    double energy[2];
    for (const int i : {0, 1}) {
      const int n = i == 0 ? 300 : 600;
      const auto integrator = sample.on(*m.model);
      Simulation simulation(*m.model, m.initial, *integrator, {1.2 / n, 1.2, 0});
      BOOST_REQUIRE(simulation.run().completed);
      const Ledger& ledger = simulation.ledger();
      BOOST_TEST(ledger.relative_linear_imbalance() <= n * 100 * eps);
      BOOST_TEST(ledger.relative_angular_imbalance() <= n * 100 * eps);
      BOOST_TEST(ledger.max_position_violation() <= 500 * eps * 10);
      BOOST_TEST(ledger.max_velocity_violation() <= 1e-9); // a motor's rate is known by differences
      if (beside == Beside::everything) {
        BOOST_TEST(std::abs(ledger.work()) > 1); // J
        BOOST_TEST(ledger.dissipation() > 0.1);
      }
      energy[i] = ledger.max_energy_imbalance();
    }
    BOOST_TEST(energy[1] < 1e-2);
    BOOST_TEST(energy[0] / energy[1] == 4, boost::test_tools::tolerance(0.2));
  }
}

// Every scheme leads to the same motion as h becomes small, with the same reactions.
BOOST_DATA_TEST_CASE(every_scheme_converges_to_the_same_motion, data::make(schemes())) {
  const Mechanism m = machine(Beside::springs);
  const State reference = after(schemes()[0], m, 0.4 / 6400, 6400);
  const State coarse = after(sample, m, 0.4 / 100, 100), fine = after(sample, m, 0.4 / 200, 200);
  const double error = (coarse.values - reference.values).norm();
  BOOST_TEST(error < 1e-2);
  BOOST_TEST(error / (fine.values - reference.values).norm() == 4, boost::test_tools::tolerance(0.3));
  // Multipliers are means over a step, which end at the same time: half a step of their change apart.
  const double reaction = reference.multipliers.norm();
  BOOST_TEST((fine.multipliers - reference.multipliers).norm() <= 0.05 * reaction);
}

BOOST_DATA_TEST_CASE(joints_stay_closed_and_linear_momentum_balances, data::make(schemes())) {
  const Mechanism m = machine(Beside::everything);
  const auto integrator = sample.on(*m.model);
  Simulation simulation(*m.model, m.initial, *integrator, {2e-3, 0.4, 0});
  BOOST_REQUIRE(simulation.run().completed);
  BOOST_TEST(simulation.ledger().max_position_violation() <= 500 * eps * 10);
  BOOST_TEST(simulation.ledger().relative_linear_imbalance() <= 200 * 100 * eps);
  BOOST_TEST(simulation.ledger().relative_energy_imbalance() <= 2e-2);
}

BOOST_DATA_TEST_CASE(a_run_with_joints_continues_bit_for_bit_from_a_copy, data::make(schemes())) {
  const Mechanism m = machine(Beside::everything);
  State state = m.initial;
  const auto first = sample.on(*m.model);
  run(*first, state, 2e-3, 50);
  State copy = state;
  run(*first, state, 2e-3, 50);
  run(*sample.on(*m.model), copy, 2e-3, 50);
  BOOST_TEST((copy == state));
}

BOOST_DATA_TEST_CASE(steps_of_mechanisms_may_change_their_size, data::make(schemes())) {
  const Mechanism m = machine(Beside::springs);
  State state = m.initial;
  const auto integrator = sample.on(*m.model);
  Ledger ledger;
  ledger.open(m.model->books_at(state));
  int steps = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 4e-3, 3e-3, 2.5e-3})
    for (int i = 0; i < 20; ++i, ++steps) {
      run(*integrator, state, h, 1);
      ledger.add(integrator->books(state));
    }
  BOOST_TEST(ledger.max_position_violation() <= 500 * eps * 10);
  BOOST_TEST(ledger.relative_linear_imbalance() <= steps * 100 * eps);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 1e-2); // as with steps of one size
}

// A load that is not a number, under joints: the step says so, whichever part notices.
BOOST_DATA_TEST_CASE(what_is_not_finite_fails_the_step_with_a_reason, data::make(schemes())) {
  Mechanism m = machine(Beside::nothing);
  const TimeFunction broken([](double t) { return t < 0.01 ? 0 : NAN; });
  m.model->add(std::make_unique<AppliedForce>("f", m.model->ports(), m.bodies[1]->port(), Vec3(1, 0, 0),
                                              LoadComponents(broken, 0, 0), LoadAxes::space));
  State state = m.initial;
  const auto integrator = sample.on(*m.model);
  run(*integrator, state, 1e-3, 5);
  const State before = state;
  const StepReport report = integrator->step(state, 0.1);
  BOOST_TEST(!report.converged);
  BOOST_TEST(!report.why.empty());
  BOOST_TEST((state == before));
  run(*integrator, state, 1e-3, 1);
}

// The scheme with joints is symmetric too: reactions of both kicks act at closed joints. Rounding grows by less than a
// thousand in half a second; joints are closed to 500 eps.
BOOST_DATA_TEST_CASE(mechanisms_go_back_in_time, data::make(recommended_schemes())) {
  const Mechanism m = machine(Beside::springs);
  State state = m.initial;
  const auto integrator = sample.on(*m.model);
  const int n = 200;
  run(*integrator, state, 2.5e-3, n);
  BOOST_TEST((state.values - m.initial.values).norm() > 0.1);
  state.rates *= -1;
  integrator->begin(state);
  run(*integrator, state, 2.5e-3, n);
  BOOST_TEST(agree("values", state.values, m.initial.values, 500 * eps * 3 * 1e3));
}

BOOST_DATA_TEST_CASE(jointed_director_bodies_move_as_frames_do, data::make(recommended_schemes())) {
  const Mechanism frames = machine(Beside::everything), directors = machine(Beside::everything, body_makers()[1]);
  const State a = after(sample, frames, 2e-3, 200), b = after(sample, directors, 2e-3, 200);
  for (std::size_t i = 0; i < 2; ++i) {
    const BodyMotion one = frames.bodies[i]->motion(a), two = directors.bodies[i]->motion(b);
    BOOST_TEST(agree("position", two.position, one.position, 200 * 500 * eps));
    BOOST_TEST(
        agree("orientation", two.orientation.toRotationMatrix(), one.orientation.toRotationMatrix(), 200 * 500 * eps));
  }
}

BOOST_AUTO_TEST_SUITE_END()
