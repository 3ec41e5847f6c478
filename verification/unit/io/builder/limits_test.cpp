/// What the limits and enforcements of a deck become in a model.
#include "io/deck/reader.hpp"
#include "io/model_builder.hpp"
#include "verification/support/compare.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace emmy;
using namespace emmy::test;

namespace {

BuiltModel build(const std::string& text) {
  deck::Diagnostics diagnostics;
  const deck::Deck deck =
      deck::read_deck_text("deck.yaml", text + "integrator: {step: 0.01, end: 1}\n", {}, diagnostics);
  BOOST_TEST(diagnostics.text() == "");
  return build_model(deck);
}

VecX gaps(const BuiltModel& built, std::size_t limit = 0) {
  const Limit& of = *built.limits.at(limit);
  VecX gap(of.multipliers()), rate(of.multipliers());
  of.gaps_at(built.initial, gap, rate);
  return gap;
}

VecX numbers(const std::vector<double>& list) {
  return Eigen::Map<const VecX>(list.data(), static_cast<Index>(list.size()));
}

/// Element of a name.
const Element& element(const BuiltModel& built, const std::string& name) {
  for (const auto& one : built.model->elements())
    if (one->name() == name)
      return *one;
  throw std::invalid_argument("no element " + name);
}

const std::string links = R"(bodies:
  link1: {box: [1, 1, 1], mass: 1, position: [3, 0, 4], orientation: {axis: y, angle: 90*deg}, markers: {tip: [1, 0, 0]}}
  link2: {box: [1, 1, 1], mass: 1, position: [3, 0, 10]}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(BuiltLimits)

// The tip is at (3, 0, 3): x of the body is -z of space.
BOOST_AUTO_TEST_CASE(walls_stand_where_the_deck_says) {
  const BuiltModel built = build(links + R"(limits:
  floor: {type: wall, between: [[7, 7, 1], link1.tip], normal: z, radius: 0.5, restitution: 0.25}
  lid: {type: wall, between: [{body: link2, point: [0, 0, -1]}, link1.tip], normal: -z}
  own: {type: wall, between: [link1.tip, [0, 0, 2]], normal: {body: link1, along: x}}
)");
  BOOST_TEST(agree("floor", gaps(built, 0), numbers({1.5}), 10 * eps));
  BOOST_TEST(agree("lid", gaps(built, 1), numbers({6}), 20 * eps));
  BOOST_TEST(agree("own", gaps(built, 2), numbers({1}), 20 * eps));
  BOOST_TEST(built.limits[0]->constraints().restitution() == 0.25);
  BOOST_TEST(built.limits[0]->kind() == "wall");
  BOOST_TEST((built.model->enforcement(*built.limits[0]).method == EnforcementMethod::augmented_lagrangian));
}

BOOST_AUTO_TEST_CASE(ropes_reach_from_end_to_end) {
  const BuiltModel built = build(links + R"(limits:
  typed: {type: rope, between: [[0, 0, 0], link1]}
  given: {type: rope, between: [link1, link2], length: 7.5, least: 2}
)");
  BOOST_TEST(agree("typed", gaps(built, 0), numbers({0}), 10 * eps));
  BOOST_TEST(agree("given", gaps(built, 1), numbers({1.5, 4}), 20 * eps));
}

// Coordinates are zero in the typed configuration, whatever the joint, unless the two sides are given apart.
BOOST_AUTO_TEST_CASE(stops_sit_on_any_coordinate_that_results_give) {
  const BuiltModel built = build(links + R"(joints:
  hinge: {type: revolute, between: [ground, link1], at: link1, axis: y}
  slot: {type: cylindrical, between: [link1, link2], at: {first: link1, second: link2}, axis: z}
  cross: {type: universal, between: [link1, link2], at: link2, axis: {first: x, second: y}}
  table: {type: planar, between: [ground, link2], at: link2, axis: z}
limits:
  a: {type: stop, joint: hinge, lower: -0.5, upper: 1}
  b: {type: stop, joint: slot, coordinate: displacement, upper: 7}
  c: {type: stop, joint: slot, coordinate: angle, lower: -2}
  d: {type: stop, joint: cross, coordinate: angle2, upper: 0.75}
  e: {type: stop, joint: table, coordinate: displacement1, upper: 0.25}
)");
  BOOST_TEST(agree("hinge", gaps(built, 0), numbers({1, 0.5}), 10 * eps));
  BOOST_TEST(agree("slot", gaps(built, 1), numbers({1}), 20 * eps));
  BOOST_TEST(agree("angle of slot", gaps(built, 2), numbers({2}), 10 * eps));
  BOOST_TEST(agree("cross", gaps(built, 3), numbers({0.75}), 10 * eps));
  BOOST_TEST(agree("table", gaps(built, 4), numbers({0.25}), 10 * eps));
}

// A stop measures what its joint does: both see the same turn of the body.
BOOST_AUTO_TEST_CASE(a_stop_follows_the_coordinate_of_its_joint) {
  const std::string hinge = "joints:\n  hinge: {type: revolute, between: [ground, link1], at: link1, axis: y%}\n"
                            "limits:\n  bound: {type: stop, joint: hinge, upper: 1}\n";
  const auto with = [&](std::string text, const std::string& more) { return text.replace(text.find('%'), 1, more); };
  for (const char* formulation : {"frame", "spring_tetra"}) {
    const BuiltModel built = build("defaults: {formulation: " + std::string(formulation) + "}\n" + links +
                                   with(hinge, formulation == std::string("frame") ? "" : ", by: sharing"));
    State state = built.initial;
    BodyMotion motion = built.bodies[0]->motion(state);
    motion.orientation = exponential({0, 0.4, 0}) * motion.orientation;
    built.bodies[0]->set_motion(motion, state);
    VecX gap(1), rate(1);
    built.limits[0]->gaps_at(state, gap, rate);
    BOOST_TEST(agree("gap", gap, numbers({0.6}), 20 * eps));
  }
}

BOOST_AUTO_TEST_CASE(joints_drives_bodies_and_limits_are_enforced_as_they_say) {
  const BuiltModel built = build(links + R"(
  soft: {formulation: spring_tetra, sphere: 1, mass: 2, position: [0, 0, 20], enforcement: {method: augmented_lagrangian, beta: 7}}
joints:
  plain: {type: spherical, between: [ground, link2], at: link2}
  motor: {type: revolute, between: [ground, link1], at: link1, axis: y, drive: {angle: 0}, enforcement: {method: penalty, stiffness: 5}}
limits:
  bound: {type: stop, joint: motor, upper: 1, enforcement: {method: augmented_lagrangian, stiffness: 3}}
  other: {type: rope, between: [link1, link2], enforcement: lagrange}
)");
  const auto how = [&](const char* name) { return built.model->enforcement(element(built, name)); };
  const auto method = [&](const char* name) { return how(name).method; };
  BOOST_TEST((method("plain") == EnforcementMethod::lagrange));
  for (const char* name : {"motor", "motor.drive"}) {
    BOOST_TEST((method(name) == EnforcementMethod::penalty));
    BOOST_TEST(how(name).stiffness == 5.0);
  }
  BOOST_TEST((method("soft") == EnforcementMethod::augmented_lagrangian));
  BOOST_TEST(how("soft").beta == 7.0);
  BOOST_TEST((method("bound") == EnforcementMethod::augmented_lagrangian));
  BOOST_TEST(how("bound").stiffness == 3.0);
  BOOST_TEST((method("other") == EnforcementMethod::lagrange));
}

// Points that could be shared are not where the deck says how the joint is to be enforced.
BOOST_AUTO_TEST_CASE(an_enforced_joint_is_not_made_by_sharing) {
  const std::string joint = "joints:\n  ball: {type: spherical, between: [ground, link1], at: link1";
  const std::string head = "defaults: {formulation: spring_tetra}\n" + links + joint;
  BOOST_TEST(build(head + "}\n").joints[0].joint == nullptr);
  BOOST_TEST(build(head + ", enforcement: augmented_lagrangian}\n").joints[0].joint != nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
