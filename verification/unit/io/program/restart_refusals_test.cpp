/// `emmy run --restart` as its users see it: what keeps a run from going on, and what does not.
#include "io/checkpoint/checkpoint.hpp"
#include "io/output_size.hpp"
#include "verification/unit/io/program/restarts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <limits>

using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(RestartRefusals)

BOOST_AUTO_TEST_CASE(refuses_what_would_make_another_run) {
  const Workplace w;
  prepare(w);
  check_refused(w, "--restart r --set integrator.step=0.02",
                "--set integrator.step=0.02: error: a run that goes on keeps");
  check_refused(w, "--restart r --set gravity='[0, 0, 0]'", "expected a change of integrator.end, output, audit");
  check_refused(w, "--restart r --set integrator.ending=2", "a run that goes on keeps what it is");
  for (const std::string change : {"output.every=0.1", "output.angular_velocity=body", "output.units=false",
                                   "output.contacts=none", "output.points.tip.point=[1,0,0]", "output={}"})
    check_refused(w, "--restart r --set " + change,
                  "--set " + change + ": error: files that are added to keep what they have\n  expected -o DIR");
  check_refused(w, "--restart r --set checkpoint.keep=0",
                "r: error: 'checkpoint: {keep: 0}' would leave an old checkpoint here");
  check_refused(w, "--restart r --estimate", "--estimate compares motions in time");
  check_refused(w, "--restart r -- -ksp_type gmres", "the run had other options of PETSc: none");
  check_refused(w, "--restart whole2", "whole2: error: there is no checkpoint to restart from");
  std::string text = read_file(chain);
  text.replace(text.find("mass: "), 6, "mass:  ");
  w.write("other.yaml", text);
  check_refused(w, "other.yaml --restart r", "other.yaml:");
  check_refused(w, "other.yaml --restart r", "error: this is not the deck of the run, which differs from here on");
  check_refused(w, chain + " -o new --stop-at nan", "--stop-at: expected a time in seconds, and not nan");
  check_refused(w, "--restart r --stop-at inf", "--stop-at: expected a time in seconds");
  BOOST_TEST(w.emmy("run " + chain + " --restart r").code == 0); // the deck itself may be said
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

/// PETSc takes options from its surroundings, too.
BOOST_AUTO_TEST_CASE(refuses_other_options_of_petsc_wherever_they_come_from) {
  const Workplace w;
  prepare(w);
  const std::string with = "env PETSC_OPTIONS='-snes_linesearch_type basic'";
  const auto before = files(w, "r");
  const Ended e = w.emmy_by(with, "run --restart r");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "r: error: the run had other options of PETSc: none\n  and now there are: "
                             "-snes_linesearch_type basic"),
             e.err);
  BOOST_TEST((files(w, "r") == before));
  w.write(".petscrc", "-ksp_view\n");
  check_refused(w, "--restart r", "and now there are: -ksp_view");
  fs::remove(w.path() / ".petscrc");
  BOOST_REQUIRE(w.emmy_by(with, "run " + short_chain + " -o r --force --stop-at 0.5").code == 1);
  check_refused(w, "--restart r", "the run had other options of PETSc: -snes_linesearch_type basic");
  BOOST_TEST(w.emmy_by(with, "run --restart r").code == 0);
}

namespace {

/// A run that is stopped in its middle, with a checkpoint that a person has tampered with.
class Tampered {
public:
  explicit Tampered(const std::function<void(emmy::Checkpoint&)>& change, const std::string& deck = short_chain) {
    BOOST_REQUIRE(workplace.emmy("run " + deck + " -o r --stop-at 0.5").code == 1);
    fs::remove(workplace.path() / "r/checkpoint.0");
    emmy::Checkpoint checkpoint = emmy::decode(workplace.read("r/checkpoint.50"));
    change(checkpoint);
    workplace.write("r/checkpoint.50", emmy::encode(checkpoint));
  }
  Workplace workplace;
};

} // namespace

/// What only another program could have written.
BOOST_AUTO_TEST_CASE(refuses_another_version_or_model) {
  const auto check = [](const std::function<void(emmy::RunIdentity&)>& change, const std::string& message) {
    const Tampered t([&](emmy::Checkpoint& c) { change(c.identity); });
    check_refused(t.workplace, "--restart r", message);
  };
  check([](auto& was) { was.version = "0.0.1"; }, "checkpoint.50: warning: this checkpoint cannot be used: it was "
                                                  "written by emmy 0.0.1, and this is emmy " EMMY_VERSION);
  check([](auto& was) { was.values += 7; }, "this is not the run of the checkpoint: its model had 35 values");
  check([](auto& was) { was.multipliers -= 3; }, "9 multipliers, and this one has 28, 24 and 12");
  check([](auto& was) { was.step = 0.02; }, "its step was 0.02 s, and this one is 0.01 s");
  check([](auto& was) { was.files.resize(2); }, "its deck referred to 2 files, and this one to 0");
}

/// Sizes and numbers that a run takes for granted.
BOOST_AUTO_TEST_CASE(refuses_a_state_that_is_none_of_the_model) {
  const auto check = [](const std::function<void(emmy::Checkpoint&)>& change, const std::string& message,
                        const std::string& deck = short_chain) {
    const Tampered t(change, deck);
    check_refused(t.workplace, "--restart r", "r: error: this is not the run of the checkpoint: " + message);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check([](auto& c) { c.run.state.values.conservativeResize(3); }, "the state has 3 numbers, and the model has 28");
  check([](auto& c) { c.run.start.values.resize(0); }, "the start has 0 numbers, and the model has 28");
  check([](auto& c) { c.run.state.remainders.resize(2); }, "what rounding took from the state has 2");
  check([](auto& c) { c.run.state.rates.resize(1); }, "the velocity of the state has 1 numbers");
  check([](auto& c) { c.run.state.multipliers.resize(1); }, "the reaction of the state has 1 numbers");
  check([](auto& c) { c.run.state.history.resize(99); }, "the history of the state has 99 numbers");
  check([&](auto& c) { c.run.state.values[3] = nan; }, "the state has numbers that are not finite");
  check([&](auto& c) { c.run.state.time = nan; }, "the state is at nan s");
  check([&](auto& c) { c.run.state.time = 0.1; }, "it is at step 50 and t = 0.1 s");
  check([](auto& c) { c.run.outcome.rejected_steps = -1; }, "a count of steps is -1");
  check([](auto& c) { c.run.branches.parts.resize(7); }, "what is known of branches has 7 numbers");
  check([](auto& c) { c.run.branches.targets.resize(7); }, "what is known of drives has 7 numbers");
  check([](auto& c) { c.run.branches.pushes[1].v.resize(7); }, "the last push has 7 numbers");
  check([](auto& c) { c.run.turns.largest.body = 4; },
        "the body that turned most has the number 4, and the model has 4");
  check([](auto& c) { c.run.state.contacts.resize(1); }, "a surface in contact has the number -1");
  check([](auto& c) { c.recorders.contacts.totals.resize(3); }, "what is known of contact has 3 numbers");
  check([](auto& c) { c.recorders.contacts.worst.depth = 1; }, "the surface that was deepest has the number -1");
  check([](auto& c) { c.recorders.tunnels_told.resize(5); }, "what was told of contact has 5 numbers");
  check([](auto& c) { c.recorders.history[0].due.rows = -2; }, "history.csv has -2 rows");
  check([&](auto& c) { c.recorders.wall = nan; }, "it took nan s");
  const Tampered less([](emmy::Checkpoint& c) { c.recorders.history.clear(); });
  check_refused(less.workplace, "--restart r", "the checkpoint knows of other columns or intervals");
}

BOOST_AUTO_TEST_CASE(another_kind_of_processor_is_told) {
  const Tampered t([](emmy::Checkpoint& c) { c.identity.instructions = "other"; });
  const Ended e = t.workplace.emmy("run --restart r --stop-at 0.6");
  BOOST_TEST(e.code == 1);
  BOOST_TEST(contains(e.err, "warning: the run used kernels for another kind of processor (other, and now "), e.err);
  BOOST_TEST(!contains(t.workplace.emmy("run --restart r").err, "kind of processor")); // once
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

/// Whatever is called like a checkpoint and cannot be read, in whichever way.
BOOST_AUTO_TEST_CASE(takes_an_older_checkpoint_where_the_newest_are_none) {
  const Workplace w;
  prepare(w);
  fs::create_directories(w.path() / "r/checkpoint.994/below");
  BOOST_REQUIRE(mkfifo((w.path() / "r/checkpoint.995").c_str(), 0600) == 0);
  w.write("r/checkpoint.996", "");
  fs::resize_file(w.path() / "r/checkpoint.996", std::uintmax_t{1} << 36); // a hole, of 64 gigabytes
  w.write("r/checkpoint.997", w.read("r/checkpoint.50"));
  fs::resize_file(w.path() / "r/checkpoint.997", std::uintmax_t{1} << 36);
  fs::create_symlink("/proc/self/mem", w.path() / "r/checkpoint.998"); // where nothing can be read
  fs::create_symlink("checkpoint.999", w.path() / "r/checkpoint.999");
  const Ended e = w.emmy("run --restart r");
  BOOST_TEST(e.code == 0, e.err);
  BOOST_TEST(contains(e.err, "checkpoint.998: warning: this checkpoint cannot be used: it cannot be read: Input/output "
                             "error"),
             e.err);
  BOOST_TEST(contains(e.err, "checkpoint.997: warning: this checkpoint cannot be used: something was added to it"));
  BOOST_TEST(contains(e.err, "checkpoint.996: warning: this checkpoint cannot be used: it is no checkpoint of emmy"));
  BOOST_TEST(contains(e.err, "going on from an older one, r/checkpoint.50"));
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

/// Whose bytes the run had read is what counts, and not what stands there when a checkpoint is written.
BOOST_AUTO_TEST_CASE(a_mesh_that_was_changed_during_the_run_is_noticed) {
  const Workplace w;
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  w.write("t.obj", tetrahedron);
  w.write("d.yaml", "bodies: {stone: {box: [1, 1, 1], mass: 1, position: [0, 0, 5]}}\n"
                    "contact: {surfaces: {skin: {on: stone, mesh: {file: t.obj}}}}\n"
                    "integrator: {step: 1e-4, end: 1000}\n");
  const std::string history = (w.path() / "r/history.csv").string(), mesh = (w.path() / "t.obj").string();
  w.emmy("run d.yaml -o r >log 2>&1 & for i in $(seq 600); do [ \"$(cat " + history +
         " 2>/dev/null | wc -l)\" -gt 20 ] && break; sleep 0.1; done; echo >>" + mesh + "; kill -INT $!; wait $!");
  BOOST_REQUIRE(count_checkpoints(w, "r") == 2);
  check_refused(w, "--restart r", "t.obj has been changed");
  w.write("t.obj", tetrahedron);
  BOOST_TEST(w.emmy("run --restart r --stop-at 0").code == 1);
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
  for (const std::string& words : {short_chain + " -o r --force", short_chain + " -o r", std::string("--restart r")}) {
    const Workplace w;
    // The first run is in the background; the second wants its directory.
    const Ended e = w.emmy(long_run_until_lines_appear(w) + "P=$!; cd '" + w.path().string() +
                           "'; '" EMMY_PROGRAM "' run " + words + " >said 2>&1; code=$?; kill -9 $P; exit $code");
    BOOST_TEST(e.code == 2);
    BOOST_TEST(contains(w.read("said"), "r: error: another run is writing its results here"), w.read("said"));
  }
}

/// A directory stands where a file should be written.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_named) {
  const std::string cradle = example("newtons_cradle.yaml");
  for (const std::string file : {"impacts.csv", "run.log", "audit.json", "history.csv"}) {
    const Workplace fresh;
    fs::create_directories(fresh.path() / "r" / file / "below");
    const Ended e = fresh.emmy("run " + cradle + " -o r --force");
    BOOST_TEST(e.code == 2, file);
    BOOST_TEST(contains(e.err, "r/" + file + ": error: cannot write: Is a directory"), e.err);

    const Workplace w;
    BOOST_REQUIRE(w.emmy("run " + cradle + " -o r --stop-at 0.05").code == 1);
    const std::string contents = w.read("r/" + file), state = w.read("r/checkpoint.50");
    fs::remove(w.path() / "r" / file);
    fs::create_directories(w.path() / "r" / file / "below");
    const bool has_audit = fs::exists(w.path() / "r/audit.json");
    const Ended again = w.emmy("run --restart r");
    BOOST_TEST(again.code == 2, file);
    BOOST_TEST(contains(again.err, "r/" + file + ": error: "), again.err);
    BOOST_TEST(fs::exists(w.path() / "r/audit.json") == has_audit); // nothing has been touched
    BOOST_TEST((w.read("r/checkpoint.50") == state));
    fs::remove_all(w.path() / "r" / file);
    w.write("r/" + file, contents);
    BOOST_TEST(w.emmy("run --restart r").code == 0, file);
  }
}

/// What is on the disk already needs no room.
BOOST_AUTO_TEST_CASE(room_is_wanted_for_the_rest_of_a_run) {
  const auto loaded = emmy::load(chain, {"integrator.step=0.01", "integrator.end=1000"}, std::cerr);
  BOOST_REQUIRE(loaded.has_value());
  const double half = emmy::output_size(*loaded).least / 2;
  BOOST_TEST(contains(emmy::output_refusal(*loaded, half, 0), "error: history.csv would take "));
  BOOST_TEST(contains(emmy::output_refusal(*loaded, half, 49000), "error: history.csv would take "));
  BOOST_TEST(emmy::output_refusal(*loaded, half, 51000).empty());
}

BOOST_AUTO_TEST_SUITE_END()
