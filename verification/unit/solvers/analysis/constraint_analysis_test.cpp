/// Numbering of the equations, rank and redundancy of the joints.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/assembly/numbering.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

using namespace emmy;
using namespace emmy::test;

namespace {
Numbering numbering_of(const Model& model) {
  const TwoPointEquations equations(model);
  const BlockGraph graph(model, ConstraintSet(equations, {}));
  return {model, graph, BlockMatrix(graph)};
}
} // namespace

BOOST_AUTO_TEST_SUITE(Numbering_)

BOOST_AUTO_TEST_CASE(numbers_every_equation_once) {
  const Mechanism m = four_bar();
  const Numbering numbering = numbering_of(*m.model);
  std::set<Index> rows(numbering.row_of_unknown.begin(), numbering.row_of_unknown.end());
  rows.insert(numbering.row_of_multiplier.begin(), numbering.row_of_multiplier.end());
  BOOST_TEST(static_cast<Index>(rows.size()) == m.model->unknowns() + m.model->multipliers());
  BOOST_TEST(*rows.begin() == 0);
  BOOST_TEST(*rows.rbegin() == static_cast<Index>(rows.size()) - 1);
}

// A factorisation without pivoting must not meet the zero diagonal of a multiplier before its bodies.
BOOST_AUTO_TEST_CASE(puts_multipliers_after_all_bodies_they_act_on) {
  for (const Mechanism& m : {hanging_chain(7, ChainJoint::revolute), four_bar()}) {
    const Numbering numbering = numbering_of(*m.model);
    for (const auto& element : m.model->elements())
      for (Index i = 0; i < element->multipliers(); ++i)
        for (const Node& node : element->nodes())
          BOOST_TEST(numbering.row_of_multiplier[static_cast<std::size_t>(element->first_multiplier() + i)] >
                     numbering.row_of_unknown[static_cast<std::size_t>(node.unknown + node.unknowns() - 1)]);
  }
}

// Whatever the order of input, no body or joint of a chain or tree is coupled with more than its two neighbours of a
// kind when its turn comes: factors grow in proportion to the model.
BOOST_AUTO_TEST_CASE(chains_do_not_fill_up) {
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute}) {
    const Mechanism m = hanging_chain(20, joint);
    const TwoPointEquations equations(*m.model);
    const BlockGraph graph(*m.model, ConstraintSet(equations, {}));
    const Elimination elimination(graph);
    for (const auto& behind : elimination.behind)
      BOOST_TEST(behind.size() <= (joint == ChainJoint::spherical ? 2U : 4U)); // hinges couple rotations, too
  }
}

// Eliminated before its joints, a hub would couple them all: the matrix would fill up.
BOOST_AUTO_TEST_CASE(joints_of_a_hub_come_before_it_but_after_their_arms) {
  Model model;
  const Body& hub = FrameBody::add_to(model, "hub", 1, Mat3::Identity());
  std::vector<const Body*> arms;
  std::vector<const Joint*> joints;
  for (int i = 0; i < 20; ++i) {
    arms.push_back(&FrameBody::add_to(model, "arm" + std::to_string(i), 1, Mat3::Identity()));
    joints.push_back(&model.add(
        revolute_joint("joint" + std::to_string(i), model.ports(), {hub.port()}, {arms.back()->port(), {1, 0, 0}})));
  }
  const Numbering numbering = numbering_of(model);
  const auto row_of = [&](const Body& body) {
    return numbering.row_of_unknown[static_cast<std::size_t>(body.nodes().front().unknown)];
  };
  int after_arm = 0, before_hub = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const Index row = numbering.row_of_multiplier[static_cast<std::size_t>(joints[i]->first_multiplier())];
    after_arm += row > row_of(*arms[i]) ? 1 : 0;
    before_hub += row < row_of(hub) ? 1 : 0;
  }
  // The order ends with one arm, whose joint is the last thing that holds the hub.
  BOOST_TEST(after_arm >= 19);
  BOOST_TEST(before_hub >= 19);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ConstraintAnalysis_)

BOOST_AUTO_TEST_CASE(a_hanging_chain_has_no_redundancy) {
  const Mechanism m = hanging_chain(4, ChainJoint::revolute);
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(a.equations == 20);
  BOOST_TEST(a.rank == 20);
  BOOST_TEST(a.degrees_of_freedom() == 4);
  BOOST_TEST(a.redundant.empty());
  BOOST_TEST(a.position_violation <= 1e-14); // rounding of coordinates of 10 m
}

// Planar linkage in space: 20 equations, rank 17; every hinge belongs to the redundant loop [S1].
BOOST_AUTO_TEST_CASE(a_planar_four_bar_has_three_redundant_equations) {
  const Mechanism m = four_bar();
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(a.rank == 17);
  BOOST_TEST(a.redundancy() == 3);
  BOOST_TEST(a.degrees_of_freedom() == 1);
  BOOST_TEST(a.redundant == (std::vector<std::string>{"A", "B", "C", "D"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_doubled_joint_is_named_and_the_others_are_not) {
  Mechanism m = hanging_chain(3, ChainJoint::spherical);
  m.model->add(spherical_joint("twin", m.model->ports(), {m.bodies[0]->port(), {0, 0, -1.5}},
                               {m.bodies[1]->port(), {0, 0, 1.5}}));
  m.initial.multipliers.setZero(m.model->multipliers());
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(a.redundancy() == 3);
  BOOST_TEST(a.redundant == (std::vector<std::string>{"joint2", "twin"}), boost::test_tools::per_element());
}

// 453 rows of which three depend on three others, 70 joints down the chain.
BOOST_AUTO_TEST_CASE(large_models_are_analysed_too) {
  Mechanism m = hanging_chain(150, ChainJoint::spherical);
  m.model->add(spherical_joint("twin", m.model->ports(), {m.bodies[70]->port(), {0, 0, -1.5}},
                               {m.bodies[71]->port(), {0, 0, 1.5}}));
  m.initial.multipliers.setZero(m.model->multipliers());
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(a.rank == 450);
  BOOST_TEST(a.redundancy() == 3);
  BOOST_TEST(a.redundant == (std::vector<std::string>{"joint72", "twin"}), boost::test_tools::per_element());
}

// Twelve unknowns of which six are the body's own affair: joints count as on any other body.
BOOST_AUTO_TEST_CASE(rigidity_of_director_bodies_is_not_counted_as_joints) {
  Model model;
  const Body& first = DirectorBody::add_to(model, "first", 1, Mat3::Identity());
  const Body& second = DirectorBody::add_to(model, "second", 1, Mat3::Identity());
  model.add(revolute_joint("hinge", model.ports(), {first.port()}, {second.port()}));
  State state = model.rest_state();
  for (const Body* body : model.bodies())
    body->set_motion({Vec3::Zero(), exponential({0.3, 0.2, -0.5}), Vec3::Zero(), Vec3::Zero()}, state);
  const ConstraintAnalysis a = analyse_constraints(model, state);
  BOOST_TEST(a.unknowns == 24);
  BOOST_TEST(a.internal == 12);
  BOOST_TEST(a.equations == 5);
  BOOST_TEST(a.rank == 5);
  BOOST_TEST(a.degrees_of_freedom() == 7);
  BOOST_TEST(a.redundant.empty());

  model.add(fixed_joint("weld", model.ports(), {first.port()}, {second.port()}));
  state.multipliers.setZero(model.multipliers());
  const ConstraintAnalysis b = analyse_constraints(model, state);
  BOOST_TEST(b.redundancy() == 5);
  BOOST_TEST(b.degrees_of_freedom() == 6);
  BOOST_TEST(b.redundant == (std::vector<std::string>{"hinge", "weld"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(violations_are_measured_and_the_worst_joint_is_named) {
  Mechanism m = hanging_chain(3, ChainJoint::spherical);
  BodyMotion moved = m.bodies[2]->motion(m.initial);
  moved.position.x() += 0.01;
  moved.velocity.y() = 0.5;
  m.bodies[2]->set_motion(moved, m.initial);
  const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
  BOOST_TEST(std::abs(a.position_violation - 0.01) <= 1e-14);
  BOOST_TEST(std::abs(a.velocity_violation - 0.5) <= 1e-14);
  BOOST_TEST(a.worst_position == "joint3");
  BOOST_TEST(a.worst_velocity == "joint3");
}

BOOST_AUTO_TEST_SUITE_END()
