/// What good decks contain after reading.
#include "verification/unit/io/deck/support.hpp"

#include <filesystem>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const std::string links = R"(bodies:
  link1: {box: [1, 0.5, 0.2], mass: 12, position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0], mid: [0, 0, 0.1]}}
  link2: {box: [1, 0.5, 0.2], mass: 12}
)";

Joint joint_of(const std::string& entries) {
  return read_good(links + "joints:\n  knee: " + entries + "\n" + integrator).joints.at(0);
}

Force force_of(const std::string& entries) {
  return read_good(links + "forces:\n  push: " + entries + "\n" + integrator).forces.at(0);
}

Output output_of(const std::string& entries) {
  return read_good(links + "joints:\n  knee: {type: spherical, between: [link1, link2], at: [0, 0, 0]}\n" + integrator +
                   "output: " + entries + "\n")
      .output;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Reader)

BOOST_AUTO_TEST_CASE(a_small_deck_has_all_defaults) {
  const Deck deck = read_good("bodies:\n  ball: {sphere: 0.5, mass: 10}\nintegrator: {step: 0.01, end: 2}\n");
  BOOST_TEST(deck.file == "deck.yaml");
  BOOST_TEST(deck.title == "");
  BOOST_TEST(deck.parameters.empty());
  BOOST_TEST((deck.gravity == Vec3::Zero()));
  BOOST_TEST_REQUIRE(deck.bodies.size() == 1U);
  const Body& body = deck.bodies[0];
  BOOST_TEST(body.name == "ball");
  BOOST_TEST(body.formulation == "frame");
  BOOST_TEST(body.mass == 10.0);
  BOOST_TEST((body.position == Vec3::Zero()));
  BOOST_TEST((body.orientation.coeffs() == Eigen::Quaterniond::Identity().coeffs()));
  BOOST_TEST((body.velocity == Vec3::Zero()));
  BOOST_TEST((body.angular_velocity == Vec3::Zero()));
  BOOST_TEST(body.markers.empty());
  BOOST_TEST(deck.joints.empty());
  BOOST_TEST(deck.forces.empty());
  BOOST_TEST(deck.integrator.type == "energy_momentum");
  BOOST_TEST(deck.integrator.step == 0.01);
  BOOST_TEST(deck.integrator.end == 2.0);
  BOOST_TEST(deck.solver.linear == "auto");
  BOOST_TEST(deck.solver.max_iterations == 20);
  BOOST_TEST(deck.solver.tolerance == 0.0);
  BOOST_TEST(deck.solver.max_halvings == 8);
  BOOST_TEST(!deck.solver.refuse_redundant);
  BOOST_TEST(!deck.initial.assemble);
  BOOST_TEST(deck.analysis.type == "transient");
  BOOST_TEST(deck.output.forces.all);
  BOOST_TEST(deck.output.every == 0.0);
  BOOST_TEST(deck.output.bodies.all);
  BOOST_TEST(deck.output.joints.all);
  BOOST_TEST(deck.output.points.empty());
  BOOST_TEST(deck.output.energies);
  BOOST_TEST(deck.output.momenta);
  BOOST_TEST(!deck.output.body_angular_velocity);
  BOOST_TEST(!deck.audit.max_energy_imbalance.has_value());
  BOOST_TEST(!deck.audit.max_momentum_imbalance.has_value());
  BOOST_TEST(!deck.audit.fail);
}

BOOST_AUTO_TEST_CASE(places_count_lines_and_characters_from_one) {
  const Deck deck = read_good("title: Größe\nbodies: {a: {sphere: 1, mass: 1}, \"b\": {sphere: 1, mass: 1},\n"
                              "         c: {sphere: 1, mass: 1}}\r\n" +
                              integrator);
  BOOST_TEST(deck.title == "Größe");
  BOOST_TEST(deck.bodies.at(0).where.file == "deck.yaml");
  BOOST_TEST(deck.bodies.at(0).where.line == 2);
  BOOST_TEST(deck.bodies.at(0).where.column == 10);
  BOOST_TEST(deck.bodies.at(1).where.column == 35);
  BOOST_TEST(deck.bodies.at(2).where.line == 3);
  BOOST_TEST(deck.bodies.at(2).where.column == 10);
  BOOST_TEST(deck.integrator.where.line == 4);
}

BOOST_AUTO_TEST_CASE(parameters_use_those_before_them) {
  const Deck deck = read_good("parameters: {L: 1.5, half: L/2, area: half^2}\ngravity: [0, -area, '2*L']\n" +
                              deck_of("{sphere: half, mass: 1}"));
  BOOST_TEST_REQUIRE(deck.parameters.size() == 3U);
  BOOST_TEST(deck.parameters[2].first == "area");
  BOOST_TEST(deck.parameters[2].second == 0.5625);
  BOOST_TEST((deck.gravity == Vec3(0, -0.5625, 3)));
}

BOOST_AUTO_TEST_CASE(defaults_hold_where_a_body_says_nothing) {
  const Deck deck = read_good("defaults: {density: 2, formulation: frame}\nbodies:\n  a: {box: [1, 1, 1]}\n"
                              "  b: {box: [1, 1, 1], density: 3}\n  c: {box: [1, 1, 1], mass: 5}\n"
                              "  d: {inertia: [1, 1, 1], mass: 7}\n" +
                              integrator);
  BOOST_TEST(deck.bodies[0].mass == 2.0);
  BOOST_TEST(deck.bodies[1].mass == 3.0);
  BOOST_TEST(deck.bodies[2].mass == 5.0);
  BOOST_TEST(deck.bodies[3].mass == 7.0);
}

BOOST_AUTO_TEST_CASE(anchors_and_merges_repeat_what_they_name) {
  const Deck deck = read_good("bodies:\n  a: &link {box: [1, 2, 3], mass: 12, position: [1, 0, 0]}\n"
                              "  b: *link\n  c: {<<: *link, position: [2, 0, 0]}\n" +
                              integrator);
  BOOST_TEST_REQUIRE(deck.bodies.size() == 3U);
  BOOST_TEST((deck.bodies[1].inertia == deck.bodies[0].inertia));
  BOOST_TEST((deck.bodies[1].position == Vec3(1, 0, 0)));
  BOOST_TEST((deck.bodies[2].inertia == deck.bodies[0].inertia));
  BOOST_TEST((deck.bodies[2].position == Vec3(2, 0, 0)));
}

BOOST_AUTO_TEST_CASE(empty_sections_hold_nothing) {
  const Deck deck =
      read_good("parameters:\njoints:\nforces: {}\nsolver:\noutput:\naudit:\n" + deck_of("{sphere: 1, mass: 1}"));
  BOOST_TEST(deck.joints.empty());
  BOOST_TEST(deck.solver.max_iterations == 20);
}

BOOST_AUTO_TEST_CASE(a_byte_order_mark_and_other_line_ends_change_nothing) {
  const Deck deck = read_good("\xEF\xBB\xBF"
                              "bodies:\r\n  a: {sphere: 1, mass: 1}\r\nintegrator: {step: 1, end: 1}\r\n");
  BOOST_TEST(deck.bodies.at(0).where.line == 2);
  BOOST_TEST(deck.bodies.at(0).where.column == 3);
}

BOOST_AUTO_TEST_CASE(points_are_given_in_space_in_bodies_or_by_markers) {
  const auto at = [](const std::string& point) {
    return joint_of("{type: spherical, between: [link1, link2], at: " + point + "}").at;
  };
  BOOST_TEST(at("[1, 0, 2]").body == ground);
  BOOST_TEST((at("[1, 0, 2]").at == Vec3(1, 0, 2)));
  BOOST_TEST(at("{body: link2, point: [1, 0, 2]}").body == 1);
  BOOST_TEST((at("{body: link2, point: [1, 0, 2]}").at == Vec3(1, 0, 2)));
  BOOST_TEST(at("{body: ground, point: [1, 0, 2]}").body == ground);
  BOOST_TEST(at("link1.mid").body == 0);
  BOOST_TEST((at("link1.mid").at == Vec3(0, 0, 0.1)));
  BOOST_TEST(at("link2").body == 1);
  BOOST_TEST((at("link2").at == Vec3::Zero()));
}

BOOST_AUTO_TEST_CASE(joints_name_their_bodies_points_and_axes) {
  const Joint joint = joint_of("{type: revolute, between: [ground, link2], at: [1, 0, 0], axis: [0, 3, 4]}");
  BOOST_TEST(joint.name == "knee");
  BOOST_TEST(joint.type == "revolute");
  BOOST_TEST(joint.where.line == 5);
  BOOST_TEST(joint.where.column == 3);
  BOOST_TEST(joint.between[0] == ground);
  BOOST_TEST(joint.between[1] == 1);
  BOOST_TEST(joint.axis.body == ground);
  BOOST_TEST((joint.axis.along - Vec3(0, 0.6, 0.8)).norm() <= 1e-15);
  BOOST_TEST(!joint.at_second.has_value());
  BOOST_TEST(!joint.axis_second.has_value());
}

BOOST_AUTO_TEST_CASE(joints_may_attach_each_body_elsewhere) {
  const Joint joint = joint_of(
      "{type: revolute, between: [link1, link2], at: {first: link1.tip, second: {body: link2, point: [0, 1, 0]}}, "
      "axis: {first: {body: link1, along: y}, second: -z}}");
  BOOST_TEST(joint.at.body == 0);
  BOOST_TEST((joint.at.at == Vec3(0.5, 0, 0)));
  BOOST_TEST_REQUIRE(joint.at_second.has_value());
  BOOST_TEST(joint.at_second->body == 1);
  BOOST_TEST((joint.at_second->at == Vec3(0, 1, 0)));
  BOOST_TEST(joint.axis.body == 0);
  BOOST_TEST((joint.axis.along == Vec3::UnitY()));
  BOOST_TEST_REQUIRE(joint.axis_second.has_value());
  BOOST_TEST(joint.axis_second->body == ground);
  BOOST_TEST((joint.axis_second->along == Vec3(-Vec3::UnitZ())));
}

BOOST_AUTO_TEST_CASE(fixed_joints_sit_at_a_centre_of_mass_by_default) {
  BOOST_TEST(joint_of("{type: fixed, between: [link1, link2]}").at.body == 1);
  BOOST_TEST(joint_of("{type: fixed, between: [link1, ground]}").at.body == 0);
  BOOST_TEST((joint_of("{type: fixed, between: [link1, ground], at: [0, 0, 1]}").at.at == Vec3(0, 0, 1)));
}

BOOST_AUTO_TEST_CASE(forces_act_at_the_centre_of_mass_by_default) {
  const Force force = force_of("{type: force, body: link2, value: [1, 2, 3]}");
  BOOST_TEST(force.name == "push");
  BOOST_TEST(force.type == "force");
  BOOST_TEST(force.body == 1);
  BOOST_TEST(force.at.body == 1);
  BOOST_TEST((force.at.at == Vec3::Zero()));
  BOOST_TEST(force.value[0](0) == 1.0);
  BOOST_TEST(force.value[2].is_constant());
  BOOST_TEST(force.value[2](7) == 3.0);
  BOOST_TEST(!force.body_frame);
  const Force torque = force_of("{type: torque, body: link1, value: {body_axes: [0, 0, 1]}}");
  BOOST_TEST(torque.type == "torque");
  BOOST_TEST(torque.body_frame);
  BOOST_TEST((force_of("{type: force, body: link1, value: [1, 0, 0], at: link1.tip}").at.at == Vec3(0.5, 0, 0)));
  BOOST_TEST(force_of("{type: force, body: link1, value: [1, 0, 0], at: [0, 0, 1]}").at.body == ground);
}

BOOST_AUTO_TEST_CASE(output_is_selected_by_name) {
  const Output output = output_of("{every: 0.05, bodies: [link2], joints: none, energies: false, momenta: false, "
                                  "angular_velocity: body, points: [link1.tip]}");
  BOOST_TEST(output.every == 0.05);
  BOOST_TEST(!output.bodies.all);
  BOOST_TEST(output.bodies.names == std::vector<std::string>{"link2"}, boost::test_tools::per_element());
  BOOST_TEST(!output.joints.all);
  BOOST_TEST(output.joints.names.empty());
  BOOST_TEST(!output.energies);
  BOOST_TEST(!output.momenta);
  BOOST_TEST(output.body_angular_velocity);
  BOOST_TEST_REQUIRE(output.points.size() == 1U);
  BOOST_TEST(output.points[0].name == "link1.tip");
  BOOST_TEST((output.points[0].at.at == Vec3(0.5, 0, 0)));
  BOOST_TEST(output_of("{joints: knee}").joints.names.at(0) == "knee");
  BOOST_TEST(output_of("{points: {top: {body: link2, point: [0, 0, 1]}}}").points.at(0).name == "top");
}

BOOST_AUTO_TEST_CASE(solver_and_audit_are_read) {
  const Deck deck = read_good(deck_of("{sphere: 1, mass: 1}") +
                              "solver: {linear: klu, max_iterations: 7, tolerance: 1e-9, max_halvings: 0}\n"
                              "audit: {max_energy_imbalance: 1e-10, max_momentum_imbalance: 1e-11, action: fail}\n");
  BOOST_TEST(deck.solver.linear == "klu");
  BOOST_TEST(deck.solver.max_iterations == 7);
  BOOST_TEST(deck.solver.tolerance == 1e-9);
  BOOST_TEST(deck.solver.max_halvings == 0);
  BOOST_TEST(deck.audit.max_energy_imbalance.value() == 1e-10);
  BOOST_TEST(deck.audit.max_momentum_imbalance.value() == 1e-11);
  BOOST_TEST(deck.audit.fail);
}

// 0.05/0.005 and 0.3/0.1 are not whole in binary.
BOOST_AUTO_TEST_CASE(intervals_of_whole_steps_are_recognised_despite_rounding) {
  for (const char* times : {"step: 0.005, end: 1", "step: 0.05, end: 1", "step: 0.001, end: 1", "step: 1e-6, end: 1"})
    BOOST_TEST(messages("bodies:\n  a: {sphere: 1, mass: 1}\nintegrator: {" + std::string(times) +
                        "}\noutput: {every: 0.05}\n") == "");
  BOOST_TEST(messages("bodies:\n  a: {sphere: 1, mass: 1}\nintegrator: {step: 0.1, end: 1}\noutput: {every: 0.3}\n") ==
             "");
}

BOOST_AUTO_TEST_CASE(an_interval_beyond_the_end_is_only_a_warning) {
  Diagnostics diagnostics;
  read_deck_text("deck.yaml", deck_of("{sphere: 1, mass: 1}") + "output: {every: 2}\n", {}, diagnostics);
  BOOST_TEST(!diagnostics.has_errors());
  BOOST_TEST(diagnostics.warning_count() == 1U);
  BOOST_TEST(diagnostics.text().find("deck.yaml:4:17: warning: 'every' of 'output' is longer than") == 0U);
}

BOOST_AUTO_TEST_CASE(the_examples_are_good) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EMMY_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".yaml") {
      Diagnostics diagnostics;
      read_deck(entry.path().string(), {}, diagnostics);
      BOOST_TEST(diagnostics.text() == "");
      ++count;
    }
  BOOST_TEST(count > 0);
}

BOOST_AUTO_TEST_SUITE_END()
