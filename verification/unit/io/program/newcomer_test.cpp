/// What meets somebody who is new to the program: the command line, standard input, sizes of files, tables of `check`.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <regex>
#include <set>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

const std::string spinning = "bodies:\n  top: {mass: 2, inertia: INERTIA, angular_velocity: [0, 0, 1]}\n"
                             "integrator: {type: energy_momentum, step: 0.1, end: 1}\n";

std::string with_inertia(const std::string& inertia) {
  return std::regex_replace(spinning, std::regex("INERTIA"), inertia);
}

} // namespace

BOOST_AUTO_TEST_SUITE(Newcomer)

BOOST_AUTO_TEST_CASE(a_deck_may_come_from_standard_input) {
  const Workplace w;
  w.write("top.yaml", with_inertia("[1, 2, 2.5]"));
  const Ended checked = w.emmy("check - <top.yaml");
  BOOST_TEST(checked.code == 0);
  BOOST_TEST(checked.err == "");
  BOOST_TEST(checked.out == std::regex_replace(w.emmy("check top.yaml").out, std::regex("top[.]yaml"), "<stdin>"));
  const Ended run = w.emmy("run - --set integrator.end=0.5 <top.yaml");
  BOOST_TEST(run.code == 0);
  BOOST_TEST(contains(run.out, "Results in stdin.out: history.csv (6 rows)"), run.out);
  BOOST_TEST(w.emmy("run - -o here <top.yaml").code == 0);
  BOOST_TEST(fs::exists(w.path() / "here" / "audit.json"));
  w.write("bad.yaml", with_inertia("[1, 2, 4]"));
  const Ended bad = w.emmy("run - <bad.yaml");
  BOOST_TEST(bad.code == 2);
  BOOST_TEST(bad.err.find("<stdin>:2:27: error: 'inertia' of body 'top'") == 0U, bad.err);
  BOOST_TEST(contains(w.emmy("check - </dev/null").err, "<stdin>: error: the deck is empty"));
  BOOST_TEST(contains(w.emmy("run --help").out, "or - for standard input"));
}

BOOST_AUTO_TEST_CASE(words_that_are_no_commands_are_answered) {
  const Workplace w;
  const Ended nothing = w.emmy("");
  BOOST_TEST(nothing.code == 2);
  BOOST_TEST(contains(nothing.err, "Usage: emmy "), nothing.err);
  BOOST_TEST(contains(nothing.err, "Run a deck and write its results"));
  const Ended misspelt = w.emmy("chek deck.yaml");
  BOOST_TEST(misspelt.code == 2);
  BOOST_TEST(misspelt.err == "emmy: error: unknown command 'chek'\n  expected one of: check, run, schema, verify\n"
                             "  did you mean 'check'?\n");
  const Ended no_deck = w.emmy("run");
  BOOST_TEST(no_deck.code == 2);
  BOOST_TEST(no_deck.err ==
             "emmy: error: deck, or --restart DIR, is required\n  'emmy run --help' tells what is expected\n");
  const Ended option = w.emmy("check deck.yaml --frce");
  BOOST_TEST(option.code == 2);
  BOOST_TEST(contains(option.err, "emmy: error: "), option.err);
  BOOST_TEST(contains(option.err, "--frce\n  'emmy check --help' tells what is expected\n"), option.err);
}

// A thousand million steps of full output are no slip of a moment: they take days and fill the disk.
BOOST_AUTO_TEST_CASE(files_that_will_be_large_are_told_before) {
  const Workplace w;
  w.write("top.yaml", with_inertia("[1, 2, 2.5]"));
  BOOST_TEST(w.emmy("check top.yaml").err == "");
  // 1 + 13 + 11 columns of 19 bytes: 2e6 lines are 0.95 GB, 4e6 lines 1.9 GB.
  BOOST_TEST(w.emmy("check top.yaml --set integrator.step=5e-7").err == "");
  const Ended large = w.emmy("check top.yaml --set integrator.step=2.5e-7");
  BOOST_TEST(large.code == 0);
  BOOST_TEST(contains(large.err, "warning: history.csv may take 1.9 GB: 4e+06 lines of 25 numbers; write fewer lines, "
                                 "e.g. by 'output: {every: 2.5e-06}', or fewer columns\n"),
             large.err);
  BOOST_TEST(w.emmy("check top.yaml --set integrator.step=2.5e-7 --set output.every=2.5e-6").err == "");
  const Ended full = w.emmy("run top.yaml --set integrator.step=1e-12"); // 250 to 475 TB
  BOOST_TEST(full.code == 2);
  BOOST_TEST(
      contains(full.err, "top.yaml: error: history.csv would take 250 TB to 475 TB: 1e+12 lines of 25 numbers, and "),
      full.err);
  BOOST_TEST(contains(full.err, "'output: {every: 1e-06}'"), full.err);
  BOOST_TEST(!fs::exists(w.path() / "top.out"));
  BOOST_TEST(w.emmy("check top.yaml --set analysis=static").err == ""); // one line
}

BOOST_AUTO_TEST_CASE(the_estimate_of_a_file_is_what_it_takes) {
  const Workplace w;
  w.write("top.yaml", with_inertia("[1, 2, 2.5, 0.1, 0.2, 0.3]"));
  // Everything that moves in space; zeros: work and dissipation, positions and linear momenta of a body that only
  // turns.
  BOOST_REQUIRE(w.emmy("run top.yaml --set integrator.step=0.001 --set bodies.top.velocity=[0.1,0.2,0.3]").code == 0);
  const double lines = 1002, numbers = 25;
  const auto bytes = static_cast<double>(fs::file_size(w.path() / "top.out" / "history.csv"));
  BOOST_TEST(bytes / (lines * numbers) <= 19);
  BOOST_TEST(bytes / (lines * numbers) >= 10);
}

BOOST_AUTO_TEST_CASE(check_tells_principal_inertias_and_their_axes) {
  const Workplace w;
  const auto said = [&](const std::string& inertia) {
    w.write("top.yaml", with_inertia(inertia));
    return w.emmy("check top.yaml").out;
  };
  // Along the body's own axes: in their order, and nothing else to say.
  const std::string own = said("[2.5, 1, 2]");
  BOOST_TEST(contains(own, "         2.5          1          2 "), own);
  BOOST_TEST(!contains(own, "principal axes"), own);
  // J = R diag(1, 2, 2.5) Rᵀ, R = turn about z with cosine 0.8 and sine 0.6:
  // Jxx = 0.64 + 0.72 = 1.36, Jyy = 0.36 + 1.28 = 1.64, Jxy = 0.48 (1 - 2).
  const std::string turned = said("[1.36, 1.64, 2.5, -0.48, 0, 0]");
  BOOST_TEST(contains(turned, "           1          2        2.5 "), turned);
  BOOST_TEST(contains(turned,
                      "  top has its principal axes in body coordinates at (0.8, 0.6, 0), (-0.6, 0.8, 0), (0, 0, 1)\n"),
             turned);
  // A rod along the same direction: moments 1, 2, 2, so that only its own axis is one. Jxx, Jxy as before.
  const std::string rod = said("[1.36, 1.64, 2, -0.48, 0, 0]");
  BOOST_TEST(contains(rod, "  top has its principal axes in body coordinates at (0.8, 0.6, 0) and all across it\n"),
             rod);
}

BOOST_AUTO_TEST_CASE(documents_call_the_schema_by_one_name) {
  std::set<std::string> names;
  for (const char* file : {"README.md", "docs/deck.md"}) {
    const std::string text = read_file(fs::path(EMMY_SOURCE_DIR) / file);
    const std::regex name("emmy[-._a-z]*schema[.]json");
    for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
      names.insert(found->str());
  }
  BOOST_TEST(names == std::set<std::string>{"emmy.schema.json"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
