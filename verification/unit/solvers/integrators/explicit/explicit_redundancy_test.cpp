/// Explicit integrators with rows that repeat one another, do nothing, or contradict one another.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/forces/gravity.hpp"
#include "verification/support/compare.hpp"
#include "verification/unit/solvers/integrators/explicit/machine.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <memory>
#include <string>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(ExplicitJoints)

// Rows on a fixed point, or whose force passes through it, can do nothing, though rounding gives them tiny arms: a
// hinge along an axis through it leaves the swing about that axis, in the way of a body on a hinge alone.
BOOST_DATA_TEST_CASE(joints_on_a_fixed_point_do_not_hold_by_rounding, data::make(schemes())) {
  const Vec3 fixed(1.2, 2.03, 1.97), pivot(0.2, 0.1, -1);
  const auto swing = [&](bool with_ball, bool with_hinge) {
    Model model;
    const Body& body = PivotedBody::add_to(model, "body", 2, Vec3(0.3, 0.4, 0.5).asDiagonal(), pivot, fixed);
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, -1, -9.81)));
    if (with_ball)
      model.add(spherical_joint("ball", model.ports(), {Model::ground, fixed}, {body.port(), pivot}));
    if (with_hinge) {
      const Vec3 along(0.9, 0, 0);
      model.add(revolute_joint("hinge", model.ports(), {Model::ground, fixed + along}, {body.port(), pivot + along}));
    }
    State state = model.rest_state();
    body.set_motion({fixed - pivot, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    model.begin(state);
    run(*sample.on(model), state, 0.005, 200);
    return state.values;
  };
  // 200 steps of a motion that doubles its errors every half second at most.
  BOOST_TEST(agree("ball", swing(true, false), swing(false, false), 200 * 10 * eps * 10));
  BOOST_TEST(agree("ball and hinge", swing(true, true), swing(false, true), 1e-9));
  const VecX hinged = swing(false, true);
  BOOST_TEST(std::abs(hinged[1]) > 0.01); // it swings, about x, to which the joint keeps it to 500 roundings
  BOOST_TEST(std::abs(hinged[2]) <= 500 * eps * 3);
  BOOST_TEST(std::abs(hinged[3]) <= 500 * eps * 3);
}

// A joint and its double say the same: half of the reaction each, and the same motion.
BOOST_DATA_TEST_CASE(a_doubled_joint_changes_nothing_but_shares_the_reaction, data::make(schemes())) {
  const Mechanism single = machine(Beside::springs);
  Mechanism twice = machine(Beside::springs);
  twice.model->add(spherical_joint("twin", twice.model->ports(), {twice.bodies[0]->port(), {0, 0, -1}},
                                   {twice.bodies[1]->port(), {0, 0, 1}}));
  twice.initial.multipliers.setZero(twice.model->multipliers());
  twice.initial.history.setZero(twice.model->history());
  twice.model->begin(twice.initial);
  const State a = after(sample, single, 2e-3, 100), b = after(sample, twice, 2e-3, 100);
  // Joints are closed to 500 eps of 3 m by either, in 100 steps of a regular motion; velocities by h less.
  BOOST_TEST(agree("values", b.values, a.values, 100 * 500 * eps * 3));
  BOOST_TEST(agree("rates", b.rates, a.rates, 100 * 500 * eps * 3 / 2e-3));
  // Rows of the ball joint are multipliers 5 to 7, those of its twin the last three. The share of each is decided by
  // the regularisation alone, which rounding of 1e6 times its own size may shift.
  const Vec3 one = b.multipliers.segment<3>(5), other = b.multipliers.tail<3>(), sum = a.multipliers.segment<3>(5);
  BOOST_TEST(agree("sum", one + other, sum, 1e-6 * sum.norm()));
  BOOST_TEST(agree("share", one, other, 1e-4 * sum.norm()));
  BOOST_TEST(sum.norm() > 1); // N
}

// [E11] with more redundancy: four hinges with parallel axes, 20 rows of rank 17.
BOOST_DATA_TEST_CASE(a_redundant_linkage_keeps_its_energy, data::make(recommended_schemes())) {
  const Mechanism m = four_bar();
  const auto integrator = sample.on(*m.model);
  Simulation simulation(*m.model, m.initial, *integrator, {1e-3, 1, 0});
  BOOST_REQUIRE(simulation.run().completed);
  BOOST_TEST(simulation.ledger().relative_energy_imbalance() <= 1e-4);
  BOOST_TEST(simulation.ledger().relative_angular_imbalance() <= 1000 * 100 * eps);
  BOOST_TEST(simulation.outcome().max_iterations <= 8);
}

// Two rods of different lengths between the same points: no multipliers close both.
BOOST_DATA_TEST_CASE(joints_that_contradict_one_another_fail_the_step_and_leave_the_state, data::make(schemes())) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 1, Mat3::Identity());
  const JointSide ground, side{body.port(), Vec3(0.1, 0, 0)};
  model.add(distance_joint("rod", model.ports(), ground, side, 1));
  model.add(distance_joint("longer", model.ports(), ground, side, 1.01));
  State state = model.rest_state();
  body.set_motion({{0.9, 0, 0}, Quaternion::Identity(), {0, 1, 0}, Vec3::Zero()}, state);
  model.begin(state);
  const auto integrator = sample.on(model);
  integrator->begin(state);
  const State before = state;
  const StepReport report = integrator->step(state, 0.01);
  BOOST_TEST(!report.converged);
  BOOST_TEST((state == before));
  BOOST_TEST(report.why.find("the multipliers were not found in ") == 0U);
  const bool named =
      report.why.find("'rod' (") != std::string::npos || report.why.find("'longer' (") != std::string::npos;
  BOOST_TEST(named);
}

BOOST_AUTO_TEST_SUITE_END()
