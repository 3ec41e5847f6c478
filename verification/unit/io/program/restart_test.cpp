/// `emmy run --restart` as its users see it: the run goes on as if nothing had happened, or says why it cannot.
#include "io/checkpoint/checkpoint.hpp"
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

const std::string chain = example("chain_spherical.yaml");
const std::string short_chain = chain + " --set integrator.step=0.01 --set integrator.end=1";

/// Names and contents of the files of a directory.
std::map<std::string, std::string> files(const Workplace& w, const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(w.path() / directory))
    if (entry.is_regular_file())
      all[entry.path().filename().string()] = read_file(entry.path());
  return all;
}

long count_checkpoints(const Workplace& w, const std::string& directory) {
  const auto all = files(w, directory);
  return std::count_if(all.begin(), all.end(),
                       [](const auto& f) { return f.first.compare(0, 11, "checkpoint.") == 0; });
}

/// A run of the short chain that was stopped in its middle, in `r`; the whole of it is in `whole`.
void prepare(const Workplace& w, const std::string& further = "") {
  BOOST_REQUIRE(w.emmy("run " + short_chain + " -o whole" + further).code == 0);
  const Ended e = w.emmy("run " + short_chain + " -o r --stop-at 0.5" + further);
  BOOST_REQUIRE(e.code == 1);
  BOOST_REQUIRE(contains(e.err, "the run can go on from here: emmy run --restart r"));
}

void flip(const Workplace& w, const std::string& file, std::size_t at) {
  std::string text = w.read(file);
  text.at(at) = static_cast<char>(text[at] ^ 4);
  w.write(file, text);
}

/// Ends with code 2 and this message, and leaves the directory as it was.
void check_refused(const Workplace& w, const std::string& arguments, const std::string& message) {
  const auto before = files(w, "r");
  const Ended e = w.emmy("run " + arguments);
  BOOST_TEST(e.code == 2, arguments);
  BOOST_TEST(contains(e.err, message), e.err);
  BOOST_TEST((files(w, "r") == before), arguments);
}

} // namespace

BOOST_AUTO_TEST_SUITE(Restart)

BOOST_AUTO_TEST_CASE(goes_on_as_if_nothing_had_happened) {
  const Workplace w;
  prepare(w);
  BOOST_TEST(w.read("r/history.csv") != w.read("whole/history.csv"));
  const Ended e = w.emmy("run --restart r");
  BOOST_TEST(e.code == 0, e.err);
  BOOST_TEST(contains(e.out, "history.csv (101 rows)"), e.out);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
  BOOST_TEST(contains(w.read("r/run.log"), "goes on from t = 0.5 s, step 50, of r"));
  // Once more it has nothing to do, and does no harm.
  BOOST_TEST(w.emmy("run --restart r").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

BOOST_AUTO_TEST_CASE(goes_on_after_a_signal) {
  for (const char* signal : {"INT", "TERM"}) {
    const Workplace w;
    w.emmy(long_run_until_lines_appear(w) + "kill -" + signal + " $!; wait $!");
    const double reached = nlohmann::json::parse(w.read("r/audit.json")).at("end_time");
    BOOST_TEST(count_checkpoints(w, "r") == 1);
    const std::string end =
        " --set integrator.end=" + std::to_string(reached + 0.01); // with six digits, of steps of 1e-4
    BOOST_TEST(w.emmy("run --restart r" + end).code == 0);
    BOOST_REQUIRE(w.emmy("run " + chain + " -o whole --set integrator.step=1e-4" + end).code == 0);
    BOOST_TEST((w.read("r/history.csv") == w.read("whole/history.csv")), signal);
  }
}

BOOST_AUTO_TEST_CASE(of_a_deck_from_standard_input_needs_no_deck) {
  const Workplace w;
  const std::string of_deck = " --set integrator.step=0.01 --set integrator.end=1 <" + chain;
  BOOST_REQUIRE(w.emmy("run - -o whole" + of_deck).code == 0);
  BOOST_REQUIRE(w.emmy("run - -o r --stop-at 0.5" + of_deck).code == 1);
  BOOST_TEST(w.emmy("run --restart r").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

BOOST_AUTO_TEST_CASE(can_be_extended_beyond_its_end) {
  const Workplace w;
  BOOST_REQUIRE(w.emmy("run " + short_chain + " -o r --set output.every_steps=7").code == 0);
  BOOST_REQUIRE(w.emmy("run " + short_chain + " -o long --set output.every_steps=7 --set integrator.end=2").code == 0);
  BOOST_TEST(w.emmy("run --restart r --set integrator.end=2").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("long/history.csv")); // without the line at the end of the first
  // What ended between two lines and is asked for no more stays as it was, reactions of its last step included.
  BOOST_REQUIRE(w.emmy("run " + short_chain + " -o done --set output.every_steps=7").code == 0);
  const std::string done = w.read("done/history.csv");
  BOOST_TEST(w.emmy("run --restart done").code == 0);
  BOOST_TEST(w.read("done/history.csv") == done);
  check_refused(w, "--restart r --set integrator.end=1.5",
                "has come to t = 2 s already, beyond integrator.end = 1.5 s");
}

/// Killed once it has cut off the line at the old end: the next restart knows the new one.
BOOST_AUTO_TEST_CASE(keeps_what_was_set_when_it_is_killed) {
  const Workplace w;
  const std::string deck = chain + " --set integrator.step=1e-4 --set integrator.end=0.01 --set output.every_steps=7";
  BOOST_REQUIRE(w.emmy("run " + deck + " -o r").code == 0);
  w.emmy("run --restart r --set integrator.end=100 >/dev/null 2>&1 & for i in $(seq 600); do [ \"$(wc -l <" +
         (w.path() / "r/history.csv").string() + ")\" -gt 1000 ] && break; sleep 0.05; done; kill -9 $!; wait $!");
  BOOST_TEST(!fs::exists(w.path() / "r/audit.json"));
  BOOST_TEST(w.emmy("run --restart r --set integrator.end=0.02").code == 0);
  BOOST_REQUIRE(w.emmy("run " + deck + " --set integrator.end=0.02 -o whole").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

/// 3 x 0.1 is not 0.3: the last line of the shorter run is a line of the longer one all the same.
BOOST_AUTO_TEST_CASE(times_are_those_of_a_longer_run) {
  const Workplace w;
  const std::string deck = "run " + chain + " --set integrator.end=";
  BOOST_REQUIRE(w.emmy(deck + "0.3 -o r").code == 0);
  BOOST_REQUIRE(w.emmy(deck + "1.5 -o long").code == 0);
  BOOST_TEST(w.emmy("run --restart r --set integrator.end=1.5").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("long/history.csv"));
}

BOOST_AUTO_TEST_CASE(a_last_step_that_was_shorter_is_completed_first) {
  const Workplace w;
  const std::string deck = chain + " --set integrator.step=0.01";
  BOOST_REQUIRE(w.emmy("run " + deck + " -o r --set integrator.end=0.105").code == 0);
  BOOST_TEST(w.emmy("run --restart r --set integrator.end=0.2").code == 0);
  const auto csv = read_csv(w.read("r/history.csv"));
  BOOST_REQUIRE(csv.size() == 22U);
  BOOST_TEST(cell(csv, 12, "t") == 0.11, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(cell(csv, 21, "t") == 0.2);
}

BOOST_AUTO_TEST_CASE(in_a_new_directory_begins_files_there) {
  const Workplace w;
  prepare(w);
  const auto before = files(w, "r");
  BOOST_TEST(w.emmy("run --restart r -o new --set 'output.channels=[link1.x]'").code == 0);
  BOOST_TEST((files(w, "r") == before));
  const auto csv = read_csv(w.read("new/history.csv")), whole = read_csv(w.read("whole/history.csv"));
  BOOST_REQUIRE(csv.size() == 51U);
  BOOST_TEST(csv[1][0] == "0.51");
  BOOST_TEST(cell(csv, 50, "link1.x") == cell(whole, 101, "link1.x"));
}

BOOST_AUTO_TEST_CASE(keeps_the_newest_checkpoints_only) {
  const Workplace w;
  prepare(w, " --set checkpoint.every_steps=5 --set checkpoint.keep=3");
  BOOST_TEST(count_checkpoints(w, "r") == 3);
  BOOST_TEST(fs::exists(w.path() / "r/checkpoint.50"));
  BOOST_TEST(fs::exists(w.path() / "r/checkpoint.45"));
  BOOST_TEST(w.emmy("run " + short_chain + " -o none --set checkpoint.keep=0").code == 0);
  BOOST_TEST(count_checkpoints(w, "none") == 0);
  BOOST_TEST(w.emmy("run " + short_chain + " -o r --force --set checkpoint.keep=0").code == 0);
  BOOST_TEST(count_checkpoints(w, "r") == 0); // those of the run before are no longer true
}

BOOST_AUTO_TEST_CASE(refuses_what_would_make_another_run) {
  const Workplace w;
  prepare(w);
  check_refused(w, "--restart r --set integrator.step=0.02",
                "--set integrator.step=0.02: error: a run that goes on keeps");
  check_refused(w, "--restart r --set gravity='[0, 0, 0]'", "expected a change of integrator.end, output, audit");
  check_refused(w, "--restart r --set output.every=0.1", "'output' now asks for other columns or intervals");
  check_refused(w, "--restart r --estimate", "--estimate compares motions in time");
  check_refused(w, "--restart r -- -ksp_type gmres", "the run had other options of PETSc: none");
  check_refused(w, "--restart whole2", "whole2: error: there is no checkpoint to restart from");
  std::string text = read_file(chain);
  text.replace(text.find("mass: "), 6, "mass:  ");
  w.write("other.yaml", text);
  check_refused(w, "other.yaml --restart r", "other.yaml:");
  check_refused(w, "other.yaml --restart r", "error: this is not the deck of the run, which differs from here on");
  BOOST_TEST(w.emmy("run " + chain + " --restart r").code == 0); // the deck itself may be said
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

/// What only another program could have written.
BOOST_AUTO_TEST_CASE(refuses_another_version_or_model) {
  const auto check = [](const std::function<void(emmy::RunIdentity&)>& change, const std::string& message) {
    const Workplace w;
    prepare(w);
    emmy::Checkpoint checkpoint = emmy::decode(w.read("r/checkpoint.50"));
    change(checkpoint.identity);
    w.write("r/checkpoint.50", emmy::encode(checkpoint));
    check_refused(w, "--restart r", message);
  };
  check([](auto& was) { was.version = "0.0.1"; }, "checkpoint.50: warning: this checkpoint cannot be used: it was "
                                                  "written by emmy 0.0.1, and this is emmy " EMMY_VERSION);
  check([](auto& was) { was.values += 7; }, "this is not the run of the checkpoint: its model had 35 values");
  check([](auto& was) { was.multipliers -= 3; }, "9 multipliers, and this one has 28, 24 and 12");
  check([](auto& was) { was.step = 0.02; }, "its step was 0.02 s, and this one is 0.01 s");
}

BOOST_AUTO_TEST_CASE(refuses_files_that_are_not_as_they_were) {
  const Workplace w;
  prepare(w);
  const std::string good = w.read("r/history.csv");
  flip(w, "r/history.csv", good.size() / 2);
  check_refused(w, "--restart r", "r/history.csv: error: the run cannot go on behind what is here: its first ");
  w.write("r/history.csv", good.substr(0, good.size() / 2));
  check_refused(w, "--restart r", "it is shorter than it was");
  fs::remove(w.path() / "r/history.csv");
  check_refused(w, "--restart r", "it cannot be read: No such file or directory");
  // What stands behind the mark is cut off: lines that were written after the checkpoint.
  w.write("r/history.csv", good + "0.51,1,2\n0.5");
  BOOST_TEST(w.emmy("run --restart r").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

BOOST_AUTO_TEST_CASE(takes_an_older_checkpoint_where_the_newest_is_damaged) {
  const Workplace w;
  prepare(w, " --set checkpoint.every_steps=20");
  flip(w, "r/checkpoint.50", 1000);
  const Ended e = w.emmy("run --restart r");
  BOOST_TEST(e.code == 0, e.err);
  BOOST_TEST(
      contains(e.err, "r/checkpoint.50: warning: this checkpoint cannot be used: its bytes are not what was written"));
  BOOST_TEST(contains(e.err, "going on from an older one, r/checkpoint.40"));
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
  for (const auto& [name, text] : files(w, "r"))
    if (name.compare(0, 11, "checkpoint.") == 0)
      w.write("r/" + name, text.substr(0, 500));
  check_refused(w, "--restart r", "r: error: there is no checkpoint left to restart from");
}

BOOST_AUTO_TEST_CASE(after_a_failure_fails_again_in_the_same_way) {
  const Workplace w;
  const std::string deck = chain + " -o r --set integrator.step=1 --set solver.max_halvings=0";
  const Ended first = w.emmy("run " + deck);
  BOOST_REQUIRE(first.code == 3);
  const std::string history = w.read("r/history.csv");
  BOOST_TEST(count_checkpoints(w, "r") >= 1);
  const Ended again = w.emmy("run --restart r");
  BOOST_TEST(again.code == 3);
  BOOST_TEST(again.err == first.err);
  BOOST_TEST(w.read("r/history.csv") == history);
}

BOOST_AUTO_TEST_CASE(a_mesh_that_was_changed_is_noticed) {
  const Workplace w;
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  w.write("t.obj", tetrahedron);
  w.write("d.yaml",
          "bodies: {stone: {box: [1, 1, 1], mass: 1, position: [0, 0, 5]}}\n"
          "contact: {surfaces: {skin: {on: stone, mesh: {file: t.obj}}, floor: {on: ground, half_space: z}}}\n"
          "integrator: {step: 0.01, end: 0.1}\n");
  const Ended e = w.emmy("run d.yaml -o r --stop-at 0.05");
  BOOST_REQUIRE_MESSAGE(e.code == 1, e.err);
  w.write("t.obj", tetrahedron + "\n");
  check_refused(w, "--restart r", "t.obj has been changed");
  w.write("t.obj", tetrahedron);
  BOOST_TEST(w.emmy("run --restart r").code == 0);
}

/// Files of one name in two folders are two files.
BOOST_AUTO_TEST_CASE(meshes_are_told_apart_by_their_order) {
  const Workplace w;
  const std::string small = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  fs::create_directory(w.path() / "a");
  fs::create_directory(w.path() / "b");
  w.write("a/t.obj", small);
  w.write("b/t.obj", small + "\n");
  w.write("d.yaml",
          "bodies: {one: {box: [1, 1, 1], mass: 1, position: [0, 0, 5]}, two: {box: [1, 1, 1], mass: 1}}\n"
          "contact: {surfaces: {first: {on: one, mesh: {file: a/t.obj}}, second: {on: two, mesh: {file: b/t.obj}}}}\n"
          "integrator: {step: 0.01, end: 0.1}\n");
  BOOST_REQUIRE(w.emmy("run d.yaml -o r --stop-at 0.05").code == 1);
  BOOST_TEST(w.emmy("run --restart r").code == 0);
}

/// A limit of the size of files stands for a disk that is full.
BOOST_AUTO_TEST_CASE(after_a_full_disk_goes_on_where_there_is_room) {
  const Workplace w;
  const std::string deck = short_chain + " --set checkpoint.every_steps=10";
  BOOST_REQUIRE(w.emmy("run " + deck + " -o whole").code == 0);
  const Ended full = w.emmy_by("prlimit --fsize=60000 --", "run " + deck + " -o r");
  BOOST_TEST(full.code == 2);
  BOOST_TEST(contains(full.err, "r/history.csv: error: cannot write: File too large\n  once it can be written, the run "
                                "goes on from its newest checkpoint by: emmy run --restart r\n"),
             full.err);
  BOOST_TEST(count_checkpoints(w, "r") == 2);
  BOOST_TEST(w.emmy("run --restart r").code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
  // Room for results, and none for checkpoints.
  const Ended tight = w.emmy_by("prlimit --fsize=4000 --", "run " + short_chain +
                                                               " -o t --set 'output.channels=energy' "
                                                               "--set output.every=0.1");
  BOOST_TEST(tight.code == 2);
  BOOST_TEST(contains(tight.err, "t/checkpoint.100.new: error: cannot write: File too large"), tight.err);
  BOOST_TEST(!fs::exists(w.path() / "t/checkpoint.100.new"));
}

BOOST_AUTO_TEST_CASE(in_a_directory_that_cannot_be_written_changes_nothing) {
  const Workplace w;
  prepare(w);
  fs::permissions(w.path(), fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all);
  fs::copy_file(EMMY_PROGRAM, w.path() / "emmy"); // where everybody may read it
  w.write("deck.yaml", read_file(chain));
  for (const auto& file : files(w, "r"))
    fs::permissions(w.path() / "r" / file.first,
                    fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(w.path() / "r", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                                      fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec);
  const auto before = files(w, "r");
  const std::string as_nobody = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  for (const std::string arguments : {"--restart r", "deck.yaml -o r --force", "deck.yaml -o r/below"}) {
    const Ended e = w.emmy_by(as_nobody + "./emmy run " + arguments + " >said 2>&1 #", "");
    BOOST_TEST(e.code == 2, arguments);
    BOOST_TEST(contains(w.read("said"), "error: cannot "), w.read("said"));
    BOOST_TEST(contains(w.read("said"), "Permission denied"), w.read("said"));
    BOOST_TEST((files(w, "r") == before), arguments);
  }
  fs::permissions(w.path() / "r", fs::perms::owner_all);
}

BOOST_AUTO_TEST_CASE(while_the_run_is_still_going_is_refused) {
  const Workplace w;
  // The first run is in the background; the second wants its directory.
  const Ended e =
      w.emmy(long_run_until_lines_appear(w) + "P=$!; cd '" + w.path().string() + "'; '" EMMY_PROGRAM "' run " +
             short_chain + " -o r --force >said 2>&1; code=$?; kill -9 $P; exit $code");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(w.read("said"), "r: error: another run is writing its results here"), w.read("said"));
}

BOOST_AUTO_TEST_SUITE_END()
