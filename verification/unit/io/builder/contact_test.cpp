/// What the section `contact` of a deck becomes: surfaces on ports, classes and rules, and what is said of a start that
/// cannot be.
#include "io/contact_builder.hpp"
#include "io/contact_start.hpp"
#include "io/deck/reader.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace emmy;
namespace fs = std::filesystem;

namespace {

const fs::path folder = EMMY_SOURCE_DIR "/verification/bad_scenes";

struct Built {
  deck::Diagnostics diagnostics;
  deck::Deck deck;
  BuiltModel model;

  Built(const std::string& name, const std::string& text) {
    deck = deck::read_deck_text(name, text, {}, diagnostics);
    BOOST_REQUIRE_MESSAGE(!diagnostics.has_errors(), diagnostics.text());
    model = build_model(deck);
    std::vector<ReferredFile> files;
    model.scene = build_scene(deck, model, diagnostics, files);
    if (!diagnostics.has_errors())
      check_overlap(deck, *model.model, model.initial, model.scene, diagnostics);
  }

  const contact::Scene& scene() const { return model.scene; }
  int index(const std::string& name) const {
    const auto& all = scene().surfaces;
    return static_cast<int>(std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; }) -
                            all.begin());
  }
  /// Name of the rule for two surfaces; "none" if they do not meet.
  std::string rule(const std::string& a, const std::string& b) const {
    const int found = scene().rule(index(a), index(b));
    BOOST_TEST(found == scene().rule(index(b), index(a)));
    return found < 0 ? "none" : scene().rules[static_cast<std::size_t>(found)].name;
  }
};

const std::string integrator = "integrator: {step: 0.01, end: 1}\n";

std::vector<std::string> scenes() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

const std::string three = R"(bodies:
  ball: {sphere: 0.1, mass: 1, position: [i, 0, 1], repeat: {i: 3}}
  box: {box: [0.5, 0.5, 0.5], mass: 1, position: [0, 5, 1]}
)";

std::string mesh_deck(const std::string& facets, const std::string& more = "") {
  return "bodies: {part: {box: [1, 1, 1], mass: 1}}\ncontact:\n  surfaces:\n    skin: {on: part, mesh: {nodes: [[0, 0, "
         "0], "
         "[1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [0, -1, 0]], facets: [" +
         facets + "]}" + more + "}\n" + integrator;
}

} // namespace

BOOST_AUTO_TEST_SUITE(ContactBuilder)

BOOST_AUTO_TEST_CASE(there_are_scenes_and_each_has_its_text) {
  BOOST_TEST(scenes().size() >= 7U);
}

BOOST_DATA_TEST_CASE(says_what_cannot_start, boost::unit_test::data::make(scenes()), name) {
  fs::current_path(folder); // mesh files are looked for from the folder of the deck
  const Built built(name + ".yaml", contents(folder / (name + ".yaml")));
  BOOST_TEST(built.diagnostics.has_errors());
  BOOST_TEST(built.diagnostics.text() == contents(folder / (name + ".expected")));
}

BOOST_AUTO_TEST_CASE(surfaces_are_on_the_ports_of_their_bodies) {
  const Built built("deck.yaml",
                    three + "contact: {bodies: all, surfaces: {floor: {on: ground, half_space: z}}}\n" + integrator);
  BOOST_TEST(built.diagnostics.text() == "");
  BOOST_TEST_REQUIRE(built.scene().surfaces.size() == 5U);
  BOOST_TEST(built.scene().surfaces[0].port == built.model.bodies[0]->port());
  BOOST_TEST(built.scene().surfaces[3].port == built.model.bodies[3]->port());
  BOOST_TEST(built.scene().surfaces[4].port == Model::ground);
  BOOST_TEST(built.rule("ball1", "floor").empty());
  BOOST_TEST(built.rule("ball1", "ball1") == "none");
}

BOOST_AUTO_TEST_CASE(the_narrower_then_the_later_pair_holds) {
  const Built built("deck.yaml", three + R"(contact:
  bodies: all
  surfaces:
    floor: {on: ground, half_space: z}
    wall: {on: ground, half_space: x, at: [-5, 0, 0]}
  groups: {balls: [ball], all: [ball, box]}
  exclude: [[box, wall]]
  pairs:
    narrow: {between: [ball1, floor], restitution: 0.1}
    by_body: {between: [ground, ball1], restitution: 0.2}
    by_group: {between: [balls, ground], restitution: 0.3}
    later: {between: [all, ground], restitution: 0.4}
    among: {between: [balls, balls]}
)" + integrator);
  BOOST_TEST(built.diagnostics.text() == "");
  BOOST_TEST(built.rule("ball1", "floor") == "narrow");
  BOOST_TEST(built.rule("ball1", "wall") == "by_body");
  BOOST_TEST(built.rule("ball2", "floor") == "later");
  BOOST_TEST(built.rule("box", "floor") == "later");
  BOOST_TEST(built.rule("box", "wall") == "none");
  BOOST_TEST(built.rule("ball1", "ball3") == "among");
  BOOST_TEST(built.rule("box", "ball3").empty());
  BOOST_TEST(built.rule("floor", "wall") == "none"); // half spaces do not meet
  BOOST_TEST(built.scene().rules[1].material.restitution == 0.1);
  // Forces are written about the centre of the second side, if that is one body.
  BOOST_TEST(built.scene().rules[2].second_port == built.model.bodies[0]->port());
  BOOST_TEST((built.scene().rules[1].second == std::vector<int>{4}));
  BOOST_TEST(built.scene().rules[5].second_port == Model::ground);
}

BOOST_AUTO_TEST_CASE(only_pairs_leaves_all_others_alone) {
  const Built built("deck.yaml", three + R"(contact:
  bodies: all
  only: pairs
  pairs: {hit: {between: [ball1, box]}}
)" + integrator);
  BOOST_TEST(built.rule("ball1", "box") == "hit");
  BOOST_TEST(built.rule("ball1", "ball2") == "none");
}

// A table of all pairs of 10⁵ surfaces would have 10¹⁰ entries; surfaces that are alike share a class.
BOOST_AUTO_TEST_CASE(many_surfaces_need_few_classes) {
  const Built built("deck.yaml", R"(bodies:
  ball: {sphere: 0.1, mass: 1, position: [i, j, 1], repeat: {i: 100, j: 200}}
contact:
  bodies: all
  surfaces: {floor: {on: ground, half_space: z}}
  pairs: {fall: {between: [floor, ball]}, one: {between: [floor, ball7_7]}}
)" + integrator);
  BOOST_TEST(built.diagnostics.text() == "");
  BOOST_TEST(built.scene().surfaces.size() == 20'001U);
  BOOST_TEST(built.scene().rule_of.rows() == 3);
  BOOST_TEST(built.rule("floor", "ball7_7") == "one");
  BOOST_TEST(built.rule("ball7_8", "floor") == "fall");
}

BOOST_AUTO_TEST_CASE(overlap_counts_from_a_billionth_of_the_size) {
  const auto said = [](const std::string& z, const std::string& more = "") {
    const Built built("deck.yaml", "bodies: {ball: {sphere: 0.1, mass: 1, position: [0, 0, " + z +
                                       "]}}\ncontact: {bodies: all, surfaces: {floor: {on: ground, half_space: z}}" +
                                       more + "}\n" + integrator);
    return built.diagnostics.text();
  };
  BOOST_TEST(said("0.1").empty());
  BOOST_TEST(said("0.1*(1 - 0.9e-9)").empty());
  BOOST_TEST(said("0.1*(1 - 1.1e-9)").find("'ball' is 1.1e-10 m inside 'floor' at the start") != std::string::npos);
  BOOST_TEST(said("0.05", ", overlap: keep").empty());
  BOOST_TEST(said("0.05", ", exclude: [[ball, floor]]").empty());
}

BOOST_AUTO_TEST_CASE(doubtful_meshes_are_warned_of) {
  const std::string closed = "[1, 3, 2], [1, 2, 4], [1, 4, 3], [2, 3, 4]";
  const auto said = [](const std::string& text) {
    const Built built("deck.yaml", text);
    BOOST_TEST(!built.diagnostics.has_errors());
    return built.diagnostics.text();
  };
  BOOST_TEST(said(mesh_deck(closed)).empty());
  BOOST_TEST(said(mesh_deck("[1, 2, 3], [1, 4, 2], [1, 3, 4], [2, 4, 3]", ", inside: true")).empty());
  BOOST_TEST(said(mesh_deck(closed + ", [1, 2, 5]")).find("has 1 facet without area, which is left out") !=
             std::string::npos);
  const std::string open = said(mesh_deck("[1, 3, 2]"));
  BOOST_TEST(open.find("warning: the mesh of surface 'skin' is open: 3 edges have one facet only") !=
             std::string::npos);
  BOOST_TEST(open.find("the first is between nodes ") != std::string::npos);
  BOOST_TEST(said(mesh_deck("[1, 2, 3], [2, 1, 4], [1, 2, 6]")).find("of more than two facets") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(options_of_the_engine_are_those_of_the_deck) {
  const Built built("deck.yaml", three + R"(contact:
  stabilise: false
  arms: printed
  solver: {method: constraint_planes, class: fast, tolerance: 1e-10, most_applications: 50, not_converged: halve}
integrator: {step: 0.01, end: 1, events: located, rotation: exponential}
)");
  const FreeBodiesOptions options = contact_options(built.deck);
  BOOST_TEST(options.exponential);
  BOOST_TEST(options.located);
  BOOST_TEST(!options.stabilise);
  BOOST_TEST((options.arms == Arms::printed));
  BOOST_TEST((options.solver.method == contact::ContactMethod::constraint_planes));
  BOOST_TEST(options.solver.fast);
  BOOST_TEST(options.solver.tolerance == 1e-10);
  BOOST_TEST(options.solver.most_applications == 50);
  BOOST_TEST((options.not_converged == NotConverged::halve));
}

// A ball of 0.2 m that flies at 30 m/s covers 0.3 m in a step of 0.01 s, more than it and a slab of 0.05 m are thick.
BOOST_AUTO_TEST_CASE(surfaces_that_could_pass_through_each_other_are_told_once) {
  const auto text = [](const std::string& speed) {
    return "bodies: {ball: {sphere: 0.1, mass: 1, position: [0, 0, 5], velocity: [0, 0, -" + speed +
           "]}}\ncontact: {bodies: all, surfaces: {slab: {on: ground, box: [1, 1, 0.05]}, floor: {on: ground, "
           "half_space: "
           "z, at: [0, 0, -9]}}}\n" +
           integrator;
  };
  const Built fast("deck.yaml", text("30"));
  TunnelWatch watch(*fast.model.model, fast.scene(), 0.01);
  const std::string said = watch.look(fast.model.initial);
  BOOST_TEST(said ==
             "'ball' and 'slab' move by up to 0.3 m in a step at t = 0 s, further than the 0.25 m that they are "
             "thick: they may pass through each other unseen; expected a step of at most 0.00833 s");
  BOOST_TEST(watch.look(fast.model.initial).empty());
  const Built slow("deck.yaml", text("24"));
  BOOST_TEST(TunnelWatch(*slow.model.model, slow.scene(), 0.01).look(slow.model.initial).empty());
}

BOOST_AUTO_TEST_SUITE_END()
