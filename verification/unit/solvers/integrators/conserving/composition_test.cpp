/// Composed steps are their stages, one after the other: conditions, books, starts, failures and times [S7]-[S11].
#include "solvers/integrators/conserving/composition.hpp"

#include "elements/forces/load.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/duals.hpp"
#include "verification/support/orders.hpp"
#include "verification/unit/solvers/integrators/conserving/composed_models.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

BOOST_AUTO_TEST_SUITE(Composition_)

// [S7]-[S11], each sum to the rounding of its terms, which are at most 1.
BOOST_AUTO_TEST_CASE(stages_meet_the_conditions_of_their_order) {
  for (const int order : {2, 4, 6}) {
    const Stages c = stages_of_order(order);
    double sum = 0, cubes = 0, fifths = 0, mixed = 0, reflected = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      BOOST_TEST(c[i] == c[c.size() - 1 - i]);
      const double middle = sum + c[i] / 2;
      mixed += std::pow(c[i], 3) * middle * middle;
      sum += c[i];
      cubes += std::pow(c[i], 3);
      fifths += std::pow(c[i], 5);
      reflected += (i % 2 == 0 ? 1 : -1) * c[i] * c[i];
      // Loads and drives are not asked for times outside of the step.
      BOOST_TEST(sum >= 0);
      BOOST_TEST(sum <= 1 + eps);
    }
    const double rounding = static_cast<double>(c.size()) * eps;
    BOOST_TEST(std::abs(sum - 1) <= rounding);
    if (order >= 4) {
      BOOST_TEST(std::abs(cubes) <= rounding);
      BOOST_TEST(std::abs(reflected) <= rounding);
    }
    if (order == 6) {
      BOOST_TEST(std::abs(fifths) <= rounding);
      BOOST_TEST(std::abs(mixed) <= rounding);
    }
  }
  BOOST_CHECK_THROW(stages_of_order(3), std::invalid_argument);
}

// Exactly, whatever the step: what is left is rounding. Up to thirty units in the last place of the energy and of the
// momenta come in with each stage, of either sign, so that they grow with the root of their number.
BOOST_AUTO_TEST_CASE(energy_and_momenta_balance_to_rounding) {
  const Mechanism all[] = {hanging_chain(4, ChainJoint::spherical), hanging_chain(4, ChainJoint::revolute), free_body(),
                           loaded_body(LoadAxes::body),
                           driven_chain(Drive::Prescribes::rate, [](double t) { return 3 * t * std::cos(t); })};
  for (const int order : {4, 6})
    for (std::size_t i = 0; i < std::size(all); ++i) {
      const Stages stages = stages_of_order(order);
      constexpr int count = 50;
      const Ledger ledger = motions(*all[i].model, all[i].initial, stages, 5, count).ledger;
      const double rounding = 30 * eps * std::sqrt(static_cast<double>(stages.size()) * count);
      BOOST_TEST_CONTEXT("order " << order << ", model " << i) {
        BOOST_TEST(ledger.relative_energy_imbalance() <= rounding);
        BOOST_TEST(ledger.relative_linear_imbalance() <= rounding);
        BOOST_TEST(ledger.relative_angular_imbalance() <= rounding);
      }
    }
}

// Stages are steps of the energy-momentum integrator, one after the other: the same solutions from other start values,
// and so are their bookings.
BOOST_AUTO_TEST_CASE(a_step_is_what_its_stages_are_one_after_the_other) {
  const Mechanism m = driven_chain(Drive::Prescribes::rate, [](double t) { return 3 + t; });
  constexpr double h = 0.1;
  for (const int order : {2, 4, 6}) {
    Composition whole(*m.model, stages_of_order(order), {});
    EnergyMomentum part(*m.model, {});
    State state = m.initial, stage = m.initial;
    const StepReport report = whole.step(state, h);
    BOOST_TEST_REQUIRE(report.converged);
    StepBooks sum;
    VecX lambda = VecX::Zero(m.model->multipliers());
    for (const double c : stages_of_order(order)) {
      const StepReport one = part.step(stage, c * h);
      BOOST_TEST_REQUIRE(one.converged);
      lambda += c * stage.multipliers;
      const StepBooks books = part.books(stage);
      sum.work += books.work;
      sum.impulse += books.impulse;
      sum.angular_impulse += books.angular_impulse;
      sum.impulse_sum += books.impulse_sum;
      sum.angular_impulse_sum += books.angular_impulse_sum;
      sum.kinetic = books.kinetic;
      sum.potential = books.potential;
    }
    const StepBooks books = whole.books(state);
    // Each stage is solved to eps times a condition number of 3e4 [S1]; rates are increments over the stage, some 0.01
    // s, and reactions changes of rates.
    const double solved = static_cast<double>(stages_of_order(order).size()) * 3e4 * eps;
    const auto apart = [](const VecX& a, const VecX& b) {
      return (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
    };
    BOOST_TEST(apart(state.values, stage.values) <= solved);
    BOOST_TEST(apart(state.rates, stage.rates) <= 100 * solved);
    BOOST_TEST(apart(state.history, stage.history) <= solved);
    BOOST_TEST(apart(state.multipliers, lambda) <= 1e4 * solved);
    BOOST_TEST(state.time == h);
    BOOST_TEST(report.iterations >= static_cast<int>(stages_of_order(order).size()));
    const double booked = 100 * solved; // forces and rates
    BOOST_TEST(std::abs(books.kinetic - sum.kinetic) <= booked * (1 + sum.kinetic));
    BOOST_TEST(std::abs(books.potential - sum.potential) <= booked * (1 + sum.kinetic));
    BOOST_TEST(std::abs(books.work - sum.work) <= booked * (1 + sum.kinetic));
    BOOST_TEST((books.impulse - sum.impulse).norm() <= booked * sum.impulse_sum);
    BOOST_TEST((books.angular_impulse - sum.angular_impulse).norm() <= booked * sum.angular_impulse_sum);
    BOOST_TEST(std::abs(books.impulse_sum - sum.impulse_sum) <= booked * sum.impulse_sum);
    BOOST_TEST(std::abs(books.angular_impulse_sum - sum.angular_impulse_sum) <= booked * sum.angular_impulse_sum);
  }
}

// Stages begin with the accelerations of those before them, and later on with what they were in steps before: two
// iterations each, the second of which only confirms the first, and one more for the very first stage, which knows
// nothing.
BOOST_AUTO_TEST_CASE(stages_start_close_to_their_solutions) {
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute})
    for (const int order : {4, 6}) {
      const Mechanism m = hanging_chain(4, joint);
      const int stages = static_cast<int>(stages_of_order(order).size());
      Composition integrator(*m.model, stages_of_order(order), {});
      State state = m.initial;
      for (int i = 0; i < 20; ++i) {
        const StepReport report = integrator.step(state, 0.02);
        BOOST_TEST_REQUIRE(report.converged, report.why);
        BOOST_TEST(report.iterations <= 2 * stages + (i == 0 ? 1 : 0), "order " << order << ", step " << i);
      }
    }
}

// What observers ask the last step: where it began, how far it went, where ports are.
BOOST_AUTO_TEST_CASE(the_last_step_is_the_whole_one) {
  const Mechanism m = hanging_chain(2, ChainJoint::spherical);
  Composition integrator(*m.model, stages_of_order(4), {});
  State state = m.initial;
  BOOST_TEST_REQUIRE(integrator.step(state, 0.1).converged);
  const Step s = integrator.last_step();
  BOOST_TEST((s.n == m.initial));
  BOOST_TEST(s.inv_h == 1 / 0.1);
  VecX values = state.values;
  m.model->retract_nodes(s, values);
  // Coordinates of some metres and quaternions, through a Rodrigues vector and back.
  BOOST_TEST((values - state.values).cwiseAbs().maxCoeff() <= 10 * eps * 6);
  for (const Body* body : m.bodies) {
    const Vec12 q = integrator.last_moved_step().motions[static_cast<std::size_t>(body->port())].q_n1;
    BOOST_TEST((q.head<3>() - body->motion(state).position).norm() <= 10 * eps * 6);
  }
}

BOOST_AUTO_TEST_CASE(a_stage_that_fails_leaves_the_state_as_it_was) {
  Mechanism m = hanging_chain(2, ChainJoint::spherical);
  constexpr double h = 0.1;
  // Not a number from the middle of the third stage on: two stages succeed.
  const TimeFunction broken([](double t) { return t > 0.55 * h ? not_a_number : 1.0; });
  m.model->add(std::make_unique<AppliedForce>("push", m.model->ports(), m.bodies[0]->port(), Vec3::Zero(),
                                              LoadComponents(broken, 0, 0), LoadAxes::space));
  begin(m);
  for (const int order : {4, 6}) {
    Composition integrator(*m.model, stages_of_order(order), {});
    State state = m.initial;
    const StepReport report = integrator.step(state, h);
    BOOST_TEST(!report.converged);
    BOOST_TEST(report.iterations > 2);
    BOOST_TEST(report.why.find("'push'") != std::string::npos);
    BOOST_TEST((state == m.initial));
    // Shorter steps do not meet the trouble, and the failure leaves nothing behind.
    State other = m.initial;
    Composition fresh(*m.model, stages_of_order(order), {});
    BOOST_TEST(integrator.step(state, h / 4).converged);
    BOOST_TEST(fresh.step(other, h / 4).converged);
    BOOST_TEST((state == other));
  }
}

BOOST_AUTO_TEST_CASE(time_is_asked_for_within_the_step_only) {
  double first = 1, last = -1;
  const Mechanism m = driven_chain(Drive::Prescribes::value, [&](auto t) {
    const double now = value_of(t);
    first = std::min(first, now);
    last = std::max(last, now);
    return quarter + t;
  });
  constexpr double h = 0.1;
  for (const int order : {4, 6}) {
    Composition integrator(*m.model, stages_of_order(order), {});
    State state = m.initial;
    first = 1;
    last = -1;
    BOOST_TEST_REQUIRE(integrator.step(state, h).converged);
    BOOST_TEST(first >= 0);
    BOOST_TEST(last <= h * (1 + 2 * eps));
  }
}

BOOST_AUTO_TEST_CASE(a_run_continues_bit_for_bit_from_a_stored_state) {
  const Mechanism m = hanging_chain(4, ChainJoint::spherical);
  Composition first(*m.model, stages_of_order(4), {});
  State state = m.initial;
  for (int i = 0; i < 3; ++i)
    first.step(state, 0.05);
  State copy = state;
  Composition second(*m.model, stages_of_order(4), {});
  for (int i = 0; i < 3; ++i) {
    first.step(state, 0.05);
    second.step(copy, 0.05);
  }
  BOOST_TEST((state == copy));
}

BOOST_AUTO_TEST_SUITE_END()
