/// Initial assembly: positions and velocities that meet the joints.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/initial_assembly.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

void shake(const Mechanism& m, double size, Random& random, State& state) {
  const VecX z = random.numbers(m.model->unknowns(), size);
  const State from = state;
  m.model->retract_nodes({from, 1, 1, z, from.multipliers}, state.values);
}

BodyMotion at(const Vec3& x) {
  return {x, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
}

} // namespace

BOOST_AUTO_TEST_SUITE(InitialAssembly_)

BOOST_AUTO_TEST_CASE(a_state_that_fits_is_left_alone) {
  const Mechanism m = hanging_chain(3, ChainJoint::revolute);
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state);
  BOOST_TEST(report.converged);
  BOOST_TEST(report.iterations == 0);
  BOOST_TEST((state.values == m.initial.values));
  for (const BodyChange& change : report.bodies)
    BOOST_TEST(change.distance == 0);
}

BOOST_AUTO_TEST_CASE(disturbed_chains_and_redundant_loops_close_to_rounding) {
  Random random(3);
  for (const Mechanism& m :
       {hanging_chain(6, ChainJoint::revolute), hanging_chain(6, ChainJoint::spherical), four_bar()}) {
    State state = m.initial;
    shake(m, 0.05, random, state);
    const AssemblyReport report = assemble(*m.model, state);
    BOOST_TEST(report.converged);
    BOOST_TEST(report.iterations <= 8);
    // Coordinates reach 20 m; a gap is a sum of some ten terms of that size.
    BOOST_TEST(analyse_constraints(*m.model, state).position_violation <= 10 * eps * 20);
    BOOST_TEST(state.time == m.initial.time);
  }
}

// Two bodies 0.3 m apart that a joint pulls together in line with their centres: they meet at the centre of mass.
BOOST_AUTO_TEST_CASE(heavy_bodies_move_less) {
  Model model;
  const Body& light = FrameBody::add_to(model, "light", 1, Mat3::Identity());
  const Body& heavy = FrameBody::add_to(model, "heavy", 2, Mat3::Identity());
  model.add(spherical_joint("joint", model.ports(), {light.port(), {0.5, 0, 0}}, {heavy.port(), {-0.5, 0, 0}}));
  State state = model.rest_state();
  heavy.set_motion(at({1.3, 0, 0}), state);
  const AssemblyReport report = assemble(model, state);
  BOOST_TEST(report.converged);
  BOOST_TEST(std::abs(report.bodies[0].distance - 0.2) <= 20 * eps);
  BOOST_TEST(std::abs(report.bodies[1].distance - 0.1) <= 20 * eps);
  BOOST_TEST(report.bodies[0].angle <= 20 * eps);
}

// Base vectors that are neither of length one nor at right angles become so, and the joint closes.
BOOST_AUTO_TEST_CASE(distorted_bodies_become_rigid) {
  Model model;
  const Body& body = DirectorBody::add_to(model, "body", 2, Vec3(1, 2, 2.5).asDiagonal());
  model.add(spherical_joint("joint", model.ports(), {}, {body.port(), {0.3, 0.2, 0.5}}));
  State state = model.rest_state();
  body.set_motion({{0.1, 0.2, -0.4}, exponential({0.4, 0.1, -0.2}), {1, 0, 0}, {0, 0, 2}}, state);
  Random random(11);
  state.values += random.numbers(12, 0.05);
  const AssemblyReport report = assemble(model, state);
  BOOST_TEST(report.converged, report.message);
  BOOST_TEST(report.iterations <= 8);
  BOOST_TEST(body.rigidity(state).e.norm() <= 20 * eps);
  const ConstraintAnalysis a = analyse_constraints(model, state);
  BOOST_TEST(a.position_violation <= 20 * eps);
  BOOST_TEST(a.velocity_violation <= 20 * eps * 5);
  BOOST_TEST((body.rigidity(state).C * state.rates).norm() <= 20 * eps * 5); // the rates are those of a rigid body
}

BOOST_AUTO_TEST_CASE(fixed_bodies_stay) {
  Mechanism m = hanging_chain(3, ChainJoint::spherical);
  Random random(5);
  shake(m, 0.1, random, m.initial);
  State state = m.initial;
  // The last body is hung by one joint only, so the others can follow.
  const AssemblyReport report = assemble(*m.model, state, {{m.bodies[2]}});
  BOOST_TEST(report.converged);
  BOOST_TEST(report.bodies[2].distance == 0);
  BOOST_TEST(report.bodies[2].angle == 0);
  BOOST_TEST(report.bodies[0].distance > 0.01);
}

// The parallel axes of a four-bar linkage cannot all be met if one of them is tilted in its body: the loop is named,
// and the misfit that is left is of the size of the tilt.
BOOST_AUTO_TEST_CASE(contradicting_joints_are_reported_with_what_is_left) {
  Model model;
  const Body& bar = FrameBody::add_to(model, "bar", 1, Mat3::Identity());
  model.add(spherical_joint("left", model.ports(), {Model::ground, {0, 0, 0}}, {bar.port(), {-1, 0, 0}}));
  model.add(spherical_joint("right", model.ports(), {Model::ground, {2.001, 0, 0}}, {bar.port(), {1, 0, 0}}));
  State state = model.rest_state();
  bar.set_motion(at({1.2, 0.1, 0}), state);
  const AssemblyReport report = assemble(model, state);
  BOOST_TEST(!report.converged);
  // least squares: both ends are off by half the misfit
  BOOST_TEST(std::abs(report.gap - 0.0005) <= 1e-9);
  BOOST_TEST(report.message.find("(spherical joint), position along x [m]") != std::string::npos);
}

// A body at the end of an arm of 1.5 m: its centre may not move along the arm, and turning goes with moving. Against
// the projection worked out by hand: v along y, joint at (0, 0, 1.5), inertia J about x.
BOOST_AUTO_TEST_CASE(velocities_are_projected_in_the_metric_of_the_masses) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  m.bodies[0]->set_motion({{0, 0, -1.5}, Quaternion::Identity(), {0, 2, 3}, {0.5, 0, 0.7}}, m.initial);
  State state = m.initial;
  const AssemblyReport report = assemble(*m.model, state);
  BOOST_TEST(report.converged);
  const BodyMotion motion = m.bodies[0]->motion(state);
  // Momentum about the joint is kept: (m v r + J w) about x, with v = 1.5 w.
  const double spin = (12 * 2 * 1.5 + 9.25 * 0.5) / (12 * 2.25 + 9.25);
  const double tolerance = 20 * eps * 5; // momenta of 40 N m s over inertias of 36 kg m², some twenty terms
  BOOST_TEST((motion.velocity - Vec3(0, 1.5 * spin, 0)).norm() <= tolerance);
  BOOST_TEST((motion.angular_velocity - Vec3(spin, 0, 0.7)).norm() <= tolerance);
  BOOST_TEST(report.velocity_gap <= 20 * eps * 5);
  BOOST_TEST(std::abs(report.bodies[0].velocity - (motion.velocity - Vec3(0, 2, 3)).norm()) <= 10 * eps);
}

BOOST_AUTO_TEST_SUITE_END()
