#include "verification/unit/io/deck/support.hpp"

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const std::string text = R"(parameters: {L: 1, half: L/2}
bodies:
  link1: &link {box: [1, 0.5, 0.2], mass: 12, position: [half, 0, 0], orientation: {axis: y, angle: 0}, markers: {tip: [1, 0, 0]}}
  link2: *link
joints:
  knee: {type: revolute, between: [link1, link2], at: [0, 0, 0], axis: z}
integrator: {step: 0.01, end: 1}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(Overrides)

BOOST_AUTO_TEST_CASE(values_replace_those_of_the_deck) {
  const Deck deck =
      read_good(text, {"integrator.step=0.001", "gravity=[0, 0, -1]", "bodies.link1.mass=3", "parameters.L=4",
                       "joints.knee.axis=x", "title=a = b", "bodies.link1.markers.tip=[2, 0, 0]"});
  BOOST_TEST(deck.integrator.step == 0.001);
  BOOST_TEST(deck.integrator.end == 1.0);
  BOOST_TEST((deck.gravity == Vec3(0, 0, -1)));
  BOOST_TEST(deck.bodies[0].mass == 3.0);
  BOOST_TEST((deck.bodies[0].position == Vec3(2, 0, 0))); // half follows L
  BOOST_TEST((deck.joints[0].axis.along == Vec3::UnitX()));
  BOOST_TEST(deck.title == "a = b");
  BOOST_TEST((deck.bodies[0].markers.at(0).at == Vec3(2, 0, 0)));
}

BOOST_AUTO_TEST_CASE(what_an_alias_shares_is_changed_in_one_place_only) {
  const Deck deck = read_good(text, {"bodies.link1.mass=3", "bodies.link1.orientation.angle=pi"});
  BOOST_TEST(deck.bodies[1].mass == 12.0);
  BOOST_TEST(deck.bodies[1].orientation.w() == 1.0);
  BOOST_TEST(std::abs(deck.bodies[0].orientation.w()) <= 1e-15);
}

BOOST_AUTO_TEST_CASE(sections_and_bodies_may_be_added) {
  const Deck deck =
      read_good(text, {"solver.tolerance=1e-8", "bodies.ball={sphere: 1, mass: 2}", "output={every: 0.1}"});
  BOOST_TEST(deck.solver.tolerance == 1e-8);
  BOOST_TEST(deck.bodies.at(2).name == "ball");
  BOOST_TEST(deck.output.every == 0.1);
}

BOOST_AUTO_TEST_CASE(maps_that_the_deck_does_not_have_are_made) {
  const std::string bare = "bodies:\n  rod: {box: [1, 0.5, 0.2], mass: 12}\n" + integrator;
  const Deck deck = read_good(bare, {"parameters.M=3", "bodies.rod.mass=M", "bodies.rod.markers.tip=[1, 0, 0]",
                                     "output.points.end=rod.tip", "initial.assemble=true", "output.every=0.1",
                                     "solver.augmented_lagrangian.form=nested"});
  BOOST_TEST(deck.bodies[0].mass == 3.0);
  BOOST_TEST((deck.bodies[0].markers.at(0).at == Vec3(1, 0, 0)));
  BOOST_TEST(deck.output.points.at(0).name == "end");
  BOOST_TEST(deck.initial.assemble);
  BOOST_TEST(deck.output.every == 0.1);
  BOOST_TEST(deck.solver.augmented_lagrangian.form == "nested");
  const Deck pushed =
      read_good(bare, {"forces.push.type=force", "forces.push.body=rod", "forces.push.value=[1, 0, 0]"});
  BOOST_TEST(pushed.forces.at(0).name == "push");
  // What is then missing is said; where there is a map, a name that is not in it is a slip.
  BOOST_TEST(contains(messages(bare, {"forces.push.type=force"}), "error: missing entry 'body' of force 'push'"));
  BOOST_TEST(contains(messages(text, {"bodies.link1.markers.tp=[1, 0, 0]"}),
                      "error: 'tp' is not in 'bodies.link1.markers' of the deck"));
}

BOOST_AUTO_TEST_CASE(drives_of_all_kinds_of_joints_are_known) {
  const Deck deck = read_good(text, {"joints.knee={type: prismatic, between: [link1, link2], at: [0, 0, 0], axis: z}",
                                     "joints.knee.drive.displacement=t"});
  BOOST_TEST(deck.joints[0].drive->quantity == "displacement");
  BOOST_TEST(
      contains(messages(text, {"joints.knee.drive.displacement=t"}), "'displacement' of 'drive' of joint 'knee'"));
}

BOOST_AUTO_TEST_CASE(a_word_that_is_short_for_a_map_becomes_one) {
  const std::string modes = "analysis: modes\nbodies:\n  rod: {box: [1, 0.5, 0.2], mass: 12}\n";
  const Deck deck = read_good(modes, {"analysis.number=3"});
  BOOST_TEST(deck.analysis.type == "modes");
  BOOST_TEST(deck.analysis.number == 3);
  BOOST_TEST(read_good(modes, {"analysis.type=static"}).analysis.type == "static");
  BOOST_TEST(contains(messages(modes, {"analysis.number.x=3"}), "error: "));
}

BOOST_AUTO_TEST_CASE(the_last_one_wins) {
  BOOST_TEST(read_good(text, {"integrator.step=0.001", "integrator.step=0.002"}).integrator.step == 0.002);
}

BOOST_AUTO_TEST_CASE(mistakes_are_reported_with_the_argument) {
  const auto said = [](const std::string& set) { return messages(text, {set}); };
  BOOST_TEST(
      said("integrator.stepp=1") ==
      "--set integrator.stepp=1: error: unknown entry 'stepp' of 'integrator'\n"
      "  expected one of: after_impact, allow_unstable, end, events, impulse, kernel, loads, order, "
      "restart_at, restart_every, rotation, safety, start, step, type, velocity_constraints\n  did you mean 'step'?\n");
  BOOST_TEST(said("bodies.lnk1.mass=3") == "--set bodies.lnk1.mass=3: error: 'lnk1' is not in 'bodies' of the deck\n"
                                           "  expected one of: link1, link2\n  did you mean 'link1'?\n");
  BOOST_TEST(said("parameters.M=3") == "--set parameters.M=3: error: 'M' is not in 'parameters' of the deck\n"
                                       "  expected one of: L, half\n");
  BOOST_TEST(said("bodies.link1.mass=-3") ==
             "--set bodies.link1.mass=-3: error: 'mass' of body 'link1' is -3 kg\n  expected a number > 0 in kg\n");
  BOOST_TEST(said("gravity=[0, 0, -g]") ==
             "--set gravity=[0, 0, -g]: error: unknown name 'g' in component 3 of 'gravity'\n"
             "  expected a vector [x, y, z] in m/s²\n");
  BOOST_TEST(said("integrator.step.size=1") ==
             "--set integrator.step.size=1: error: 'integrator.step' has no entries of its own\n"
             "  expected a value for it as a whole\n");
  BOOST_TEST(said("bodies.link1.orientation.angel=1") ==
             "--set bodies.link1.orientation.angel=1: error: unknown entry 'angel' of 'orientation' of body 'link1'\n"
             "  expected one of: angle, axis\n  did you mean 'angle'?\n");
  BOOST_TEST(said("integrator.step") == "--set integrator.step: error: not an assignment\n"
                                        "  expected path.to.entry=value, as in integrator.step=0.001\n");
  BOOST_TEST(said("gravity=[0, 0") == "--set gravity=[0, 0: error: '[' is not closed\n"
                                      "  expected ',' or ']' before its end\n");
  BOOST_TEST(said("contact=[]") == "--set contact=[]: error: 'contact' is a list\n"
                                   "  expected a map of entries, 'name: value'\n");
  BOOST_TEST(contains(said("checkpoint=1"), "--set checkpoint=1: error: 'checkpoint' is a single value\n"));
  BOOST_TEST(
      contains(said("bodies.link1.density=3"), "--set bodies.link1.density=3: error: 'density' of body 'link1'"));
}

BOOST_AUTO_TEST_CASE(strange_arguments_are_survived) {
  for (const char* set : {"",
                          "=",
                          "=1",
                          ".",
                          ".=1",
                          "a..b=1",
                          "bodies.=1",
                          "bodies..mass=1",
                          "bodies.link1.=1",
                          "gravity=",
                          "gravity=\xff",
                          "integrator=3",
                          "bodies=3",
                          "bodies=[]",
                          "parameters=7",
                          "title",
                          "joints.knee=",
                          "gravity=[[[[[[",
                          "gravity=&a [*a]",
                          "gravity=---\n---",
                          "a.b.c.d.e.f.g=1",
                          "bodies.link1=null"})
    BOOST_TEST(contains(messages(text, {set}), ": error: "), set);
  for (const char* bodies : {"3", "[1, 2]", "word"})
    for (const char* set : {"bodies.ball={sphere: 1, mass: 1}", "bodies.ball.mass=1"})
      BOOST_TEST(contains(messages(std::string("bodies: ") + bodies + "\n" + integrator, {set}),
                          "error: 'bodies' has no entries of its own"),
                 bodies << " " << set);
}

BOOST_AUTO_TEST_SUITE_END()
