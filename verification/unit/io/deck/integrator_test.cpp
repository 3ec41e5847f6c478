/// The entry `integrator`: what belongs to which type, and what is filled in.
#include "verification/unit/io/deck/support.hpp"

#include <map>
#include <set>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

/// A body that every type can move.
const std::string ball = "bodies:\n  ball: {formulation: point, mass: 1}\n";

std::string deck_with(const std::string& entries) {
  return ball + "integrator: {" + entries + "}\n";
}

/// With the given entries beside step and end.
Integrator integrator_of(const std::string& entries) {
  return read_good(deck_with(entries + ", step: 0.01, end: 1")).integrator;
}

const std::vector<std::string> rigid_types = {"kick_drift_kick", "simo_wong_explicit", "predictor_corrector",
                                              "staggered", "park_chiou_downer"};
const std::vector<std::string> other_types = {"energy_momentum", "linear_acceleration", "high_order", "midpoint",
                                              "explicit_euler"};
const std::vector<std::string> types = [] {
  std::vector<std::string> all = other_types;
  all.insert(all.end(), rigid_types.begin(), rigid_types.end());
  return all;
}();
const std::vector<std::string> impulses = {"midpoint", "symmetric_midpoint", "trapezoidal"};

} // namespace

BOOST_AUTO_TEST_SUITE(IntegratorEntry)

BOOST_AUTO_TEST_CASE(every_type_gets_the_defaults_that_apply_to_it) {
  const std::map<std::string, std::string> kernel = {{"kick_drift_kick", "split"}};
  const std::map<std::string, std::string> impulse = {{"simo_wong_explicit", "trapezoidal"},
                                                      {"predictor_corrector", "midpoint"},
                                                      {"staggered", "midpoint"},
                                                      {"park_chiou_downer", "midpoint"}};
  const auto in = [](const auto& map, const std::string& key) { return map.count(key) > 0 ? map.at(key) : ""; };
  for (const std::string& type : types) {
    const Integrator read = integrator_of("type: " + type);
    BOOST_TEST(read.type == type);
    BOOST_TEST(read.kernel == in(kernel, type), type);
    BOOST_TEST(read.impulse == in(impulse, type), type);
    BOOST_TEST(read.start == (type == "staggered" ? "acceleration" : ""), type);
    BOOST_TEST(read.exact_loads);
    BOOST_TEST(!read.restart_every.has_value());
    BOOST_TEST(read.restart_at.empty());
    BOOST_TEST(!read.automatic_step);
    BOOST_TEST(read.step == 0.01);
    BOOST_TEST(read.safety == 0.9);
  }
}

BOOST_AUTO_TEST_CASE(each_rule_of_impulses_belongs_to_some_types) {
  const std::map<std::string, std::set<std::string>> taken = {
      {"midpoint", {"simo_wong_explicit", "predictor_corrector", "staggered", "park_chiou_downer"}},
      {"symmetric_midpoint", {"simo_wong_explicit"}},
      {"trapezoidal", {"simo_wong_explicit", "predictor_corrector", "staggered"}}};
  for (const std::string& type : types)
    for (const std::string& impulse : impulses) {
      const std::string entries = "type: " + type + ", impulse: " + impulse;
      if (taken.at(impulse).count(type) > 0)
        BOOST_TEST(integrator_of(entries).impulse == impulse, entries);
      else
        BOOST_TEST(contains(messages(deck_with(entries + ", step: 0.01, end: 1")), "'impulse' of 'integrator' "),
                   entries);
    }
}

BOOST_AUTO_TEST_CASE(starts_belong_to_staggered) {
  for (const std::string& type : types)
    for (const std::string start : {"acceleration", "predictor_corrector"}) {
      const std::string entries = "type: " + type + ", start: " + start;
      if (type == "staggered")
        BOOST_TEST(integrator_of(entries).start == start);
      else
        BOOST_TEST(contains(messages(deck_with(entries + ", step: 0.01, end: 1")),
                            "'start' of 'integrator' has no meaning: the type is '" + type + "'"),
                   entries);
    }
}

BOOST_AUTO_TEST_CASE(kernels_belong_to_kick_drift_kick) {
  for (const std::string& type : types)
    for (const std::string kernel : {"split", "lie_midpoint"}) {
      const std::string entries = "type: " + type + ", kernel: " + kernel;
      if (type == "kick_drift_kick")
        BOOST_TEST(integrator_of(entries).kernel == kernel);
      else
        BOOST_TEST(contains(messages(deck_with(entries + ", step: 0.01, end: 1")), "'kernel' of 'integrator' "), type);
    }
}

BOOST_AUTO_TEST_CASE(orders_are_two_four_or_six_of_energy_momentum_alone) {
  BOOST_TEST(integrator_of("type: energy_momentum").order == 2);
  for (const int order : {2, 4, 6})
    BOOST_TEST(integrator_of("type: energy_momentum, order: " + std::to_string(order)).order == order);
  for (const char* order : {"0", "1", "3", "5", "7", "8", "-4", "4.5"})
    BOOST_TEST(contains(messages(deck_with(std::string("order: ") + order + ", step: 0.01, end: 1")),
                        "expected a whole number 2, 4 or 6"),
               order);
  for (const std::string& type : types)
    if (type != "energy_momentum")
      BOOST_TEST(contains(messages(deck_with("type: " + type + ", order: 2, step: 0.01, end: 1")),
                          "'order' of 'integrator' has no meaning"),
                 type);
}

BOOST_AUTO_TEST_CASE(velocities_meet_joints_wherever_steps_can_be_taken_between_kicks) {
  const auto settled = [](const std::string& body, const std::string& joint, const std::string& more) {
    return read_good("bodies:\n  rod: {" + body + (body.empty() ? "" : ", ") +
                     "mass: 1, box: [1, 1, 1]}\njoints:\n  pin: {type: spherical, between: " +
                     "[ground, rod], at: [0, 0, 0]" + joint + "}\nintegrator: {step: 0.01, end: 1" + more + "}\n")
        .integrator.velocity_constraints;
  };
  const std::string penalty = ", enforcement: {method: penalty, stiffness: 1e6}";
  BOOST_TEST(settled("", "", "") == "on");
  BOOST_TEST(settled("formulation: director", "", ", order: 6") == "on");
  BOOST_TEST(settled("", penalty, "") == "on");
  // There velocities of what is not kicked would alternate from stage to stage.
  BOOST_TEST(settled("", penalty, ", order: 4") == "off");
  BOOST_TEST(settled("formulation: spring_tetra", "", "") == "off");
  BOOST_TEST(settled("formulation: director", "", ", type: midpoint") == "off");
  for (const char* said : {"off", "on", "exact"})
    BOOST_TEST(settled("", "", std::string(", velocity_constraints: ") + said) == said);
  BOOST_TEST(contains(messages("bodies:\n  rod: {formulation: spring_tetra, mass: 1, box: [1, 1, 1]}\n"
                               "integrator: {step: 0.01, end: 1, velocity_constraints: on}\n"),
                      "body 'rod' (spring_tetra) does not go with 'velocity_constraints: on'"));
}

BOOST_AUTO_TEST_CASE(all_explicit_types_of_rigid_bodies_take_loads_at_points) {
  BOOST_TEST(integrator_of("type: staggered, loads: exact").exact_loads);
  for (const std::string& type : rigid_types)
    BOOST_TEST(!integrator_of("type: " + type + ", loads: points").exact_loads, type);
  for (const std::string& type : other_types)
    BOOST_TEST(contains(messages(deck_with("type: " + type + ", loads: points, step: 0.01, end: 1")),
                        "'loads' of 'integrator' has no meaning"),
               type);
}

BOOST_AUTO_TEST_CASE(what_follows_impacts_and_instability_belong_to_types_that_remember_accelerations) {
  for (const std::string& type : types) {
    const std::string entries = "type: " + type + ", after_impact: keep, allow_unstable: true";
    if (type == "linear_acceleration" || type == "high_order") {
      BOOST_TEST(integrator_of("type: " + type).after_impact == "reset");
      BOOST_TEST(!integrator_of("type: " + type).allow_unstable);
      BOOST_TEST(integrator_of(entries).after_impact == "keep");
      BOOST_TEST(integrator_of(entries).allow_unstable);
      continue;
    }
    BOOST_TEST(integrator_of("type: " + type).after_impact.empty());
    const std::string said = messages(deck_with(entries + ", step: 0.01, end: 1"));
    BOOST_TEST(contains(said, "'after_impact' of 'integrator' has no meaning"), type);
    BOOST_TEST(contains(said, "'allow_unstable' of 'integrator' has no meaning"), type);
  }
}

// With consent, what is unstable is said and not refused; penalties and midpoint need none.
BOOST_AUTO_TEST_CASE(joints_are_unstable_under_types_that_remember_accelerations) {
  const auto said = [](const std::string& type, const std::string& enforcement) {
    return messages("bodies:\n  ball: {formulation: point, mass: 1, position: [1, 0, 0]}\n"
                    "joints:\n  rod: {type: distance, between: [ground, ball], at: {first: [0, 0, 0], second: ball}" +
                    enforcement + "}\nintegrator: {type: " + type + ", step: 0.01, end: 1}\n");
  };
  const std::string unstable = "joint 'rod' is met exactly, which makes ";
  for (const std::string type : {"linear_acceleration", "high_order"}) {
    for (const std::string how : {"", ", enforcement: lagrange", ", enforcement: augmented_lagrangian"}) {
      BOOST_TEST(contains(said(type, how), "error: " + unstable + type + " unstable"), how);
      const std::string allowed = said(type + ", allow_unstable: true", how);
      BOOST_TEST(contains(allowed, "warning: " + unstable + type + " unstable"), how);
      BOOST_TEST(!contains(allowed, ": error:"), allowed);
    }
    BOOST_TEST(said(type, ", enforcement: {method: penalty, stiffness: 10}") == "");
  }
  for (const std::string how : {"", ", enforcement: augmented_lagrangian"})
    BOOST_TEST(said("midpoint", how) == "");
}

BOOST_AUTO_TEST_CASE(restarts_belong_to_types_that_carry_more_than_the_state) {
  const std::set<std::string> restarted = {"simo_wong_explicit", "staggered", "park_chiou_downer"};
  for (const std::string& type : types) {
    const std::string entries =
        "type: " + type + ", restart_every: 1/4, restart_at: [0, 0.1, 2*0.1], step: 0.01, end: 1";
    if (restarted.count(type) == 0) {
      const std::string said = messages(deck_with(entries));
      BOOST_TEST(contains(said, "'restart_every' of 'integrator' has no meaning"), type);
      BOOST_TEST(contains(said, "'restart_at' of 'integrator' has no meaning"), type);
      continue;
    }
    const Integrator read = read_good(deck_with(entries)).integrator;
    BOOST_TEST(read.restart_every.value() == 0.25);
    BOOST_TEST(read.restart_at == (std::vector<double>{0, 0.1, 0.2}), boost::test_tools::per_element());
  }
  BOOST_TEST(integrator_of("type: staggered, restart_at: []").restart_at.empty());
}

BOOST_AUTO_TEST_CASE(an_automatic_step_is_left_to_the_model) {
  const Integrator read = read_good(deck_with("type: kick_drift_kick, step: auto, safety: 1/2, end: 1")).integrator;
  BOOST_TEST(read.automatic_step);
  BOOST_TEST(read.step == 0.0);
  BOOST_TEST(read.safety == 0.5);
  BOOST_TEST(read.end == 1.0);
  for (const std::string& type : rigid_types)
    BOOST_TEST(read_good(deck_with("type: " + type + ", step: auto, end: 1e-9")).integrator.automatic_step, type);
  for (const std::string& type : other_types)
    BOOST_TEST(contains(messages(deck_with("type: " + type + ", step: auto, end: 1")),
                        "but " + type + " has no critical step"),
               type);
}

BOOST_AUTO_TEST_CASE(intervals_of_output_are_not_held_against_an_automatic_step) {
  const std::string text = deck_with("type: kick_drift_kick, step: auto, end: 1");
  BOOST_TEST(messages(text + "output: {every: 0.123}\n") == "");
  BOOST_TEST(contains(messages(text + "output: {every: 2}\n"), "warning: 'every' of 'output' is longer than"));
}

BOOST_AUTO_TEST_CASE(an_unknown_type_is_the_only_mistake_of_what_depends_on_it) {
  Diagnostics diagnostics;
  read_deck_text("deck.yaml",
                 deck_with("type: stagered, kernel: split, impulse: midpoint, restart_at: [1], step: auto, end: 1"), {},
                 diagnostics);
  BOOST_TEST(diagnostics.error_count() == 1U, diagnostics.text());
  BOOST_TEST(contains(diagnostics.text(), "did you mean 'staggered'?"));
}

BOOST_AUTO_TEST_CASE(settings_on_the_command_line_reach_every_entry) {
  const Integrator read =
      read_good(deck_with("step: 0.01, end: 1"), {"integrator.type=staggered", "integrator.impulse=trapezoidal",
                                                  "integrator.loads=points", "integrator.restart_at=[0.5, 0.7]"})
          .integrator;
  BOOST_TEST(read.impulse == "trapezoidal");
  BOOST_TEST(!read.exact_loads);
  BOOST_TEST(read.restart_at.at(1) == 0.7);
}

BOOST_AUTO_TEST_SUITE_END()
