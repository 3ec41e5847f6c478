#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

using Kind = CoupledCoordinate::Kind;

/// A wheel with J = 2 about x on the ground, and beside it a wheel with J = 3 about x or a rack of 1.5 kg along x,
/// coupled as factor1 angle1 + factor2 coordinate2 = const.
struct Geared {
  Geared(Kind second_kind, double factor1, double factor2)
      : first(FrameBody::add_to(model, "wheel", 1, Vec3(2, 2, 2).asDiagonal())),
        second(FrameBody::add_to(model, "follower", 1.5, Vec3(3, 3, 3).asDiagonal())) {
    const JointSide here{}, there{Model::ground, Vec3(0, 2, 0), Mat3::Identity()};
    const JointSide on_first{first.port(), Vec3::Zero(), Mat3::Identity()};
    const JointSide on_second{second.port(), Vec3::Zero(), Mat3::Identity()};
    bearing = &model.add(revolute_joint("bearing", model.ports(), here, on_first));
    guide = &model.add(second_kind == Kind::angle ? revolute_joint("guide", model.ports(), there, on_second)
                                                  : prismatic_joint("guide", model.ports(), there, on_second));
    coupler = &model.add(coupler_joint("mesh", model.ports(), {Kind::angle, here, on_first, factor1},
                                       {second_kind, there, on_second, factor2}));
    model.add(std::make_unique<AppliedTorque>("torque", model.ports(), first.port(), Vec3(5, 0, 0), LoadAxes::space));
    state = model.rest_state();
  }
  void start(const Vec3& spin1, const BodyMotion& motion2) {
    first.set_motion({Vec3::Zero(), exponential(Vec3(0.3, 0, 0)), Vec3::Zero(), spin1}, state);
    second.set_motion(motion2, state);
    model.begin(state);
    ledger.open(model.books_at(state));
  }
  void step(double h) {
    trial = solve_step(model, state, h).trial;
    state = trial.n1;
    ledger.add(model.books(trial.moved(model), state));
  }
  static double coordinate(const Joint& joint, const State& state) {
    VecX value(1), rate(1);
    joint.coordinates_at(state, value, rate);
    return value[0];
  }
  Model model;
  const FrameBody &first, &second;
  const Joint *bearing = nullptr, *guide = nullptr, *coupler = nullptr;
  State state;
  Trial trial;
  Ledger ledger;
};

} // namespace

BOOST_AUTO_TEST_SUITE(Couplers)

// angle1 + 2 angle2 = const: the second wheel turns backwards at half the speed, so 5 N m accelerate 2 + 3/4 kg m². In
// the first step of 0.01 s the wheels turn by 1e-4 rad, and tangents differ from angles by the cube of it.
BOOST_AUTO_TEST_CASE(gears_share_a_torque_by_their_ratio) {
  Geared g(Kind::angle, 1, 2);
  g.start(Vec3::Zero(), {Vec3(0, 2, 0), exponential(Vec3(-0.8, 0, 0)), Vec3::Zero(), Vec3::Zero()});
  BOOST_TEST(g.ledger.last().position_violation == 0); // whatever the angles are at the start
  g.step(0.01);
  const double alpha = 5 / 2.75;
  // 2 J/h² = 6e4 N m times angles below one.
  const double rounding = 20 * eps * 6e4;
  BOOST_TEST(agree("spin 1", g.first.motion(g.state).angular_velocity.x(), 0.01 * alpha, 1e-8));
  BOOST_TEST(agree("spin 2", g.second.motion(g.state).angular_velocity.x(), -0.005 * alpha, 1e-8));
  const Reaction on_first = g.coupler->reaction_on_second(g.trial.moved(g.model));
  BOOST_TEST(agree("moment on 1", on_first.moment, Vec3(2 * alpha - 5, 0, 0), 1e-6 + rounding));
  BOOST_TEST(agree("force on 1", on_first.force, Vec3(Vec3::Zero()), 0.0));
}

BOOST_AUTO_TEST_CASE(gears_keep_their_ratio_and_the_energy_over_many_turns) {
  Geared g(Kind::angle, 1, 2);
  g.start(Vec3(16, 0, 0), {Vec3(0, 2, 0), Quaternion::Identity(), Vec3::Zero(), Vec3(-8, 0, 0)});
  for (int i = 0; i < 100; ++i)
    g.step(0.05);
  const double angle1 = Geared::coordinate(*g.bearing, g.state), angle2 = Geared::coordinate(*g.guide, g.state);
  BOOST_TEST(angle1 > 80);
  // A hundred increments, each rounded to a few eps, and the angles to theirs.
  BOOST_TEST(agree("ratio", angle1 + 2 * angle2, 0.3, 100 * 4 * eps + 4 * eps * angle1));
  BOOST_TEST(g.ledger.relative_energy_imbalance() <= 100 * 100 * eps);
  BOOST_TEST(g.ledger.max_position_violation() <= 20 * eps);
}

// 0.2 angle - displacement = const: the rack moves by 0.2 m per radian, 5 N m accelerate 2 + 1.5 * 0.04 kg m².
BOOST_AUTO_TEST_CASE(a_pinion_moves_a_rack) {
  Geared g(Kind::displacement, 0.2, -1);
  g.start(Vec3::Zero(), {Vec3(0.7, 2, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()});
  BOOST_TEST(g.ledger.last().position_violation == 0);
  g.step(0.01);
  const double alpha = 5 / 2.06;
  BOOST_TEST(agree("spin", g.first.motion(g.state).angular_velocity.x(), 0.01 * alpha, 1e-8));
  BOOST_TEST(agree("speed", g.second.motion(g.state).velocity.x(), 0.002 * alpha, 1e-8));
  for (int i = 0; i < 50; ++i)
    g.step(0.05);
  const double angle = Geared::coordinate(*g.bearing, g.state), moved = Geared::coordinate(*g.guide, g.state) - 0.7;
  BOOST_TEST(angle > 5);
  BOOST_TEST(agree("rack", moved, 0.2 * (angle - 0.3), 100 * 4 * eps));
  BOOST_TEST(g.ledger.relative_energy_imbalance() <= 50 * 100 * eps);
}

BOOST_AUTO_TEST_SUITE_END()
