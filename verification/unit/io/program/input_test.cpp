/// What the program says to good and bad input.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> files(const std::vector<std::string>& folders, const std::string& extension) {
  std::vector<std::string> found;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(EMMY_SOURCE_DIR "/" + folder))
      if (entry.path().extension() == extension)
        found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Input)

BOOST_DATA_TEST_CASE(a_bad_deck_ends_with_code_2_a_place_and_nothing_written,
                     boost::unit_test::data::make(files({"verification/bad_decks", "verification/bad_scenes"},
                                                        ".yaml")),
                     deck) {
  const Workplace w;
  for (const char* command : {"run ", "check "}) {
    const Ended e = w.emmy(command + ("'" + deck + "'"));
    BOOST_TEST(e.code == 2);
    BOOST_TEST(contains(e.err, ": error: "));
    BOOST_TEST(e.err.find(deck) == 0U);
    BOOST_TEST(e.out == "");
  }
  const auto entries = std::distance(fs::directory_iterator(w.path()), fs::directory_iterator());
  BOOST_TEST(entries == 2); // what this test itself has captured
}

BOOST_DATA_TEST_CASE(every_example_passes_the_check, boost::unit_test::data::make(files({"examples"}, ".yaml")), deck) {
  const Workplace w;
  const Ended e = w.emmy("check '" + deck + "'");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "degree"));
}

BOOST_AUTO_TEST_CASE(check_says_what_the_model_consists_of) {
  const Workplace w;
  const Ended e = w.emmy("check " + example("chain_revolute.yaml"));
  BOOST_TEST(contains(e.out, "4 bodies, 4 joints, 44 unknowns, 4 degrees of freedom"));
  BOOST_TEST(contains(e.out, "constraint equations     20, rank 20"));
  BOOST_TEST(contains(e.out, "redundant equations      none"));
  BOOST_TEST(contains(e.out, "position violation"));
  BOOST_TEST(contains(e.out, "velocity violation"));
}

BOOST_AUTO_TEST_CASE(redundant_joints_are_named_and_solved_or_refused) {
  const Workplace w;
  const std::string deck = w.write("twice.yaml", R"(
bodies:
  rod: {box: [1, 1, 1], mass: 1, angular_velocity: [2, 0, 0]}
joints:
  left:  {type: revolute, between: [ground, rod], at: [-1, 0, 0], axis: x}
  right: {type: revolute, between: [ground, rod], at: [1, 0, 0], axis: x}
integrator: {type: energy_momentum, step: 0.1, end: 1}
)");
  const Ended e = w.emmy("run twice.yaml --set solver.redundant=refuse");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "twice.yaml:5:3: error: 5 redundant constraint equations, in the joints 'left', 'right'"));
  BOOST_TEST(contains(e.err, "'solver: {redundant: solve}'"));
  BOOST_TEST(!fs::exists(w.path() / "twice.out"));
  BOOST_TEST(contains(w.emmy("check twice.yaml").out, "redundant equations      5, in left, right"));
  const Ended solved = w.emmy("run twice.yaml");
  BOOST_TEST(solved.code == 0);
  BOOST_TEST(solved.err == "");
  const auto audit = nlohmann::json::parse(w.read("twice.out/audit.json"));
  BOOST_TEST(audit.at("constraints").at("redundant") == 5);
  BOOST_TEST(audit.at("constraints").at("redundant_joints") == nlohmann::json({"left", "right"}));
}

BOOST_AUTO_TEST_CASE(joints_that_are_open_at_the_start_are_refused) {
  const Workplace w;
  const std::string head = "bodies:\n  rod: {box: [1, 1, 1], mass: 1, velocity: [0, 0.25, 0]}\njoints:\n";
  const std::string tail = "integrator: {type: energy_momentum, step: 0.1, end: 1}\n";
  w.write("open.yaml",
          head + "  pin: {type: spherical, between: [ground, rod], at: {first: [0, 0, 0.125], second: [0, 0, 0]}}\n" +
              tail);
  const Ended e = w.emmy("run open.yaml");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(
      e.err,
      "open.yaml:4:3: error: joint 'pin' is not closed in the initial configuration: position along z [m] is off by "
      "1.250e-01"));
  BOOST_TEST(contains(
      e.err,
      "error: the initial velocities tear joint 'pin' apart: position along y [m] changes by 2.500e-01 a second"));
}

BOOST_AUTO_TEST_CASE(axes_that_differ_by_any_angle_are_measured) {
  const Workplace w;
  for (const char* axis : {"x", "y", "-z", "[1, 1, 0]"}) { // of a hinge whose other side turns about z
    w.write("askew.yaml",
            std::string("bodies:\n  rod: {box: [1, 1, 1], mass: 1}\njoints:\n  pin: {type: revolute, between: "
                        "[ground, rod], at: [0, 0, 0], axis: {first: z, second: ") +
                axis + "}}\nintegrator: {type: energy_momentum, step: 0.1, end: 1}\n");
    const Ended e = w.emmy("check askew.yaml");
    BOOST_TEST(e.code == 2);
    if (std::string(axis) == "-z") // the same line, but its angle would start at half a turn
      BOOST_TEST(contains(e.err, "the two axes of joint 'pin' point in opposite directions"), e.err);
    else
      BOOST_TEST(
          contains(e.err,
                   "joint 'pin' is not closed in the initial configuration: alignment of its axes [rad] is off by "),
          e.err);
    BOOST_TEST(!contains(e.err + e.out, "nan"));
  }
}

// Squares of such a lever overflow: no row of the joint can be told from rounding, and all depend on nothing.
BOOST_AUTO_TEST_CASE(a_joint_beyond_all_measure_is_analysed) {
  const Workplace w;
  const Ended e = w.emmy("check " + example("pendulum.yaml") + " --set 'joints.hinge.at=[0, 1e300, 0]'");
  BOOST_TEST((e.code == 0 || e.code == 2));
  BOOST_TEST(contains(e.out, "constraint equations     5, rank 0"));
}

BOOST_AUTO_TEST_CASE(missing_files_and_directories_are_bad_input) {
  const Workplace w;
  const Ended missing = w.emmy("run nowhere.yaml");
  BOOST_TEST(missing.code == 2);
  BOOST_TEST(missing.err.find("nowhere.yaml: error: ") == 0U);
  fs::create_directory(w.path() / "folder.yaml");
  const Ended folder = w.emmy("run folder.yaml");
  BOOST_TEST(folder.code == 2);
  BOOST_TEST(folder.err.find("folder.yaml: error: ") == 0U);
}

BOOST_AUTO_TEST_CASE(wrong_words_on_the_command_line_are_bad_input) {
  const Workplace w;
  for (const char* words : {"", "fly", "run", "run a b", "run --colour=red x.yaml", "check"}) {
    const Ended e = w.emmy(words);
    BOOST_TEST(e.code == 2, "emmy " << words);
    BOOST_TEST(!e.err.empty());
  }
  const Ended set = w.emmy("run " + example("pendulum.yaml") + " --set integrator.stepp=1");
  BOOST_TEST(set.code == 2);
  BOOST_TEST(contains(set.err, "--set integrator.stepp=1"));
  BOOST_TEST(contains(set.err, "did you mean 'step'?"));
}

BOOST_AUTO_TEST_CASE(help_version_and_schema_are_at_hand) {
  const Workplace w;
  for (const char* words : {"--help", "run --help", "check --help", "schema --help", "verify --help"})
    BOOST_TEST(w.emmy(words).code == 0, "emmy " << words);
  BOOST_TEST(w.emmy("--version").out == "emmy " EMMY_VERSION "\n");
  const auto schema = nlohmann::json::parse(w.emmy("schema").out);
  for (const char* entry : {"title", "parameters", "gravity", "defaults", "bodies", "joints", "forces", "integrator",
                            "solver", "output", "audit"})
    BOOST_TEST(schema.at("properties").contains(entry), entry);
}

BOOST_AUTO_TEST_CASE(the_deck_reference_in_the_documentation_is_current) {
  const Workplace w;
  const std::string reference = w.emmy("schema --markdown").out;
  BOOST_TEST(reference.size() > 1000);
  BOOST_TEST(contains(read_file(EMMY_SOURCE_DIR "/docs/deck.md"), reference));
}

BOOST_AUTO_TEST_SUITE_END()
