/// Limits, and how constraints are enforced.
#include "verification/unit/io/deck/support.hpp"

#include <cmath>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const std::string model = R"(parameters: {L: 2}
bodies:
  link1: {box: [1, 0.5, 0.2], mass: 12, position: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}
  link2: {formulation: spring_tetra, box: [1, 0.5, 0.2], mass: 12, position: [1.5, 0, 0]}
)";
const std::string joints = R"(joints:
  hinge: {type: revolute, between: [ground, link1], at: [0, 0, 0], axis: z}
  slot: {type: cylindrical, between: [link1, link2], at: link1.tip, axis: x}
)";

Deck deck_with(const std::string& sections) {
  return read_good(model + sections + integrator);
}

Limit limit_of(const std::string& entries) {
  return deck_with(joints + "limits:\n  bound: " + entries + "\n").limits.at(0);
}

Enforcement enforcement_of(const std::string& text) {
  const auto given =
      deck_with("joints:\n  knee: {type: spherical, between: [link1, link2], at: link1.tip" + text + "}\n")
          .joints.at(0)
          .enforcement;
  return given.value_or(Enforcement{});
}

} // namespace

BOOST_AUTO_TEST_SUITE(LimitEntries)

BOOST_AUTO_TEST_CASE(a_wall_is_a_point_a_normal_and_what_stays_off) {
  const Limit wall = limit_of("{type: wall, between: [[0, 0, -L], link1.tip], normal: [0, 0, 2], radius: 0.1}");
  BOOST_TEST(wall.name == "bound");
  BOOST_TEST(wall.where.line == 9);
  BOOST_TEST(wall.type == "wall");
  BOOST_TEST(wall.ends[0].body == ground);
  BOOST_TEST((wall.ends[0].at == Vec3(0, 0, -2)));
  BOOST_TEST(wall.ends[1].body == 0);
  BOOST_TEST((wall.ends[1].at == Vec3(0.5, 0, 0)));
  BOOST_TEST((wall.normal.along == Vec3(0, 0, 1)));
  BOOST_TEST(wall.radius == 0.1);
  BOOST_TEST(wall.restitution == 1.0);
  BOOST_TEST((wall.enforcement.method == EnforcementMethod::augmented_lagrangian));
  const Limit carried = limit_of("{type: wall, between: [link2, link1.tip], normal: {body: link2, along: y}}");
  BOOST_TEST(carried.ends[0].body == 1);
  BOOST_TEST(carried.normal.body == 1);
  BOOST_TEST(carried.radius == 0.0);
}

BOOST_AUTO_TEST_CASE(a_stop_bounds_the_coordinate_of_a_joint) {
  const Limit both = limit_of("{type: stop, joint: hinge, lower: -pi, upper: 30*deg, restitution: 0.25}");
  BOOST_TEST(both.joint == 0);
  BOOST_TEST(both.coordinate == "angle");
  BOOST_TEST(both.lower.value() == -M_PI);
  BOOST_TEST(std::abs(both.upper.value() - M_PI / 6) <= 1e-15);
  BOOST_TEST(both.restitution == 0.25);
  const Limit slide = limit_of("{type: stop, joint: slot, coordinate: displacement, upper: 0.5}");
  BOOST_TEST(slide.joint == 1);
  BOOST_TEST(slide.coordinate == "displacement");
  BOOST_TEST(!slide.lower.has_value());
}

BOOST_AUTO_TEST_CASE(a_rope_is_as_long_as_it_is_typed_unless_it_says_otherwise) {
  const Limit typed = limit_of("{type: rope, between: [[0, 0, 0], link1.tip]}");
  BOOST_TEST(typed.upper.value() == 1.0);
  BOOST_TEST(!typed.lower.has_value());
  const Limit given = limit_of("{type: rope, between: [link1, link2], length: 2*L, least: 0.5}");
  BOOST_TEST(given.upper.value() == 4.0);
  BOOST_TEST(given.lower.value() == 0.5);
  BOOST_TEST(given.ends[1].body == 1);
}

BOOST_AUTO_TEST_CASE(enforcement_is_a_word_or_a_map) {
  BOOST_TEST((enforcement_of("").method == EnforcementMethod::lagrange));
  BOOST_TEST((enforcement_of(", enforcement: lagrange").method == EnforcementMethod::lagrange));
  BOOST_TEST((enforcement_of(", enforcement: augmented_lagrangian").method == EnforcementMethod::augmented_lagrangian));
  const Enforcement penalty = enforcement_of(", enforcement: {method: penalty, stiffness: 1e3*L}");
  BOOST_TEST((penalty.method == EnforcementMethod::penalty));
  BOOST_TEST(penalty.stiffness == 2000.0);
  const Enforcement scaled = enforcement_of(", enforcement: {method: augmented_lagrangian, beta: 100}");
  BOOST_TEST((scaled.method == EnforcementMethod::augmented_lagrangian));
  BOOST_TEST(scaled.beta == 100.0);
  BOOST_TEST(scaled.stiffness == 0.0);
}

// A joint that says nothing may be made by sharing points: it is known whether it does.
BOOST_AUTO_TEST_CASE(only_joints_that_say_so_have_an_enforcement) {
  const Deck deck =
      deck_with("joints:\n  a: {type: spherical, between: [link1, link2], at: link1.tip}\n"
                "  b: {type: spherical, between: [ground, link1], at: [0, 0, 0], enforcement: lagrange}\n");
  BOOST_TEST(!deck.joints[0].enforcement.has_value());
  BOOST_TEST(deck.joints[1].enforcement.has_value());
}

BOOST_AUTO_TEST_CASE(rigid_spring_bodies_have_an_enforcement) {
  const Deck deck = read_good(deck_of("{formulation: spring_tetra, sphere: 1, mass: 2, "
                                      "enforcement: {method: augmented_lagrangian, beta: 1e4}}"));
  BOOST_TEST((deck.bodies[0].enforcement.method == EnforcementMethod::augmented_lagrangian));
  BOOST_TEST(deck.bodies[0].enforcement.beta == 1e4);
  BOOST_TEST((read_good(deck_of("{sphere: 1, mass: 2}")).bodies[0].enforcement.method == EnforcementMethod::lagrange));
}

BOOST_AUTO_TEST_CASE(the_augmented_lagrangian_has_settings) {
  const AugmentedLagrangian usual = deck_with("").solver.augmented_lagrangian;
  BOOST_TEST(usual.form == "merged");
  BOOST_TEST(usual.tolerance == 0.0);
  BOOST_TEST(usual.max_sweeps == 50);
  BOOST_TEST(usual.growth);
  const AugmentedLagrangian nested =
      deck_with("solver: {augmented_lagrangian: {form: nested, growth: false}}\n").solver.augmented_lagrangian;
  BOOST_TEST(nested.form == "nested");
  BOOST_TEST(nested.tolerance == 1e-10);
  BOOST_TEST(!nested.growth);
  const AugmentedLagrangian given =
      deck_with("solver: {augmented_lagrangian: {tolerance: 1e-9, max_sweeps: 7}}\n").solver.augmented_lagrangian;
  BOOST_TEST(given.tolerance == 1e-9);
  BOOST_TEST(given.max_sweeps == 7);
}

BOOST_AUTO_TEST_CASE(multipliers_are_improved_as_the_deck_says) {
  const AugmentedLagrangian usual = deck_with("").solver.augmented_lagrangian;
  BOOST_TEST(usual.augmentation);
  BOOST_TEST(usual.rho == 0.0);
  BOOST_TEST(usual.relaxation == 1.0);
  const AugmentedLagrangian multiplier_method =
      deck_with("solver: {augmented_lagrangian: {form: nested, augmentation: false, rho: 2.5e5}}\n")
          .solver.augmented_lagrangian;
  BOOST_TEST(!multiplier_method.augmentation);
  BOOST_TEST(multiplier_method.rho == 2.5e5);
  const AugmentedLagrangian relaxed =
      deck_with("solver: {augmented_lagrangian: {form: nested, relaxation: 1.9}}\n").solver.augmented_lagrangian;
  BOOST_TEST(relaxed.relaxation == 1.9);
}

// [A12]: below twice the stiffness sweeps converge whatever the bodies are; at it that is no longer sure.
BOOST_AUTO_TEST_CASE(a_long_step_of_multipliers_is_warned_of) {
  const std::string held = model + "joints:\n  knee: {type: spherical, between: [link1, link2], at: link1.tip, "
                                   "enforcement: {method: augmented_lagrangian, stiffness: 100}}\n";
  const auto said = [&](const std::string& settings) {
    return messages(held + "solver: {augmented_lagrangian: {form: nested, " + settings +
                    "}}\nintegrator: {step: 0.01, end: 1}\n");
  };
  BOOST_TEST(said("rho: 199") == "");
  BOOST_TEST(contains(said("rho: 200"), "'rho' of 'augmented_lagrangian' of 'solver' is 200, not below twice the "
                                        "stiffness of joint 'knee', 100: sweeps converge only while"));
  BOOST_TEST(said("relaxation: 1.99") == "");
  BOOST_TEST(contains(said("relaxation: 2"), "is 2, not below 2: sweeps converge only while"));
}

BOOST_AUTO_TEST_CASE(limits_are_selected_for_output) {
  const std::string limits = joints + "limits:\n  a: {type: stop, joint: hinge, upper: 1}\n"
                                      "  b: {type: rope, between: [link1, link2]}\n";
  BOOST_TEST(deck_with(limits).output.limits.all);
  const Deck deck = deck_with(limits + "output: {limits: [b]}\n");
  BOOST_TEST(!deck.output.limits.all);
  BOOST_TEST(deck.output.limits.names == std::vector<std::string>{"b"}, boost::test_tools::per_element());
}

// Statics close joints exactly; a joint that gives way is taken as rigid there, which is said.
BOOST_AUTO_TEST_CASE(statics_warn_of_a_penalty_that_they_do_not_see) {
  const std::string text =
      messages(model + "joints:\n  knee: {type: spherical, between: [link1, link2], at: link1.tip, "
                       "enforcement: {method: penalty, stiffness: 5}}\nanalysis: static\n");
  BOOST_TEST(contains(text,
                      "deck.yaml:6:67: warning: joint 'knee' is taken as rigid: a static analysis does not see its "
                      "penalty"));
}

BOOST_AUTO_TEST_SUITE_END()
