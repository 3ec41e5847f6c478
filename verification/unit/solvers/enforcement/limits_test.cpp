/// Analyses that know equalities only leave limits out: an open gap holds nothing and violates nothing.
#include "elements/forces/gravity.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/initial_assembly.hpp"
#include "solvers/analysis/modes.hpp"
#include "solvers/analysis/static_equilibrium.hpp"
#include "solvers/integrators/explicit/rigid_constraints.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Chain of two boxes of 3 m at the origin with a floor `depth` below it that the end of the chain is to keep off, and
/// a rope of 20 m, which is never taut. The floor comes before the joints, so that rows are not where they would be
/// without it.
Mechanism limited_chain(double depth) {
  Mechanism m;
  const Mechanism plain = hanging_chain(2, ChainJoint::spherical);
  for (const Body* like : plain.bodies) {
    const RigidInertia inertia = *like->rigid_inertia();
    m.bodies.push_back(&body_makers().front().add(*m.model, like->name(), inertia.mass, inertia.J));
  }
  const Ports& ports = m.model->ports();
  const Vec3 top(0, 0, 1.5), bottom(0, 0, -1.5);
  JointSide floor;
  floor.at = Vec3(0, 0, -depth);
  floor.axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  for (const Body* body : m.bodies)
    m.model->add(std::make_unique<Gravity>("weight", ports, body->port(), body->mass(), Vec3(0, 0, -9.81)));
  m.model->add(wall("floor", ports, floor, body_point(m.bodies[1]->port(), bottom), 0, 1));
  m.model->add(spherical_joint("joint1", ports, {}, {m.bodies[0]->port(), top}));
  m.model->add(rope("rope", ports, body_point(Model::ground, Vec3::Zero()), body_point(m.bodies[1]->port(), bottom),
                    {{}, 20}, 1));
  m.model->add(spherical_joint("joint2", ports, {m.bodies[0]->port(), bottom}, {m.bodies[1]->port(), top}));
  m.initial = m.model->rest_state();
  for (std::size_t i = 0; i < 2; ++i)
    m.bodies[i]->set_motion(plain.bodies[i]->motion(plain.initial), m.initial);
  m.model->begin(m.initial);
  return m;
}

} // namespace

BOOST_AUTO_TEST_SUITE(LimitsInAnalyses)

BOOST_AUTO_TEST_CASE(open_limits_are_no_constraints_and_violate_nothing) {
  const Mechanism m = limited_chain(10);
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(m.model->multipliers() == 8);
  BOOST_TEST(a.equations == 6);
  BOOST_TEST(a.rank == 6);
  BOOST_TEST(a.degrees_of_freedom() == 6);
  BOOST_TEST(a.redundant.empty());
  BOOST_TEST(a.position_violation <= 1e-14); // rounding of coordinates of some metres
  BOOST_TEST(a.penetration == 0);
  BOOST_TEST(a.deepest.empty());
}

// The end of the chain is below the hook or not: a floor one metre above it is violated by a metre.
BOOST_AUTO_TEST_CASE(the_deepest_penetration_is_measured_and_named) {
  const Mechanism m = limited_chain(10);
  const BodyMotion last = m.bodies[1]->motion(m.initial);
  const double height = (last.position + last.orientation * Vec3(0, 0, -1.5)).z();
  const Mechanism deep = limited_chain(-height - 1);
  const ConstraintAnalysis a = analyse_constraints(*deep.model, deep.initial);
  BOOST_TEST(std::abs(a.penetration - 1) <= 1e-14);
  BOOST_TEST(a.deepest == "floor");
  BOOST_TEST(a.deepest_row == "lower bound [m]");
  BOOST_TEST(a.position_violation <= 1e-14);
}

// Also where the bodies hang on a limit as they would on a joint: the doubled joint repeats rows, the limits do not.
BOOST_AUTO_TEST_CASE(rows_of_limits_repeat_nothing_and_keep_their_places) {
  Mechanism m = limited_chain(10);
  const Ports& ports = m.model->ports();
  m.model->add(rope("again", ports, body_point(Model::ground, Vec3::Zero()),
                    body_point(m.bodies[1]->port(), {0, 0, -1.5}), {{}, 20}, 1));
  m.model->add(spherical_joint("twin", ports, {}, {m.bodies[0]->port(), {0, 0, 1.5}}));
  m.initial.multipliers.setZero(m.model->multipliers());
  const std::vector<bool> repeated = repeated_rows(*m.model, m.initial);
  const std::vector<bool> expected{false, false, false, false, false, false, false, false, false, true, true, true};
  BOOST_TEST(repeated == expected, boost::test_tools::per_element());
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(a.redundancy() == 3);
  BOOST_TEST(a.redundant == (std::vector<std::string>{"joint1", "twin"}), boost::test_tools::per_element());
  const VecX scales = proximal_scales(*m.model, m.initial);
  BOOST_TEST(scales.size() == 12);
  BOOST_TEST(scales.minCoeff() > 0);
  BOOST_TEST(agree("two ropes alike", scales[8], scales[4], 10 * eps * scales[4]));
}

BOOST_AUTO_TEST_CASE(assembly_closes_joints_and_leaves_gaps_as_they_are) {
  const Mechanism m = limited_chain(10);
  State state = m.initial;
  const AssemblyReport untouched = assemble(*m.model, state);
  BOOST_TEST(untouched.converged);
  BOOST_TEST(untouched.iterations == 0);
  BodyMotion off = m.bodies[1]->motion(state);
  off.position.x() += 0.1;
  off.velocity = Vec3(0, 1, -2);
  m.bodies[1]->set_motion(off, state);
  const AssemblyReport closed = assemble(*m.model, state);
  BOOST_TEST(closed.converged);
  const ConstraintAnalysis a = analyse_constraints(*m.model, state);
  BOOST_TEST(a.position_violation <= 1e-14);
  BOOST_TEST(a.velocity_violation <= 1e-12);
}

BOOST_AUTO_TEST_CASE(rows_of_limits_are_empty_in_the_linear_equations) {
  const Mechanism m = limited_chain(-1);
  const Statics s = linearise_statics(*m.model, m.initial);
  const SparseMatrix columns = s.G.transpose();
  for (const Index row : {0, 4}) {
    BOOST_TEST(columns.col(row).norm() == 0);
    BOOST_TEST(s.phi[row] == 0);
  }
  BOOST_TEST(s.rows[0].name() == "'floor' (wall), lower bound [m]");
  BOOST_TEST(s.rows[4].name() == "'rope' (rope), upper bound [m]");
  BOOST_TEST((s.rows[4].kind == ConstraintRow::Kind::limit));
}

// The chain of 6 m hangs straight down, through a floor at 5 m that statics do not see.
BOOST_AUTO_TEST_CASE(statics_and_modes_do_not_see_limits) {
  const Mechanism m = limited_chain(5);
  State state = m.initial;
  const EquilibriumReport report = find_equilibrium(*m.model, state);
  BOOST_TEST(report.converged);
  const BodyMotion last = m.bodies[1]->motion(state);
  BOOST_TEST(agree("end", Vec3(last.position + last.orientation * Vec3(0, 0, -1.5)), Vec3(0, 0, -6), 1e-6));
  BOOST_TEST(state.multipliers[0] == 0);
  BOOST_TEST(state.multipliers[4] == 0);
  BOOST_TEST(find_modes(*m.model, state, {}).degrees_of_freedom == 6);
}

BOOST_AUTO_TEST_CASE(explicit_integrators_refuse_limits_by_name) {
  const Mechanism m = limited_chain(10);
  const RigidSystem system(*m.model);
  BOOST_CHECK_EXCEPTION(RigidConstraints{system}, std::invalid_argument, [](const std::invalid_argument& e) {
    return std::string(e.what()).find("'floor' (wall)") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
