#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A body of two kilograms whose centre is three metres along x from where the ground holds it, g = (0, 0, -10).
struct Cantilever {
  using Make = std::unique_ptr<Joint> (*)(std::string, const Ports&, const JointSide&, const JointSide&);
  Cantilever(Make make, bool ground_first) : body(FrameBody::add_to(model, "beam", 2, Vec3(1, 2, 3).asDiagonal())) {
    const JointSide wall{Model::ground, Vec3(1, 1, 1), Mat3::Identity()};
    const JointSide beam{body.port(), Vec3(-3, 0, 0), Mat3::Identity()};
    joint =
        &model.add(ground_first ? make("wall", model.ports(), wall, beam) : make("wall", model.ports(), beam, wall));
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -10)));
  }
  /// The beam may have moved out along x, which some joints admit.
  Reaction on_second(double out = 0) {
    State state = model.rest_state();
    body.set_motion({Vec3(4 + out, 1, 1), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    model.begin(state);
    solution = solve_step(model, state, 0.01);
    return joint->reaction_on_second(solution.trial.moved(model));
  }
  Model model;
  const FrameBody& body;
  const Joint* joint = nullptr;
  Solution solution{};
};

// Equilibrium is solved to the rounding of 2 M/h² times a coordinate: 4e4 N/m times 4 m, and thrice as much in moments.
const double tolerance = 10 * eps * 4e4 * 4 * 3;

} // namespace

BOOST_AUTO_TEST_SUITE(Reactions)

// By hand: 20 N carry the weight; its moment about the wall is (3, 0, 0) x (0, 0, -20) = (0, 60, 0), so the wall gives
// (0, -60, 0).
BOOST_AUTO_TEST_CASE(a_wall_carries_the_weight_and_its_moment) {
  Cantilever c(fixed_joint, true);
  const Reaction wall = c.on_second();
  BOOST_TEST(agree("force", wall.force, Vec3(0, 0, 20), tolerance));
  BOOST_TEST(agree("moment", wall.moment, Vec3(0, -60, 0), tolerance));
  BOOST_TEST(agree("rest", c.solution.trial.z, VecX(VecX::Zero(6)), 10 * eps * 4));
}

// Moments are about the joint's point on the second body: three metres from its centre wherever the slider is.
BOOST_AUTO_TEST_CASE(a_slider_carries_the_weight_wherever_it_is) {
  for (const double out : {0.0, 1.5})
    for (const auto make : {prismatic_joint, cylindrical_joint}) {
      Cantilever c(make, true);
      const Reaction slider = c.on_second(out);
      BOOST_TEST(agree("force", slider.force, Vec3(0, 0, 20), tolerance));
      BOOST_TEST(agree("moment", slider.moment, Vec3(0, -60, 0), tolerance));
    }
}

// Seen from the wall as second body the point is the wall's: the arm grows with the displacement, 20 N times 4.5 m.
BOOST_AUTO_TEST_CASE(a_guide_takes_the_moment_about_its_own_point) {
  Model model;
  const FrameBody& body = FrameBody::add_to(model, "beam", 2, Vec3(1, 2, 3).asDiagonal());
  // The line is the beam's, the point the wall's: the beam slides over it.
  const Joint& guide =
      model.add(prismatic_joint("guide", model.ports(), {body.port(), Vec3(-3, 0, 0), Mat3::Identity()},
                                {Model::ground, Vec3(1, 1, 1), Mat3::Identity()}));
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -10)));
  State state = model.rest_state();
  body.set_motion({Vec3(5.5, 1, 1), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  const Solution solution = solve_step(model, state, 0.01);
  const Reaction on_wall = guide.reaction_on_second(solution.trial.moved(model));
  BOOST_TEST(agree("force", on_wall.force, Vec3(0, 0, -20), tolerance));
  BOOST_TEST(agree("moment", on_wall.moment, Vec3(0, 90, 0), tolerance));
}

// A weight of 20 N on a rod of half a metre: tension, and no moment.
BOOST_AUTO_TEST_CASE(a_rod_pulls) {
  Model model;
  const FrameBody& body = FrameBody::add_to(model, "weight", 2, Vec3(1, 2, 3).asDiagonal());
  const Joint& rod = model.add(distance_joint("rod", model.ports(), {}, {body.port(), Vec3(0, 0, 1)}, 0.5));
  model.add(std::make_unique<Gravity>("gravity", model.ports(), body.port(), 2, Vec3(0, 0, -10)));
  State state = model.rest_state();
  body.set_motion({Vec3(0, 0, -1.5), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  const Solution solution = solve_step(model, state, 0.01);
  const Reaction pull = rod.reaction_on_second(solution.trial.moved(model));
  BOOST_TEST(agree("force", pull.force, Vec3(0, 0, 20), tolerance));
  BOOST_TEST(agree("moment", pull.moment, Vec3(Vec3::Zero()), tolerance));
  BOOST_TEST(agree("tension", solution.trial.lambda[0], 20, tolerance));
}

BOOST_AUTO_TEST_CASE(the_reaction_on_the_wall_is_the_opposite) {
  Cantilever c(fixed_joint, false);
  const Reaction beam = c.on_second(); // the second body is the ground
  BOOST_TEST(agree("force", beam.force, Vec3(0, 0, -20), tolerance));
  BOOST_TEST(agree("moment", beam.moment, Vec3(0, 60, 0), tolerance));
}

// A torque (5, 6, 7) on the beam goes to the wall, which answers (-5, -6, -7) on top of the weight's moment.
BOOST_AUTO_TEST_CASE(a_wall_answers_a_torque) {
  for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
    Cantilever c(fixed_joint, true);
    c.model.add(std::make_unique<AppliedTorque>("torque", c.model.ports(), c.body.port(), Vec3(5, 6, 7), axes));
    const Reaction wall = c.on_second();
    BOOST_TEST(agree("force", wall.force, Vec3(0, 0, 20), tolerance));
    BOOST_TEST(agree("moment", wall.moment, Vec3(-5, -66, -7), tolerance));
  }
}

// Force (1, 2, 3) at the free end, six metres from the wall: moment (6, 0, 0) x (1, 2, 3) = (0, -18, 12).
BOOST_AUTO_TEST_CASE(a_wall_answers_a_force_at_the_free_end) {
  for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
    Cantilever c(fixed_joint, true);
    c.model.add(
        std::make_unique<AppliedForce>("force", c.model.ports(), c.body.port(), Vec3(3, 0, 0), Vec3(1, 2, 3), axes));
    const Reaction wall = c.on_second();
    BOOST_TEST(agree("force", wall.force, Vec3(-1, -2, 17), tolerance));
    BOOST_TEST(agree("moment", wall.moment, Vec3(0, -42, -12), tolerance));
  }
}

// A hinge along x under a weight three metres along x: the axis cannot tilt, so the hinge carries the moment as a wall
// does. Its two alignment rows suffice.
BOOST_AUTO_TEST_CASE(a_hinge_carries_moments_across_its_axis) {
  Cantilever c(revolute_joint, true);
  const Reaction hinge = c.on_second();
  BOOST_TEST(agree("force", hinge.force, Vec3(0, 0, 20), tolerance));
  BOOST_TEST(agree("moment", hinge.moment, Vec3(0, -60, 0), tolerance));
}

BOOST_AUTO_TEST_CASE(a_hinge_gives_no_moment_about_its_axis) {
  Cantilever c(revolute_joint, true);
  c.model.add(
      std::make_unique<AppliedTorque>("torque", c.model.ports(), c.body.port(), Vec3(5, 0, 0), LoadAxes::space));
  const Reaction hinge = c.on_second();
  BOOST_TEST(agree("moment", hinge.moment, Vec3(0, -60, 0), tolerance));
  // Instead the beam starts to spin: J1 Omega/h = 5 N m; the angular velocity after one step is 0.01 * 5/1.
  BOOST_TEST(agree("spin", c.solution.trial.n1.rates[3], 0.05, 10 * eps * 4 / 0.01));
}

// A ball joint gives no moment at all. Released at rest, the beam starts to fall: about the ball J2 + M 3² = 20, so the
// first mean angular acceleration is 60/20 = 3 and the ball's force M (g' ) = 20 - 2 * 3 * 3 = 2 N, up to the turn of
// the step, of order h².
BOOST_AUTO_TEST_CASE(a_ball_gives_no_moment) {
  Cantilever c(spherical_joint, true);
  const Reaction ball = c.on_second();
  BOOST_TEST((ball.moment == Vec3::Zero()));
  // The beam turns by 3 h²/2 = 1.5e-4 in the step; sines and cosines of it change 60 N m by less than 60 * 1.5e-4.
  BOOST_TEST(agree("force", ball.force, Vec3(0, 0, 2), 0.01));
}

BOOST_AUTO_TEST_SUITE_END()
