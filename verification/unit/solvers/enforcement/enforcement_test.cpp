/// Joints by penalty and augmented Lagrangian in the energy-momentum integrator: docs/theory/augmented_lagrangian.md.
#include "elements/bodies/frame.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "verification/support/enforcement.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <Eigen/SVD>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

/// Angle of a body about z, continued from an angle next to it.
double angle_of(const Body& body, const State& state, double near) {
  const Vec3 x = body.motion(state).orientation * Vec3::UnitX();
  const double angle = std::atan2(x.y(), x.x());
  return angle + 2 * M_PI * std::round((near - angle) / (2 * M_PI));
}

double out_of_plane(const Mechanism& m, const State& state) {
  double largest = 0;
  for (const Body* body : m.bodies)
    largest = std::max(largest, std::abs(body->motion(state).position.z()));
  return largest;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Enforcement_)

// Section 9 of the notes: 20 equations of rank 17, h = 0.01, 2 s; -4.3164473 is the angle of the crank by an
// independent solution with one unknown, and the scheme is off by -1.54e-4 at this step whatever the enforcement.
BOOST_AUTO_TEST_CASE(nested_loop_carries_a_redundant_linkage) {
  Mechanism m = four_bar();
  enforce_joints(*m.model, augmented(1e3));
  Run run(*m.model, m.initial, form(false, 1e-10));
  double phi = M_PI / 3, off_plane = 0;
  for (int i = 0; i < 200; ++i) {
    BOOST_TEST_REQUIRE(run.steps(1, 0.01), run.why);
    phi = angle_of(*m.bodies[0], run.state, phi);
    off_plane = std::max(off_plane, out_of_plane(m, run.state));
  }
  BOOST_TEST(run.ledger.max_energy_imbalance() < 3e-7);
  BOOST_TEST(run.ledger.max_position_violation() < 1e-10);
  BOOST_TEST(std::abs(phi + 4.3166) < 1e-4);
  BOOST_TEST(run.max_sweeps <= 8);
  BOOST_TEST(run.max_sweeps >= 2);
  BOOST_TEST(off_plane < 1e-12);
}

BOOST_AUTO_TEST_CASE(merged_form_carries_a_redundant_linkage_to_rounding) {
  Mechanism m = four_bar();
  enforce_joints(*m.model, augmented(1e7));
  Run run(*m.model, m.initial, form(true, 1e-13));
  BOOST_TEST_REQUIRE(run.steps(200, 0.01), run.why);
  BOOST_TEST(run.ledger.max_energy_imbalance() < 5e-11);
  BOOST_TEST(run.ledger.max_position_violation() < 1e-13);
  BOOST_TEST(run.mean_iterations() < 3.2);
  BOOST_TEST(run.max_iterations <= 4);
}

// A softer r needs more iterations for the same result: what a linear rate leaves has the same sign in every step and
// must be negligible too, or 200 steps add up to 1e-12 J. The linkage exchanges 60 J, of which rounding leaves 1e-13.
BOOST_AUTO_TEST_CASE(merged_form_ends_when_its_own_error_is_negligible) {
  Mechanism m = four_bar();
  enforce_joints(*m.model, augmented(1e3));
  Run run(*m.model, m.initial, form(true));
  BOOST_TEST_REQUIRE(run.steps(200, 0.01), run.why);
  BOOST_TEST(run.ledger.max_energy_imbalance() < 4e-13);
}

// The proximal block, which makes unknown multipliers solvable, is off here. PETSc's own factorisation and KLU take
// rounding for pivots and happen to survive; those that look at their pivots do not.
BOOST_AUTO_TEST_CASE(unknown_multipliers_of_a_redundant_linkage_are_singular) {
  for (const LinearSolver linear : {LinearSolver::umfpack, LinearSolver::mumps}) {
    Mechanism m = four_bar();
    NewtonOptions options;
    options.linear = linear;
    Run run(*m.model, m.initial, options);
    BOOST_TEST(!run.steps(2, 0.01));
    BOOST_TEST(run.why.find("the linear system is singular") == 0, run.why);
  }
}

// [A16]: a step changes the energy by force times change of the constraint, so the error falls with the tolerance.
BOOST_AUTO_TEST_CASE(energy_error_is_proportional_to_the_tolerance) {
  std::vector<double> error;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    Mechanism m = four_bar();
    enforce_joints(*m.model, augmented(100));
    Run run(*m.model, m.initial, form(false, tolerance));
    BOOST_TEST_REQUIRE(run.steps(200, 0.01), run.why);
    BOOST_TEST(run.ledger.max_position_violation() < tolerance);
    error.push_back(run.ledger.max_energy_imbalance() / tolerance);
  }
  // Reactions reach 221 N and errors of 200 steps add up: between one and some thousand times the tolerance.
  for (const double e : error) {
    BOOST_TEST(e < 5e3);
    BOOST_TEST(e > 50);
  }
}

// [A21]: no part of the reactions of joints that repeat one another does nothing. One stiffness for all rows makes the
// metric in which they are the smallest a plain one.
BOOST_DATA_TEST_CASE(reactions_are_the_smallest, data::make({true, false}), merged) {
  constexpr double h = 1e-4;
  Mechanism m = four_bar();
  enforce_joints(*m.model, augmented(0, 1e5 * 2 / (h * h)));
  Run run(*m.model, m.initial, form(merged, 1e-15));
  BOOST_TEST_REQUIRE(run.steps(1, h), run.why);
  const MatX G = MatX(linearise_statics(*m.model, run.state).G).topRows(m.model->multipliers());
  const Eigen::JacobiSVD<MatX> svd(G, Eigen::ComputeFullU);
  const Index rank = 17;
  BOOST_TEST_REQUIRE(svd.singularValues()[rank] < 1e-12 * svd.singularValues()[0]);
  const VecX& lambda = run.state.multipliers;
  const VecX idle = svd.matrixU().rightCols(lambda.size() - rank).transpose() * lambda;
  BOOST_TEST(lambda.norm() > 10); // the linkage weighs 47 N
  // Forces act through mean gradients, from which those of the end differ by g h² = 1e-7; the rest is r times rounding
  // of the constraints.
  BOOST_TEST(idle.norm() < 1e-6 * lambda.norm());
}

// The parallelogram turns through its flat positions, where its equations depend on one another.
BOOST_AUTO_TEST_CASE(nested_loop_passes_flat_positions) {
  Mechanism m = parallelogram();
  enforce_joints(*m.model, augmented(1e3));
  Run run(*m.model, m.initial, form(false, 1e-10));
  double coupler = 0;
  for (int i = 0; i < 200; ++i) {
    BOOST_TEST_REQUIRE(run.steps(1, 0.01), run.why);
    coupler = std::max(coupler, std::abs(angle_of(*m.bodies[1], run.state, 0)));
  }
  BOOST_TEST(run.ledger.max_energy_imbalance() < 4e-8 * 3); // as the notes' figure, with the margin of their tests
  BOOST_TEST(run.max_sweeps <= 8);
  BOOST_TEST(coupler < 1e-9); // on its branch the coupler stays level, to the tolerance of the constraints
}

// A second hinge of the crank, tilted by alpha, leaves constraints that cannot all hold once it turns. The error stays;
// the energy is lost like beta alpha², and a person is told. At the largest tilt growing multipliers keep all equations
// off their floor.
BOOST_DATA_TEST_CASE(contradicting_joints_are_named_and_survived, data::make({1e-8, 1e-6, 1e-4}), alpha) {
  Mechanism m = four_bar();
  add_tilted_hinge(m, alpha);
  enforce_joints(*m.model, augmented(1e3));
  NewtonOptions options = form(true);
  options.augmented.cold = true;
  Run run(*m.model, m.initial, options);
  BOOST_TEST(run.steps(200, 0.01), run.why);
  BOOST_TEST(run.warnings.find("contradict others") != std::string::npos);
  // 8e-11, 6e-8 and 4e-4 J in another program with other unknowns; beta alpha² with the stiffness 2 m / h² = 4e4 N/m of
  // the heaviest link is 4e7 alpha² J
  BOOST_TEST(run.ledger.max_energy_imbalance() < 4e7 * alpha * alpha + 1e-9);
}

// Every joint of a chain enforced differently: one model, and the motion is that of multipliers throughout.
BOOST_AUTO_TEST_CASE(strategies_mix_in_one_model) {
  const auto positions = [](const std::vector<Enforcement>& how, bool merged) {
    Mechanism m = hanging_chain(4, ChainJoint::revolute);
    std::size_t i = 0;
    for (const auto& element : m.model->elements())
      if (element->multipliers() > 0)
        m.model->enforce(*element, how[i++ % how.size()]);
    Run run(*m.model, m.initial, form(merged, merged ? 0 : 1e-12));
    BOOST_TEST_REQUIRE(run.steps(50, 0.01), run.why);
    BOOST_TEST(run.ledger.relative_energy_imbalance() < (merged ? 1e-12 : 1e-9));
    BOOST_TEST(run.ledger.relative_angular_imbalance() < 1e-11);
    VecX all(12);
    for (std::size_t b = 0; b < 4; ++b)
      all.segment<3>(static_cast<Index>(3 * b)) = m.bodies[b]->motion(run.state).position;
    return all;
  };
  const VecX reference = positions({lagrange}, true);
  BOOST_TEST((positions({augmented()}, true) - reference).norm() < 1e-11);
  BOOST_TEST((positions({augmented(), lagrange}, true) - reference).norm() < 1e-11);
  BOOST_TEST((positions({lagrange, augmented()}, false) - reference).norm() < 1e-9);
  // A spring of 1e9 N/m under some 1e3 N gives way by 1e-6 m; it is no longer the same motion, but nearly.
  BOOST_TEST((positions({augmented(), lagrange, penalty(1e9)}, true) - reference).norm() < 1e-3);
}

BOOST_AUTO_TEST_CASE(penalty_stores_what_it_takes) {
  Mechanism m = hanging_chain(2, ChainJoint::spherical);
  enforce_joints(*m.model, penalty(1e5));
  Run run(*m.model, m.initial, NewtonOptions{});
  BOOST_TEST_REQUIRE(run.steps(200, 0.01), run.why);
  BOOST_TEST(run.ledger.max_position_violation() > 1e-3); // the springs do give way
  BOOST_TEST(run.ledger.relative_energy_imbalance() < 1e-12);
  BOOST_TEST(run.ledger.relative_angular_imbalance() < 1e-12);
}

// Rows of a rigid body are lengths at the end of the step: what a tolerance leaves of them does not alternate and grow.
BOOST_AUTO_TEST_CASE(lengths_of_a_rigid_body_stay_within_the_tolerance) {
  constexpr double tolerance = 1e-8;
  const Spinner spinner(SpringTetraOptions{}, augmented(10));
  Run run(spinner.model, spinner.initial, form(false, tolerance));
  BOOST_TEST_REQUIRE(run.steps(1000, 0.02), run.why);
  // Springs between base vectors of length one: an angle of two of them changes by no more than four lengths do.
  BOOST_TEST(run.ledger.max_rigidity_violation() < 4 * tolerance);
  // [A16]: 15 J hold the body together, and lengths that stay within the tolerance give back what they take
  BOOST_TEST(run.ledger.max_energy_imbalance() < 1000 * tolerance);
}

// A rigid body by a penalty is the elastic body of that stiffness, energy included.
BOOST_AUTO_TEST_CASE(penalty_of_a_rigid_body_is_elastic) {
  SpringTetraOptions elastic;
  elastic.rigid = false;
  elastic.stiffness = 1e4;
  const Spinner a(SpringTetraOptions{}, penalty(1e4)), b(elastic);
  Run by_penalty(a.model, a.initial, NewtonOptions{}), by_springs(b.model, b.initial, NewtonOptions{});
  BOOST_TEST_REQUIRE(by_penalty.steps(200, 0.02), by_penalty.why);
  BOOST_TEST_REQUIRE(by_springs.steps(200, 0.02), by_springs.why);
  BOOST_TEST(by_penalty.ledger.relative_energy_imbalance() < 1e-12);
  BOOST_TEST(by_penalty.ledger.last().strain > 1e-3);
  BOOST_TEST(by_penalty.ledger.last().strain == by_penalty.ledger.last().potential); // the same number, and no other
  BOOST_TEST((by_penalty.state.values - by_springs.state.values).norm() < 1e-9);     // rounding of 1e4 J in 200 steps
}

// [A13] on a ball that is held in a plane: sigma = h²/(2 m), one row, linear.
BOOST_DATA_TEST_CASE(sweeps_are_those_that_the_contraction_predicts,
                     data::make({0.1, 0.5, 2.0, 20.0}) * data::make({1.0, 1.5}), r_sigma, relaxation) {
  constexpr double mass = 2, h = 0.01, tolerance = 1e-10;
  Model model;
  const Body& ball = PointMass::add_to(model, "ball", mass);
  model.add(std::make_unique<Gravity>("weight", model.ports(), ball.port(), mass, Vec3(0, 0, -g_earth)));
  Mat3 axes;
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  const JointSide plane{Model::ground, Vec3::Zero(), axes}, at{ball.port(), Vec3::Zero(), axes};
  Joint& joint = model.add(point_on_plane_joint("plane", model.ports(), plane, at));
  const double sigma = h * h / (2 * mass);
  model.enforce(joint, augmented(0, r_sigma / sigma));
  NewtonOptions options = form(false, tolerance);
  options.augmented.growth = false;
  options.augmented.relaxation = relaxation;
  options.augmented.max_sweeps = 1000;
  Run run(model, model.rest_state(), options);
  BOOST_TEST_REQUIRE(run.steps(1, h), run.why);
  // Without any force the ball falls by sigma m g; the first sweep leaves 1 / (1 + r sigma) of it.
  const double first = sigma * mass * g_earth / (1 + r_sigma);
  const double contraction = std::abs(1 - relaxation * r_sigma / (1 + r_sigma)); // [A11]
  const double predicted = 1 + std::log(tolerance / first) / std::log(contraction);
  BOOST_TEST(std::abs(static_cast<double>(run.sweeps) - predicted) <= std::max(2.0, 0.15 * predicted));
}

// [A14]: beta times the stiffness 2 m / h² of the bodies. The ball of the plane is one of 2 kg.
BOOST_AUTO_TEST_CASE(stiffness_follows_mass_and_step) {
  const Ball ball(1, augmented(100));
  const TwoPointEquations equations(ball.model);
  ConstraintSet constraints(equations, {});
  const auto* floor = dynamic_cast<const AugmentedLagrangian*>(constraints.of(1));
  BOOST_TEST_REQUIRE(floor != nullptr);
  for (const double h : {0.1, 0.01}) {
    constraints.begin_step(ball.at(0, -1), h);
    BOOST_TEST(floor->stiffness()[0] == 100 * 2 * Ball::mass / (h * h), boost::test_tools::tolerance(1e-12));
  }
}

// A force at an arm turns the body as well: 1 / m_eff = 1/m + arm²/J.
BOOST_AUTO_TEST_CASE(stiffness_knows_levers) {
  Model model;
  const double mass = 3, J = 0.5, arm = 0.7, h = 0.01;
  const Body& body = FrameBody::add_to(model, "body", mass, Vec3(J, J, J).asDiagonal());
  Mat3 axes;
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  model.add(wall("floor", model.ports(), {Model::ground, Vec3::Zero(), axes},
                 body_point(body.port(), Vec3(arm, 0, 0.2)), 0, 1),
            augmented(100));
  const TwoPointEquations equations(model);
  ConstraintSet constraints(equations, {});
  constraints.begin_step(model.rest_state(), h);
  const auto* floor = dynamic_cast<const AugmentedLagrangian*>(constraints.of(1));
  BOOST_TEST_REQUIRE(floor != nullptr);
  BOOST_TEST(floor->stiffness()[0] == 100 * 2 / (h * h) / (1 / mass + arm * arm / J),
             boost::test_tools::tolerance(1e-12));
}

// Residual against matrix, by differences, with multipliers held where an iteration improves them.
BOOST_AUTO_TEST_CASE(tangents_are_exact) {
  const double h = 0.02;
  Mechanism m = hanging_chain(3, ChainJoint::revolute);
  Mat3 axes;
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  std::vector<Limit*> walls;
  for (const Body* body : m.bodies)
    walls.push_back(
        &m.model->add(wall("wall of " + body->name(), m.model->ports(), {Model::ground, Vec3(0, 0, 1), axes},
                           body_point(body->port(), Vec3(0.1, 0.2, -1)), 0, 0.5)));
  m.initial.multipliers.setZero(m.model->multipliers());
  Random random(5);
  m.initial.rates = random.numbers(m.model->unknowns(), 0.5);
  const std::vector<Enforcement> kinds{penalty(1e6), augmented(10), lagrange};
  std::size_t i = 0;
  for (const auto& element : m.model->elements())
    if (element->multipliers() > 0)
      m.model->enforce(*element, kinds[i++ % 3]);
  TwoPointEquations equations(*m.model);
  Assembler assembler(equations, form(false).augmented);
  VecX x(assembler.size()), f(assembler.size());
  assembler.begin_step(m.initial, h);
  assembler.start_freely(x.data());
  x += random.numbers(x.size(), 1e-3);
  BOOST_TEST_REQUIRE(assembler.evaluate_closely(x.data(), f.data()));
  assembler.fill_matrix();
  MatX K(x.size(), x.size());
  for (int row = 0; row < static_cast<int>(x.size()); ++row)
    for (int column = 0; column < static_cast<int>(x.size()); ++column)
      MatGetValues(assembler.matrix(), 1, &row, 1, &column, &K(row, column));
  const double d = 1e-6; // of quadratic functions with moderate third derivatives
  for (Index column = 0; column < x.size(); ++column) {
    VecX moved = x, ahead(x.size()), behind(x.size());
    moved[column] = x[column] + d;
    BOOST_TEST_REQUIRE(assembler.evaluate_closely(moved.data(), ahead.data()));
    moved[column] = x[column] - d;
    BOOST_TEST_REQUIRE(assembler.evaluate_closely(moved.data(), behind.data()));
    const VecX difference = (ahead - behind) / (2 * d);
    BOOST_TEST((difference - K.col(column)).norm() < 1e-7 * (1 + K.norm()));
  }
}

// Fixed at ten times the stiffness of the bodies the loop gives up; with growth it does not.
BOOST_AUTO_TEST_CASE(stiffness_grows_where_sweeps_gain_too_little) {
  for (const bool grows : {false, true}) {
    Mechanism m = four_bar();
    enforce_joints(*m.model, augmented(1));
    NewtonOptions options = form(false, 1e-10);
    options.augmented.growth = grows;
    Run run(*m.model, m.initial, options);
    BOOST_TEST(run.steps(100, 0.01) == grows);
    if (grows)
      BOOST_TEST(run.max_sweeps <= 13); // as found by another program
  }
}

// Too soft for its own iteration, and without anything to contradict: it must converge in the end or fail, and never
// pass for a contradiction.
BOOST_DATA_TEST_CASE(slow_convergence_is_no_contradiction, data::make({1e2, 1e4}), stiffness) {
  for (const bool cold : {false, true}) {
    Mechanism m = hanging_chain(1, ChainJoint::revolute);
    enforce_joints(*m.model, augmented(0, stiffness));
    NewtonOptions options = form(true);
    options.augmented.cold = cold;
    Run run(*m.model, m.initial, options);
    const bool converged = run.steps(100, 1e-3);
    BOOST_TEST(run.warnings == "");
    if (converged)
      BOOST_TEST(run.ledger.max_position_violation() < 1e-9);
    else
      BOOST_TEST(run.why.find("'joint1'") != std::string::npos, run.why);
  }
}

// The merged form ends with its constraints within the tolerance, whatever residuals are asked of the other equations.
BOOST_DATA_TEST_CASE(merged_form_keeps_to_the_tolerance, data::make({0.0, 1e-6}), residual) {
  for (const double beta : {30.0, 1e4}) {
    Mechanism m = hanging_chain(2, ChainJoint::revolute);
    enforce_joints(*m.model, augmented(beta));
    NewtonOptions options = form(true, 1e-9);
    options.tolerance = residual;
    options.max_iterations = 60;
    Run run(*m.model, m.initial, options);
    BOOST_TEST_REQUIRE(run.steps(50, 0.01), run.why);
    BOOST_TEST(run.ledger.max_position_violation() <= 1e-9);
  }
}

BOOST_AUTO_TEST_SUITE_END()
