#include "elements/bodies/frame.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double J_axis = 2;

/// A flywheel on a revolute joint at the origin, about the x axis of all, with a spring on the same axis.
struct Flywheel {
  explicit Flywheel(const SpringLaw& law)
      : body(FrameBody::add_to(model, "body", 1, Vec3(J_axis, 1.5, 1.5).asDiagonal())),
        spring(model.add(std::make_unique<RotationalSpringDamper>("spring", model.ports(), JointSide{}, side(), law))) {
    model.add(revolute_joint("axle", model.ports(), JointSide{}, side()));
  }
  JointSide side() const { return {body.port(), Vec3::Zero(), Mat3::Identity()}; }

  BodyMotion turned(double angle, double speed) const {
    return {Vec3::Zero(), exponential(angle * Vec3::UnitX()), Vec3::Zero(), Vec3(speed, 0, 0)};
  }
  Trial trial(double from, double to, double h) const {
    return make_trial(model, {{turned(from, 0), turned(to, 0)}}, h, VecX::Zero(model.multipliers()));
  }
  State at(double angle, double speed) const {
    State state = model.rest_state();
    body.set_motion(turned(angle, speed), state);
    model.begin(state);
    return state;
  }

  Model model;
  const FrameBody& body;
  const RotationalSpringDamper& spring;
};

// Ten roundings of numbers below fifty.
const double tolerance = 10 * eps * 50;

} // namespace

BOOST_AUTO_TEST_SUITE(RotationalSpringDampers)

// A right angle from 0 in half a second, k = 2, phi0 = 0.25, c = 3.
BOOST_AUTO_TEST_CASE(the_moment_turns_the_second_body_back) {
  const Flywheel s({2, 0.25, 3});
  const double theta = M_PI / 2, M = 2 * (theta / 2 - 0.25) + 3 * theta / 0.5;
  const Trial trial = s.trial(0, theta, 0.5);
  const OwnedStep moved = trial.moved(s.model);
  BOOST_TEST(agree("torque", s.spring.torque(moved), M, tolerance));
  BOOST_TEST(agree("angle", s.spring.angle(moved), theta, tolerance));
  // The work M theta is done along the Rodrigues vector 2 tan(theta/2).
  const Reaction on_body = s.spring.reaction(moved, s.body.port(), 2);
  BOOST_TEST(agree("moment", on_body.moment, Vec3(-M * theta / 2, 0, 0), tolerance));
  BOOST_TEST(agree("force", on_body.force, Vec3(Vec3::Zero()), 0));
  StepBooks books;
  s.spring.book(moved, trial.n1, books);
  BOOST_TEST(agree("potential", books.potential, (theta - 0.25) * (theta - 0.25), tolerance));
  BOOST_TEST(agree("dissipation", books.dissipation, 3 * theta * theta / 0.5, tolerance));
}

// Wound up by more than a turn at the start: the free angle may be any number.
BOOST_AUTO_TEST_CASE(the_free_angle_counts_turns) {
  const Flywheel s({2, 4 * M_PI, 0});
  const Trial trial = s.trial(0.5, 0.5, 0.1);
  BOOST_TEST(agree("torque", s.spring.torque(trial.moved(s.model)), 2 * (0.5 - 4 * M_PI), tolerance));
}

// Set spinning, a flywheel winds its spring up by three turns and comes back past the start. J w² + k phi² is constant
// with phi measured from the body's own rotation, and its largest value is where the spin has been used up.
BOOST_AUTO_TEST_CASE(a_spring_winds_up_over_several_turns_and_unwinds) {
  const double k = 0.5, amplitude = 6 * M_PI, w_0 = amplitude * std::sqrt(k / J_axis), h = 0.05;
  const Flywheel s({k, 0, 0});
  State state = s.at(0, w_0);
  double phi = 0, largest = 0, least = 0;
  const auto steps = static_cast<int>(2 * M_PI * std::sqrt(J_axis / k) / h); // a whole period
  for (int n = 1; n <= steps; ++n) {
    const Trial t = solve_step(s.model, state, h).trial;
    const Quaternion before = s.body.motion(t.n).orientation, after = s.body.motion(t.n1).orientation;
    phi += rotation_vector(after * before.conjugate()).x();
    state = t.n1;
    largest = std::max(largest, phi);
    least = std::min(least, phi);
    // Twenty roundings a step of angles below twenty.
    BOOST_TEST(agree("angle", s.spring.angle(t.moved(s.model)), phi, 20 * n * eps * 20));
    const double w = s.body.motion(state).angular_velocity.x();
    const double E = J_axis * w_0 * w_0; // twice the energy; each step rounds it with terms 2/h times as large
    BOOST_TEST(agree("energy", J_axis * w * w + k * phi * phi, E, 20 * n * eps * E * 2 / h));
  }
  // At the turning point the flywheel is at most half a step away: 1 - cos(omega h/2) of the amplitude.
  const double missed = 1 - std::cos(std::sqrt(k / J_axis) * h / 2);
  BOOST_TEST(largest <= amplitude * (1 + 1e-12));
  BOOST_TEST(largest >= amplitude * (1 - 2 * missed));
  BOOST_TEST(least <= -amplitude * (1 - 2 * missed));
}

// Friction of a bearing: the loss of kinetic energy is what is booked, step by step.
BOOST_AUTO_TEST_CASE(a_damper_alone_is_friction_that_grows_with_speed) {
  const double c = 0.4, h = 0.05, w_0 = 3;
  const Flywheel s({0, 0, c});
  State state = s.at(0, w_0);
  double lost = 0;
  for (int n = 1; n <= 100; ++n) {
    const Trial t = solve_step(s.model, state, h).trial;
    state = t.n1;
    lost += s.model.books(t.moved(s.model), t.n1).dissipation;
  }
  const double w = s.body.motion(state).angular_velocity.x();
  BOOST_TEST(agree("lost", lost, J_axis / 2 * (w_0 * w_0 - w * w), 20 * 100 * eps * J_axis * w_0 * w_0 * 2 / h));
  // exp(-c t/J) up to second order in c h/J and in the angle of a step, w h: both at most (0.15)²/12 a step of relative
  // speed c h/J, over t c/J = 1.
  BOOST_TEST(agree("speed", w, w_0 * std::exp(-c * 100 * h / J_axis), w_0 * std::exp(-1) * 0.15 * 0.15 / 12));
}

// What is remembered counts turns: the angle follows the bodies if they are put elsewhere.
BOOST_AUTO_TEST_CASE(the_angle_is_read_from_the_bodies) {
  const Flywheel s({2, 0, 0});
  Trial trial = s.trial(0.5, 0.5, 0.1);
  trial.n.history.setConstant(2 * M_PI + 0.3); // a turn and some other angle
  BOOST_TEST(agree("torque", s.spring.torque(trial.moved(s.model)), 2 * (2 * M_PI + 0.5), tolerance));
}

BOOST_AUTO_TEST_SUITE_END()
