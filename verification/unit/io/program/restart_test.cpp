/// `emmy run --restart` as its users see it: the run goes on as if nothing had happened.
#include "verification/unit/io/program/restarts.hpp"

#include <nlohmann/json.hpp>

using namespace emmy::test;

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
    BOOST_TEST(count_checkpoints(w, "r") == 2); // of the start, and of the step at hand
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
  // Nor does that restart know less of the line at the end than the run did.
  BOOST_TEST(w.emmy("run --restart done --set integrator.end=2").code == 0);
  BOOST_TEST(w.read("done/history.csv") == w.read("long/history.csv"));
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
  BOOST_TEST(contains(tight.err, "t/checkpoint.0.new: error: cannot write: File too large"), tight.err);
  BOOST_TEST(!fs::exists(w.path() / "t/checkpoint.0.new"));
}

/// Groups with strides that no stop fits, chosen channels in the order of their list, units, other axes.
BOOST_AUTO_TEST_CASE(keeps_every_setting_of_output) {
  for (const std::string further :
       {" --set output.every_steps=9 --set output.units=true --set output.angular_velocity=body",
        " --set 'output.channels=[energy.*, \"link2.w?\", joint12.force]' --set output.every=0.03",
        " --set output.bodies=link2 --set output.energies=false --set output.points=[link1.bottom]",
        " --set 'output.channels=[]' --set 'output.groups={odd: {channels: [link1, momentum], every_steps: 13}, "
        "all: {channels: \"*\"}}'"}) {
    const Workplace w;
    BOOST_REQUIRE(w.emmy("run " + short_chain + " -o whole" + further).code == 0);
    BOOST_REQUIRE(w.emmy("run " + short_chain + " -o r --stop-at 0.165" + further).code == 1);
    BOOST_REQUIRE(w.emmy("run --restart r --stop-at 0.385").code == 1);
    BOOST_REQUIRE(w.emmy("run --restart r --stop-at 0.965").code == 1);
    BOOST_REQUIRE(w.emmy("run --restart r").code == 0);
    for (const auto& [name, text] : files(w, "whole"))
      if (name.compare(0, 7, "history") == 0)
        BOOST_TEST((w.read("r/" + name) == text), name << further);
  }
}

BOOST_AUTO_TEST_CASE(keeps_what_is_written_of_contact) {
  for (const char* contacts : {"all", "none"}) {
    const Workplace w;
    const std::string deck = example("newtons_cradle.yaml") +
                             " --set output.every_steps=7 --set 'output.groups={c: {channels: contact, every_steps: "
                             "3}}' --set output.contacts=" +
                             contacts;
    BOOST_REQUIRE(w.emmy("run " + deck + " -o whole").code == 0);
    BOOST_REQUIRE(w.emmy("run " + deck + " -o r --stop-at 0.05").code == 1);
    BOOST_REQUIRE(w.emmy("run --restart r").code == 0);
    for (const auto& [name, text] : files(w, "whole"))
      if (contains(name, ".csv"))
        BOOST_TEST((w.read("r/" + name) == text), name);
  }
}

/// The bits of all that a run is are named in its checkpoint.
BOOST_AUTO_TEST_CASE(ends_in_the_same_state) {
  const Workplace w;
  prepare(w);
  BOOST_REQUIRE(w.emmy("run --restart r").code == 0);
  const auto run = [&](const std::string& file) {
    const std::string text = w.read(file), line = text.substr(text.find('\n') + 1);
    return line.substr(0, line.find('\n'));
  };
  BOOST_TEST(run("r/checkpoint.100") == run("whole/checkpoint.100"));
  BOOST_TEST(contains(run("r/checkpoint.100"), "step 100, t = 1 s, run "));
  BOOST_TEST(run("r/checkpoint.50") != run("r/checkpoint.100"));
}

/// Before any checkpoint is due, there is that of the start.
BOOST_AUTO_TEST_CASE(goes_on_from_the_start_after_an_early_kill) {
  const Workplace w;
  w.emmy(long_run_until_lines_appear(w) + "kill -9 $!; wait $!");
  BOOST_TEST(count_checkpoints(w, "r") == 1);
  const std::string end = " --set integrator.end=0.02";
  BOOST_TEST(w.emmy("run --restart r" + end).code == 0);
  BOOST_REQUIRE(w.emmy("run " + chain + " -o whole --set integrator.step=1e-4" + end).code == 0);
  BOOST_TEST(w.read("r/history.csv") == w.read("whole/history.csv"));
}

BOOST_AUTO_TEST_CASE(calls_the_run_what_it_was_called) {
  const Workplace w;
  std::string text = read_file(chain);
  text.erase(text.find("title:"), text.find('\n', text.find("title:")) - text.find("title:"));
  w.write("untitled.yaml", text);
  const Ended first = w.emmy("run untitled.yaml -o r --set integrator.step=0.01 --stop-at 0.1");
  const Ended then = w.emmy("run --restart r --set integrator.end=0.2");
  BOOST_TEST(then.code == 0);
  BOOST_TEST(contains(first.out, "   untitled.yaml\n"));
  BOOST_TEST(then.out.substr(0, then.out.find('\n')) == first.out.substr(0, first.out.find('\n')));
  BOOST_TEST(contains(w.read("r/run.log"), "deck untitled.yaml\ngoes on"));
}

BOOST_AUTO_TEST_SUITE_END()
