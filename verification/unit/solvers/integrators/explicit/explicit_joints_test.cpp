/// Explicit integrators on mechanisms: joints, drives, redundant rows, and what goes wrong with them.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "solvers/integrators/explicit/staggered.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit_models.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// What machine() has beside two links, a hinge and a ball joint.
enum class Beside { nothing, springs, everything };

/// Two links on a hinge at the origin and a ball joint between them, in motion; springs, or also dampers, loads that
/// change, and a motor in the hinge.
Mechanism machine(Beside beside, const BodyMaker& kind = body_makers().front()) {
  Mechanism m;
  Model& model = *m.model;
  const Mat3 J = Vec3(0.9, 1, 0.2).asDiagonal();
  for (const char* name : {"upper", "lower"})
    m.bodies.push_back(&kind.add(model, name, 2, J));
  const Index upper = m.bodies[0]->port(), lower = m.bodies[1]->port();
  const Vec3 top(0, 0, 1), bottom(0, 0, -1);
  Mat3 axes; // the hinge turns about y
  axes << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const JointSide ground{Model::ground, Vec3::Zero(), axes}, hung{upper, top, axes};
  model.add(revolute_joint("hinge", model.ports(), ground, hung));
  model.add(spherical_joint("ball", model.ports(), {upper, bottom}, {lower, top}));
  for (const Body* body : m.bodies)
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), 2, Vec3(0, 0, -9.81)));
  if (beside != Beside::nothing) {
    const double c = beside == Beside::everything ? 0.5 : 0;
    model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3(1, 0.5, -2)),
                                             body_point(lower, bottom), SpringLaw{30, 0.5, c}));
    model.add(std::make_unique<RotationalSpringDamper>("coil", model.ports(), ground, hung, SpringLaw{5, 0.2, c}));
  }
  if (beside == Beside::everything) {
    const TimeFunction wave([](double t) { return 4 * std::sin(3 * t); });
    model.add(std::make_unique<AppliedForce>("wave", model.ports(), lower, Vec3(0.1, 0, 0),
                                             LoadComponents(wave, 1, wave), LoadAxes::body));
    model.add(std::make_unique<Drive>("motor", model.ports(), ground, hung, Drive::Coordinate::angle,
                                      Drive::Prescribes::value, TimeFunction([](double t) { return 0.3 + 0.8 * t; })));
  }
  m.initial = model.rest_state();
  const Quaternion q = exponential({0, 0.3, 0}), r = exponential({0.4, -0.5, 0.2});
  const Vec3 spin(0, 0.8, 0), lower_spin(0.5, -0.2, 1);
  const Vec3 elbow = q * Vec3(0, 0, -2), elbow_velocity = spin.cross(elbow);
  m.bodies[0]->set_motion({q * Vec3(0, 0, -1), q, spin.cross(q * Vec3(0, 0, -1)), spin}, m.initial);
  m.bodies[1]->set_motion(
      {elbow + r * Vec3(0, 0, -1), r, elbow_velocity + lower_spin.cross(r * Vec3(0, 0, -1)), lower_spin}, m.initial);
  model.begin(m.initial);
  return m;
}

/// A wheel of 0.3 kg m² on a hub along z.
struct Wheel {
  Wheel() : body(FrameBody::add_to(model, "wheel", 1, Vec3(0.2, 0.2, 0.3).asDiagonal())) {
    Mat3 axes; // n along z
    axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    ground.axes = axes;
    hub = {body.port(), Vec3::Zero(), axes};
    model.add(revolute_joint("hub", model.ports(), ground, hub));
  }
  Model model;
  const Body& body;
  JointSide ground, hub;
};

State after(const Scheme& scheme, const Mechanism& m, double h, int n) {
  State state = m.initial;
  run(*scheme.on(*m.model), state, h, n);
  return state;
}

} // namespace

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

// A motor turns its joint as it is told, and its torque does the work that is booked.
BOOST_DATA_TEST_CASE(a_motor_alone_turns_a_wheel_and_books_its_work, data::make(schemes())) {
  Wheel wheel;
  const Model& model = wheel.model;
  wheel.model.add(std::make_unique<Drive>("motor", model.ports(), wheel.ground, wheel.hub, Drive::Coordinate::angle,
                                          Drive::Prescribes::value,
                                          TimeFunction([](double t) { return 0.5 * t * t; })));
  State start = model.rest_state();
  model.begin(start);
  const auto integrator = sample.on(model);
  Simulation simulation(model, start, *integrator, {0.01, 2, 0});
  BOOST_REQUIRE(simulation.run().completed);
  // phi = t²/2 = 2, a rate of t = 2 and the work 0.3 * 2²/2. Rates are known to 1e-9, and reactions to that over h. The
  // rational map of Park, Chiou and Downer turns by less than it should: the rate is too large by Omega³ h²/48.
  const bool rational = sample.is(ExplicitMethod::park_chiou_downer);
  const BodyMotion m = wheel.body.motion(simulation.state());
  BOOST_TEST(agree("angle", rotation_vector(m.orientation).z(), 2, 500 * eps * 10));
  BOOST_TEST(agree("rate", m.angular_velocity.z(), 2, rational ? 8 * 1e-4 / 48 * 1.01 : 1e-9));
  BOOST_TEST(agree("work", simulation.ledger().work(), 0.6, rational ? 0.6 * 1e-4 : 1e-9));
  BOOST_TEST(agree("torque", -simulation.state().multipliers[5], 0.3, rational ? 0.3 * 1e-4 : 1e-7));
}

// What elements remember goes on from step to step: a coil winds up over several turns, a prescribed rate adds up.
BOOST_DATA_TEST_CASE(turns_are_counted_and_rates_add_up, data::make(schemes())) {
  Wheel wound;
  const double omega = 0.5; // rad/s of the wheel on the coil; phi = 8/omega sin(omega t)
  const auto& coil = wound.model.add(std::make_unique<RotationalSpringDamper>(
      "coil", wound.model.ports(), wound.ground, wound.hub, SpringLaw{0.3 * omega * omega, 0, 0}));
  State state = wound.model.rest_state();
  wound.body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3(0, 0, 8)}, state);
  wound.model.begin(state);
  const auto integrator = sample.on(wound.model);
  run(*integrator, state, 2e-3, 1000);
  // Second order: (omega h)² and, with the rational map, (8 h)²/48, of 13 rad.
  const double angle = coil.angle(integrator->last_moved_step());
  BOOST_TEST(agree("coil", angle, 8 / omega * std::sin(omega * 2), 13.5 * std::pow(8 * 2e-3, 2) / 12));

  Wheel driven;
  driven.model.add(std::make_unique<Drive>("motor", driven.model.ports(), driven.ground, driven.hub,
                                           Drive::Coordinate::angle, Drive::Prescribes::rate,
                                           TimeFunction([](double t) { return 10 + std::cos(t); })));
  state = driven.model.rest_state();
  driven.body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3(0, 0, 11)}, state);
  driven.model.begin(state);
  run(*sample.on(driven.model), state, 2e-3, 1000);
  const double turned = 20 + std::sin(2.0), full = 2 * std::acos(-1.0);
  const double left = std::remainder(turned, full); // three turns and this
  BOOST_TEST(agree("driven", rotation_vector(driven.body.motion(state).orientation).z(), left, 1000 * 4 * eps * 20));
}

// --- two sequences

// docs/theory/explicit_rotation.md, [E10]: a swinging chain of two bodies loses them after some four seconds.
BOOST_AUTO_TEST_CASE(staggered_warns_once_where_its_sequences_part_and_not_before) {
  Mechanism m;
  for (const char* name : {"first", "second"})
    m.bodies.push_back(&FrameBody::add_to(*m.model, name, 1, Vec3(0.1, 0.09, 0.02).asDiagonal()));
  const Vec3 top(0, 0, 0.5), bottom(0, 0, -0.5);
  m.model->add(spherical_joint("support", m.model->ports(), {}, {m.bodies[0]->port(), top}));
  m.model->add(spherical_joint("link", m.model->ports(), {m.bodies[0]->port(), bottom}, {m.bodies[1]->port(), top}));
  for (const Body* body : m.bodies)
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), body->port(), 1, Vec3(0, 0, -9.81)));
  m.initial = m.model->rest_state();
  const Quaternion q = exponential({0, -1.2, 0}), r = exponential({0.4, -1.9, 0.3});
  m.bodies[0]->set_motion({q * bottom, q, Vec3::Zero(), Vec3::Zero()}, m.initial);
  m.bodies[1]->set_motion({q * bottom * 2 + r * bottom, r, Vec3::Zero(), Vec3::Zero()}, m.initial);
  m.model->begin(m.initial);
  ExplicitOptions options;
  options.method = ExplicitMethod::staggered;
  const auto integrator = make_explicit(*m.model, options);
  State state = m.initial;
  std::vector<std::string> warnings;
  double first = 0;
  for (int i = 0; i < 1250 && warnings.empty(); ++i) {
    const StepReport report = integrator->step(state, 4e-3);
    BOOST_REQUIRE(report.converged);
    if (!report.warning.empty()) {
      warnings.push_back(report.warning);
      first = state.time;
    }
  }
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find("the two sequences of the staggered integrator part at t = ") == 0U);
  BOOST_TEST(warnings[0].find("'kick_drift_kick'") != std::string::npos);
  BOOST_TEST(first > 1);
  BOOST_TEST(first < 4.5);
  for (int i = 0; i < 20; ++i) { // said once
    const StepReport report = integrator->step(state, 4e-3);
    BOOST_TEST(report.warning.empty());
    if (!report.converged)
      break;
  }
}

// The fast top on a ball joint, whose motion is regular: nothing to warn of, and mismatches are what they should be.
BOOST_AUTO_TEST_CASE(staggered_does_not_warn_of_a_regular_motion) {
  Mechanism m;
  m.bodies.push_back(&FrameBody::add_to(*m.model, "top", 2, Vec3(3, 3, 1).asDiagonal()));
  m.model->add(spherical_joint("tip", m.model->ports(), {}, {m.bodies[0]->port(), Vec3(0, 0, -1)}));
  m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies[0]->port(), 2, Vec3(0, 0, -10)));
  m.initial = m.model->rest_state();
  const Quaternion q = exponential({0.3, 0, 0});
  m.bodies[0]->set_motion({q * Vec3(0, 0, 1), q, Vec3::Zero(), q * Vec3(0, 0, 50)}, m.initial);
  m.model->begin(m.initial);
  ExplicitOptions options;
  options.method = ExplicitMethod::staggered;
  Staggered integrator(*m.model, options);
  State state = m.initial;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = integrator.step(state, 5e-3);
    BOOST_REQUIRE(report.converged);
    BOOST_TEST(report.warning.empty());
  }
  BOOST_TEST(integrator.mismatch() > 0);
  BOOST_TEST(integrator.mismatch() <= 3 * integrator.natural_mismatch()); // [E6]
  BOOST_TEST(integrator.mismatch() >= integrator.natural_mismatch() / 3);
}

BOOST_AUTO_TEST_SUITE_END()
