#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/joints/drive.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A body of 2 kg with J = (2, 3, 4) at the origin on a joint with the ground along x, driven along or about it.
struct Driven {
  using Make = std::unique_ptr<Joint> (*)(std::string, const Ports&, const JointSide&, const JointSide&);
  Driven(Make make, Drive::Coordinate coordinate, Drive::Prescribes prescribes, const TimeFunction& f,
         bool ground_first = true)
      : body(FrameBody::add_to(model, "rotor", 2, Vec3(2, 3, 4).asDiagonal())) {
    const JointSide ground{}, on_body{body.port(), Vec3::Zero(), Mat3::Identity()};
    const JointSide &I = ground_first ? ground : on_body, &J = ground_first ? on_body : ground;
    joint = &model.add(make("bearing", model.ports(), I, J));
    drive = &model.add(std::make_unique<Drive>("motor", model.ports(), I, J, coordinate, prescribes, f));
    state = model.rest_state();
  }
  void start(const BodyMotion& motion) {
    body.set_motion(motion, state);
    model.begin(state);
    ledger.open(model.books_at(state));
  }
  void step(double h) {
    trial = solve_step(model, state, h).trial;
    state = trial.n1;
    books = model.books(trial.moved(model), state);
    ledger.add(books);
  }
  double effort() const { return drive->effort(trial.moved(model)); }
  double coordinate() const {
    VecX value(1), rate(1);
    joint->coordinates_at(state, value, rate);
    return value[0];
  }

  Model model;
  const FrameBody& body;
  const Joint* joint = nullptr;
  const Drive* drive = nullptr;
  State state;
  Trial trial;
  StepBooks books;
  Ledger ledger;
};

const BodyMotion at_rest{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};

} // namespace

BOOST_AUTO_TEST_SUITE(Drives)

// Angle 3 t²/2 from rest: torque J alpha = 2 * 3 N m. The discrete equations have tangents and sines of the angle of a
// step, at most 0.003, for the angle itself: its square is what they differ by.
BOOST_AUTO_TEST_CASE(the_torque_of_a_motor_accelerates_its_coordinate) {
  for (const bool ground_first : {true, false}) {
    const double sign = ground_first ? 1 : -1;
    const TimeFunction f([sign](auto t) { return sign * 1.5 * t * t; });
    Driven d(revolute_joint, Drive::Coordinate::angle, Drive::Prescribes::value, f, ground_first);
    d.start(at_rest);
    for (int i = 0; i < 10; ++i) {
      d.step(0.01);
      BOOST_TEST(agree("torque", d.effort(), sign * 6, 6 * 0.003 * 0.003));
      const Reaction on_second = d.drive->reaction_on_second(d.trial.moved(d.model));
      BOOST_TEST(agree("moment", on_second.moment, Vec3(sign * 6, 0, 0), 6 * 0.003 * 0.003));
      // Power is effort times rate, over the step and to rounding: 2 J/h² times an angle is the size of the multiplier.
      const double change = f(d.state.time) - f(d.trial.n.time);
      BOOST_TEST(agree("work", d.books.work, d.effort() * change, 20 * eps * 4e4 * 0.03));
      BOOST_TEST(agree("angle", d.coordinate(), f(d.state.time), 10 * eps));
    }
    // Work went into the spin: J omega²/2 with omega = 0.3.
    BOOST_TEST(agree("energy", d.ledger.work(), 0.5 * 2 * 0.3 * 0.3, 1e-6));
    BOOST_TEST(d.ledger.relative_energy_imbalance() <= 10 * 100 * eps);
    BOOST_TEST(d.ledger.max_position_violation() <= 10 * eps);
  }
}

// A lift along the vertical: the force carries the weight of 20 N, its power is 20 N times 0.5 m/s, and the rate is
// added up from where the lift is at the start.
BOOST_AUTO_TEST_CASE(a_lift_carries_its_weight) {
  Driven d(prismatic_joint, Drive::Coordinate::displacement, Drive::Prescribes::rate, 0.5);
  d.model.add(std::make_unique<Gravity>("weight", d.model.ports(), d.body.port(), 2, Vec3(-10, 0, 0)));
  d.start({Vec3(0.3, 0, 0), Quaternion::Identity(), Vec3(0.5, 0, 0), Vec3::Zero()});
  BOOST_TEST(d.ledger.last().position_violation <= eps);
  BOOST_TEST(d.ledger.last().velocity_violation <= eps);
  for (int i = 1; i <= 10; ++i) {
    d.step(0.01);
    // 2 M/h² = 4e4 N/m times coordinates below one.
    BOOST_TEST(agree("force", d.effort(), 20, 20 * eps * 4e4));
    BOOST_TEST(agree("work", d.books.work, 0.1, 20 * eps * 4e4 * 0.005));
    BOOST_TEST(agree("lift", d.coordinate(), 0.3 + 0.005 * i, 10 * eps));
  }
  BOOST_TEST(d.ledger.relative_energy_imbalance() <= 10 * 100 * eps);
}

// A motor at 20 rad/s in steps of one radian: its target has no turns to lose, and the joint counts them.
BOOST_AUTO_TEST_CASE(a_motor_turns_on_and_on) {
  Driven d(revolute_joint, Drive::Coordinate::angle, Drive::Prescribes::rate, 20);
  d.start({Vec3::Zero(), exponential(Vec3(0.4, 0, 0)), Vec3::Zero(), Vec3(20, 0, 0)});
  for (int i = 0; i < 40; ++i)
    d.step(0.05);
  BOOST_TEST(agree("angle", d.coordinate(), 40.4, 40 * eps * 40)); // forty sums of numbers below forty
  BOOST_TEST(d.ledger.relative_energy_imbalance() <= 40 * 100 * eps);
}

// The books of a start are those of the instant: the target at time zero and its rate.
BOOST_AUTO_TEST_CASE(the_start_is_judged_at_its_own_time) {
  const TimeFunction f([](auto t) {
    using std::sin;
    return 0.2 + sin(3 * t);
  });
  Driven d(revolute_joint, Drive::Coordinate::angle, Drive::Prescribes::value, f);
  d.start({Vec3::Zero(), exponential(Vec3(0.2, 0, 0)), Vec3::Zero(), Vec3(3, 0, 0)});
  BOOST_TEST(d.ledger.last().position_violation <= 10 * eps);
  BOOST_TEST(d.ledger.last().velocity_violation <= 10 * 3 * eps);
  d.start({Vec3::Zero(), exponential(Vec3(0.3, 0, 0)), Vec3::Zero(), Vec3(3, 0, 0)});
  BOOST_TEST(agree("gap", d.ledger.last().position_violation, 0.1, 10 * eps));
}

// Velocities ask for the rate of a target; that of a rate is asked by nobody.
BOOST_AUTO_TEST_CASE(a_target_needs_a_rate) {
  const auto driven_by = [](Drive::Prescribes prescribes, const TimeFunction& f) {
    Driven d(revolute_joint, Drive::Coordinate::angle, prescribes, f);
  };
  const TimeFunction values([](double t) { return t; });
  BOOST_CHECK_THROW(driven_by(Drive::Prescribes::value, values), std::invalid_argument);
  BOOST_CHECK_NO_THROW(driven_by(Drive::Prescribes::rate, values));
}

// A start half a turn off is half a turn off; full turns make no difference to where a body is.
BOOST_AUTO_TEST_CASE(half_a_turn_off_is_a_gap_of_half_a_turn) {
  for (const double turns : {0.0, 1.0, -3.0}) {
    Driven d(revolute_joint, Drive::Coordinate::angle, Drive::Prescribes::value, 0.2 + 2 * M_PI * turns);
    d.start({Vec3::Zero(), exponential(Vec3(0.2 - 3, 0, 0)), Vec3::Zero(), Vec3::Zero()});
    BOOST_TEST(agree("gap", d.ledger.last().position_violation, 3, 100 * eps));
    d.start({Vec3::Zero(), exponential(Vec3(0.2, 0, 0)), Vec3::Zero(), Vec3::Zero()});
    BOOST_TEST(d.ledger.last().position_violation <= 100 * eps);
  }
}

BOOST_AUTO_TEST_SUITE_END()
