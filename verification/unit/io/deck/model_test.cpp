/// What good decks contain after reading: formulations, joints and their drives, forces, analyses.
#include "io/deck/schema.hpp"
#include "verification/unit/io/deck/support.hpp"

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const std::string links = R"(parameters: {w: 3}
bodies:
  link1: {box: [1, 0.5, 0.2], mass: 12, position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}
  link2: {box: [1, 0.5, 0.2], mass: 12, position: [1.5, 0, 0]}
)";

Body body_of(const std::string& entries, const std::string& defaults = "{}") {
  return read_good("defaults: " + defaults + "\n" + deck_of(entries)).bodies.at(0);
}

Deck deck_with(const std::string& sections) {
  return read_good(links + sections + integrator);
}

Joint joint_of(const std::string& entries) {
  return deck_with("joints:\n  knee: " + entries + "\n").joints.at(0);
}

const std::string between = "between: [link1, link2], at: link1.tip";

} // namespace

BOOST_AUTO_TEST_SUITE(ModelEntries)

BOOST_AUTO_TEST_CASE(springs_hold_a_body_rigid_unless_it_says_otherwise) {
  const Body rigid = body_of("{formulation: spring_tetra, sphere: 1, mass: 2}");
  BOOST_TEST(rigid.formulation == "spring_tetra");
  BOOST_TEST(std::isinf(rigid.stiffness));
  BOOST_TEST(rigid.evaluation == "mixed");
  const Body soft = body_of("{sphere: 1, mass: 2}", "{formulation: spring_tetra, stiffness: 1e6, evaluation: closed}");
  BOOST_TEST(soft.formulation == "spring_tetra");
  BOOST_TEST(soft.stiffness == 1e6);
  BOOST_TEST(soft.evaluation == "closed");
  BOOST_TEST(std::isinf(
      body_of("{sphere: 1, mass: 2, stiffness: rigid}", "{formulation: spring_tetra, stiffness: 5}").stiffness));
  BOOST_TEST(body_of("{sphere: 1, mass: 2, formulation: director}").formulation == "director");
}

BOOST_AUTO_TEST_CASE(point_masses_have_a_mass_and_a_place) {
  const Body point = body_of("{mass: 2, position: [1, 2, 3], velocity: [0, 0, 1]}", "{formulation: point, density: 5}");
  BOOST_TEST(point.formulation == "point");
  BOOST_TEST(point.mass == 2.0);
  BOOST_TEST((point.position == Vec3(1, 2, 3)));
  BOOST_TEST((point.velocity == Vec3(0, 0, 1)));
  BOOST_TEST((point.inertia == Mat3::Zero()));
  BOOST_TEST(body_of("{formulation: frame, sphere: 1, mass: 2}", "{formulation: point}").formulation == "frame");
}

// The body's z axis lies along -y of space, so its centre is at X_p + (0, -0.5, 0) and moves with omega x that.
BOOST_AUTO_TEST_CASE(a_body_with_a_fixed_point_moves_as_it_turns) {
  const std::string entries = "sphere: 1, mass: 2, orientation: {axis: x, angle: pi/2}, angular_velocity: [0, 0, 4], "
                              "fixed_point: [0, 0, -0.5]";
  const Body top = body_of("{" + entries + "}");
  BOOST_TEST_REQUIRE(top.fixed_point.has_value());
  BOOST_TEST((*top.fixed_point == Vec3(0, 0, -0.5)));
  BOOST_TEST((top.velocity - Vec3(2, 0, 0)).norm() <= 10 * std::numeric_limits<double>::epsilon()); // a dozen roundings
  BOOST_TEST((body_of("{" + entries + ", velocity: [2, 0, 0]}").velocity == top.velocity)); // said twice, the same
  BOOST_TEST(!body_of("{sphere: 1, mass: 2}").fixed_point.has_value());
}

BOOST_AUTO_TEST_CASE(a_rod_without_radius_is_two_points) {
  const Body rod = body_of("{formulation: spring_tetra, rod: {length: 3, axis: [0, 2, 0]}, mass: 4}");
  BOOST_TEST_REQUIRE(rod.half_rod.has_value());
  BOOST_TEST((*rod.half_rod == Vec3(0, 1.5, 0)));
  BOOST_TEST(rod.inertia(0, 0) == 3.0); // m l² / 12
  BOOST_TEST(rod.inertia(1, 1) == 0.0);
  BOOST_TEST(!body_of("{formulation: spring_tetra, rod: {length: 3, radius: 0.1}, mass: 4}").half_rod.has_value());
}

BOOST_AUTO_TEST_CASE(an_inertia_that_no_mass_has_is_taken_on_request) {
  const Body body = body_of("{inertia: [5, 10, 1], unphysical_inertia: true, mass: 1}");
  BOOST_TEST((body.inertia == Mat3(Vec3(5, 10, 1).asDiagonal())));
  const std::string refused = messages(deck_of("{inertia: [5, 10, 1], unphysical_inertia: false, mass: 1}"));
  BOOST_TEST(contains(refused, "violates the triangle inequality: principal moments 1, 5, 10 kg m²"));
  // What is no inertia at all stays refused.
  BOOST_TEST(contains(messages(deck_of("{inertia: [5, -10, 1], unphysical_inertia: true, mass: 1}")), "error"));
  BOOST_TEST(
      contains(messages(deck_of("{inertia: [5, 10, 1], unphysical_inertia: 1, mass: 1}")), "unphysical_inertia"));
}

BOOST_AUTO_TEST_CASE(every_joint_can_be_written) {
  const std::vector<std::string> texts = {
      "{type: spherical, " + between + ", by: multipliers}",
      "{type: revolute, " + between + ", axis: y}",
      "{type: prismatic, " + between + ", axis: x}",
      "{type: cylindrical, " + between + ", axis: x}",
      "{type: universal, " + between + ", axis: {first: y, second: z}}",
      "{type: planar, " + between + ", axis: z}",
      "{type: fixed, between: [link1, link2]}",
      "{type: distance, between: [link1, link2], at: {first: link1.tip, second: link2}, length: 0.5}",
      "{type: point_on_line, " + between + ", axis: x}",
      "{type: point_on_plane, " + between + ", axis: x}",
      "{type: parallel_axes, between: [link1, link2], axis: x}",
      "{type: screw, " + between + ", axis: x, pitch: 0.01}",
      "{type: constant_velocity, " + between + ", axis: x}"};
  for (const std::string& text : texts)
    BOOST_TEST(text.find("{type: " + joint_of(text).type + ",") == 0U);
  BOOST_TEST(texts.size() + 1 == table_entry("joint").variants.size()); // the coupler has a test of its own
  BOOST_TEST(joint_of(texts[0]).by == "multipliers");
  BOOST_TEST(joint_of(texts[1]).by == "");
  BOOST_TEST(joint_of(texts[7]).length.value() == 0.5);
  BOOST_TEST(joint_of(texts[10]).at.body == 1); // the centre of mass of the second body
  BOOST_TEST(joint_of(texts[11]).pitch == 0.01);
}

BOOST_AUTO_TEST_CASE(drives_are_functions_of_time) {
  const Joint motor = joint_of("{type: revolute, " + between + ", axis: y, drive: {angle: 2*sin(w*t)}}");
  BOOST_TEST_REQUIRE(motor.drive.has_value());
  BOOST_TEST(motor.drive->quantity == "angle");
  BOOST_TEST(motor.drive->value(0.5) == 2 * std::sin(3 * 0.5));
  BOOST_TEST(!motor.drive->value.is_constant());
  const Joint slide = joint_of("{type: prismatic, " + between + ", axis: x, drive: {velocity: w}}");
  BOOST_TEST(slide.drive->quantity == "velocity");
  BOOST_TEST(slide.drive->value.is_constant());
  BOOST_TEST(slide.drive->value(9) == 3.0);
  for (const char* quantity : {"angle", "angular_velocity", "displacement", "velocity"}) {
    const std::string drive = std::string("drive: {") + quantity + ": t}";
    BOOST_TEST(joint_of("{type: cylindrical, " + between + ", axis: x, " + drive + "}").drive->quantity == quantity);
    BOOST_TEST(joint_of("{type: screw, pitch: 1, " + between + ", axis: x, " + drive + "}").drive->quantity ==
               quantity);
  }
}

BOOST_AUTO_TEST_CASE(couplers_find_joints_above_and_below_them) {
  const Deck deck = deck_with("joints:\n"
                              "  rack: {type: coupler, joints: [hinge, slot], ratio: 0.1, second: displacement}\n"
                              "  slot: {type: cylindrical, between: [link1, link2], at: [0, 0, 0], axis: x}\n"
                              "  hinge: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}\n");
  const Joint& rack = deck.joints.at(0);
  BOOST_TEST(rack.joints[0] == 2);
  BOOST_TEST(rack.joints[1] == 1);
  BOOST_TEST(rack.coordinates[0] == "angle");
  BOOST_TEST(rack.coordinates[1] == "displacement");
  BOOST_TEST(rack.ratio == 0.1);
}

BOOST_AUTO_TEST_CASE(loads_may_depend_on_time) {
  const Deck deck = deck_with("forces:\n  push: {type: force, body: link1, value: {body_axes: [t, '2', t^2]}}\n");
  const Force& push = deck.forces.at(0);
  BOOST_TEST(push.body_frame);
  BOOST_TEST(push.value[0](4) == 4.0);
  BOOST_TEST(push.value[1].is_constant());
  BOOST_TEST(push.value[2](4) == 16.0);
}

BOOST_AUTO_TEST_CASE(springs_connect_points_or_sit_on_joints) {
  const Deck deck = deck_with(
      "joints:\n  hinge: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}\n"
      "  slot: {type: prismatic, between: [link1, link2], at: [1, 0, 0], axis: x}\n"
      "forces:\n  coil: {type: spring, between: [link1.tip, [0, 0, 2]], stiffness: 7, free_length: 1, damping: 2}\n"
      "  twist: {type: rotational_spring, joint: hinge, stiffness: 3}\n"
      "  buffer: {type: translational_spring, joint: slot, damping: 4}\n"
      "  pad: {type: bushing, between: [link1, link2], at: [1, 0, 0], axes: {axis: z, angle: pi/2}, "
      "stiffness: [1, 2, 3, 4, 5, 6]}\n");
  const Force &coil = deck.forces.at(0), &twist = deck.forces.at(1), &buffer = deck.forces.at(2),
              &pad = deck.forces.at(3);
  BOOST_TEST(coil.ends[0].body == 0);
  BOOST_TEST(coil.ends[1].body == ground);
  BOOST_TEST(coil.stiffness == 7.0);
  BOOST_TEST(coil.free.value() == 1.0);
  BOOST_TEST(coil.damping == 2.0);
  BOOST_TEST(twist.joint == 0);
  BOOST_TEST(twist.free.value() == 0.0);
  BOOST_TEST(buffer.joint == 1);
  BOOST_TEST(!buffer.free.has_value());
  BOOST_TEST(pad.between[1] == 1);
  BOOST_TEST(pad.stiffness_matrix(4, 4) == 5.0);
  BOOST_TEST(pad.stiffness_matrix.sum() == 21.0);
  BOOST_TEST(pad.damping_matrix.isZero(0));
  BOOST_TEST((pad.axes * Vec3::UnitX() - Vec3::UnitY()).norm() <= 1e-15);
}

BOOST_AUTO_TEST_CASE(analyses_other_than_motion_need_no_integrator) {
  const std::string bodies = "bodies:\n  a: {sphere: 1, mass: 1}\n";
  BOOST_TEST(read_good(bodies + "analysis: static\n").analysis.type == "static");
  BOOST_TEST(read_good(bodies + "analysis: modes\n").analysis.number == 0);
  const Deck deck = read_good(bodies + "analysis: {type: modes, number: 4}\ninitial: {assemble: true}\n"
                                       "solver: {redundant: refuse}\n");
  BOOST_TEST(deck.analysis.type == "modes");
  BOOST_TEST(deck.analysis.number == 4);
  BOOST_TEST(deck.initial.assemble);
  BOOST_TEST(deck.solver.refuse_redundant);
}

BOOST_AUTO_TEST_SUITE_END()
