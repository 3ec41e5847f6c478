/// Explicit integrators with motors and what joints remember: turns and prescribed rates.
#include "elements/bodies/frame.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit_models.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

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

} // namespace

BOOST_AUTO_TEST_SUITE(ExplicitJoints)

// A motor turns its joint as it is told, and its torque does the work that is booked.
BOOST_DATA_TEST_CASE(a_motor_alone_turns_a_wheel_and_books_its_work, data::make(schemes())) {
  Wheel wheel;
  const Model& model = wheel.model;
  wheel.model.add(std::make_unique<Drive>("motor", model.ports(), wheel.ground, wheel.hub, Drive::Coordinate::angle,
                                          Drive::Prescribes::value, TimeFunction([](auto t) { return 0.5 * t * t; })));
  State start = model.rest_state();
  model.begin(start);
  const auto integrator = sample.on(model);
  Simulation simulation(model, start, *integrator, {0.01, 2, 0});
  BOOST_REQUIRE(simulation.run().completed);
  // phi = t²/2 = 2, a rate of t = 2 and the work 0.3 * 2²/2, with some roundings of each of 200 steps; reactions have
  // those of rates times J/h. The rational map of Park, Chiou and Downer turns by less than it should: the rate is too
  // large by Omega³ h²/48.
  const bool rational = sample.is(ExplicitMethod::park_chiou_downer);
  const BodyMotion m = wheel.body.motion(simulation.state());
  BOOST_TEST(agree("angle", rotation_vector(m.orientation).z(), 2, 500 * eps * 10));
  BOOST_TEST(agree("rate", m.angular_velocity.z(), 2, rational ? 8 * 1e-4 / 48 * 1.01 : 500 * eps * 10));
  BOOST_TEST(agree("work", simulation.ledger().work(), 0.6, rational ? 0.6 * 1e-4 : 500 * eps * 10));
  BOOST_TEST(
      agree("torque", -simulation.state().multipliers[5], 0.3, rational ? 0.3 * 1e-4 : 500 * eps * 10 * 0.3 / 0.01));
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

BOOST_AUTO_TEST_SUITE_END()
