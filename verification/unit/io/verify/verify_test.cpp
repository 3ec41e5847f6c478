/// Whole cases: exit codes, the table, verification.json.

#include "io/verify/verify.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using namespace emmy;

/// A directory of cases that disappears afterwards.
struct Cases {
  Cases() {
    std::string pattern = (fs::temp_directory_path() / "emmy-verify-test-XXXXXX").string();
    BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Cases() { fs::remove_all(path); }
  void add(const std::string& name, const std::string& checks) const {
    fs::create_directories(path + "/" + name);
    std::ofstream(path + "/" + name + "/deck.yaml") << "bodies: {ball: {sphere: 0.5, mass: 2, velocity: [1, 0, 0]}}\n"
                                                       "integrator: {step: 0.1, end: 1}\n";
    std::ofstream(path + "/" + name + "/case.yaml")
        << "title: " + name + "\nsource: by hand\nbecause: test\nruns: {flight: {deck: deck.yaml}}\nchecks:\n" + checks;
  }
  ExitCode run(verify::Request request = {}) {
    request.cases = path;
    request.output = path + "/verification.json";
    std::ostringstream o, e;
    const ExitCode code = verify::verify(request, o, e);
    out = o.str();
    err = e.str();
    return code;
  }
  nlohmann::json report() const { return nlohmann::json::parse(std::ifstream(path + "/verification.json")); }
  std::string last_line() const {
    const std::size_t start = out.rfind('\n', out.size() - 2);
    return out.substr(start + 1);
  }

  std::string path, out, err;
};

const char* const good = "  path: {difference: {ball.x: t}, at_most: 1e-14, because: ten steps of rounding}\n";
const char* const bad = "  path: {difference: {ball.x: 1.1*t}, at_most: 1e-14, because: of no good reason}\n";

} // namespace

BOOST_AUTO_TEST_SUITE(Verify)

BOOST_AUTO_TEST_CASE(cases_that_pass_end_with_0) {
  Cases cases;
  cases.add("flight", good);
  BOOST_TEST(cases.run() == exit_ok);
  BOOST_TEST(cases.last_line() == "1 passed, 0 failed\n");
  BOOST_TEST(cases.err == "");
  BOOST_TEST(cases.report()["passed"] == 1);
  BOOST_TEST(cases.report()["checks"][0]["case"] == "flight");
  BOOST_TEST(cases.report()["checks"][0]["quantity"] == "path");
}

BOOST_AUTO_TEST_CASE(a_case_that_fails_ends_with_1_and_says_by_how_much_and_why_that_is_too_much) {
  Cases cases;
  cases.add("flight", good);
  cases.add("missed", bad);
  BOOST_TEST(cases.run() == exit_failed);
  BOOST_TEST(cases.last_line() == "1 passed, 1 failed\n");
  BOOST_TEST(cases.out.find("FAIL") != std::string::npos);
  BOOST_TEST(cases.out.find("of no good reason") != std::string::npos);
  BOOST_TEST(std::abs(cases.report()["checks"][1]["got"].get<double>() - 0.1) <= 1e-14);
  BOOST_TEST(cases.report()["failed"] == 1);
}

BOOST_AUTO_TEST_CASE(nothing_to_compare_is_a_failure) {
  for (const char* check :
       {"  a: {drift: ball.q, at_most: 1, because: d}\n", "  a: {audit: energy.none, at_most: 1, because: d}\n",
        "  a: {drift: ball.x, to: 9, at_most: 100, because: d}\n",
        "  a: {value: ball.x, at: 0.05, expect: 0, within: 9, because: d}\n",
        "  a: {period: ball.x, expect: 0, within: 9, because: d}\n",
        "  a: {drift: sqrt(-1 - ball.x), at_most: 1, because: d}\n",
        "  a: {set: {integrator.step: -1}, drift: ball.x, at_most: 9, because: d}\n", "  a: {exit: 3, because: d}\n",
        "  a: {time_of_maximum: ball.x, to: 9, expect: 1, within: 100, because: d}\n",
        "  a: {audit: rejected_steps, over: integrator.step, values: [0.1, 0.05], ratio: 1, within: 9, because: d}\n",
        "  a: {audit: steps, relative_to: energy.none, at_most: 100, because: d}\n",
        "  a: {exit: 0, says: nonsense, because: d}\n"}) {
    Cases cases;
    cases.add("flight", check);
    BOOST_TEST(cases.run() == exit_failed, check);
    BOOST_TEST(cases.last_line() == "0 passed, 1 failed\n", check);
  }
}

BOOST_AUTO_TEST_CASE(every_kind_of_check_can_pass) {
  Cases cases;
  cases.add("flight",
            "  audit: {audit: steps, expect: 10, within: 0, because: d}\n"
            "  value: {value: 2*ball.x, at: 0.5, expect: 1, within: 1e-14, because: d}\n"
            "  same: {agreement: [ball.x], over: solver.linear, values: [klu, mumps], at_most: 0, because: d}\n"
            "  top: {maximum: ball.x, expect: 1, within: 1e-14, because: d}\n"
            "  least: {minimum: ball.x, from: 0.5, expect: 0.5, within: 1e-14, because: d}\n"
            "  rise: {rise: ball.x, expect: 0.1, within: 1e-14, because: d}\n"
            "  way: {integral: ball.vx, from: 0.2, to: 0.7, expect: 0.5, within: 1e-14, because: d}\n"
            "  drift: {drift: px, relative_to: linear_momentum.scale, at_most: 1e-14, because: d}\n"
            "  slope: {value: ball.x, at: 1, set: {integrator.step: 0.5}, over: bodies.ball.velocity,\n"
            "    values: ['[1, 0, 0]', '[1, 1, 0]'], expect: 1, within: 1e-14, because: d}\n"
            "  order: {set: {integrator.end: 8}, audit: steps, over: integrator.step, values: [1, 2, 4],\n"
            "    slope: -1, within: 1e-14, because: d}\n"
            "  time of the top: {time_of_maximum: 0.5 - abs(ball.x - 0.4), expect: 0.4, within: 1e-14, because: d}\n"
            "  top of a part: {time_of_maximum: ball.x, from: 0.2, to: 0.7, expect: 0.7, within: 1e-14, because: d}\n"
            // E = m |v|²/2 = 2 J, 10 steps.
            "  steps per joule: {set: {bodies.ball.mass: 4}, audit: steps, relative_to: energy.initial, expect: 5,\n"
            "    within: 1e-14, because: d}\n"
            "  ratio: {audit: steps, over: integrator.step, values: [0.05, 0.1], ratio: 2, within: 0, because: d}\n"
            "  ratio of figures: {audit: energy.final, relative_to: energy.initial, over: integrator.step,\n"
            "    values: [0.05, 0.1], ratio: 1, within: 1e-14, because: d}\n"
            "  ratio of errors: {value: ball.x, at: 1, expect: 0.5, over: bodies.ball.velocity,\n"
            "    values: ['[1.5, 0, 0]', '[1, 0, 0]'], ratio: 2, within: 1e-14, because: d}\n"
            "  exit: {set: {integrator.step: -1}, exit: 2, says: 'integrator', because: d}\n");
  BOOST_TEST(cases.run() == exit_ok, cases.out);
  BOOST_TEST(cases.last_line() == "17 passed, 0 failed\n");
}

BOOST_AUTO_TEST_CASE(runs_that_checks_share_are_run_once) {
  Cases cases;
  cases.add("flight", std::string(good) + "  again: {drift: px, at_most: 1e-14, because: d}\n");
  cases.run();
  BOOST_TEST(cases.out.find(" 1 run in ") != std::string::npos, cases.out);
}

BOOST_AUTO_TEST_CASE(bad_declarations_end_with_2_before_anything_is_run) {
  Cases cases;
  cases.add("flight", good);
  cases.add("wrong", "  a: {drift: lz, at_mots: 1, because: d}\n");
  BOOST_TEST(cases.run() == exit_bad_input);
  BOOST_TEST(cases.out == "");
  BOOST_TEST(cases.err.find(cases.path + "/wrong/case.yaml:6:18: error: unknown entry 'at_mots'") != std::string::npos,
             cases.err);
}

BOOST_AUTO_TEST_CASE(an_unknown_case_ends_with_2_and_a_guess) {
  Cases cases;
  cases.add("flight", good);
  verify::Request request;
  request.names = {"fligth"};
  BOOST_TEST(cases.run(request) == exit_bad_input);
  BOOST_TEST(cases.err == cases.path + ": error: there is no case 'fligth'\n  expected: flight\n"
                                       "  did you mean 'flight'?\n");
}

BOOST_AUTO_TEST_CASE(chosen_cases_are_run_alone_and_the_list_runs_none) {
  Cases cases;
  cases.add("flight", good);
  cases.add("missed", bad);
  verify::Request request;
  request.names = {"flight"};
  BOOST_TEST(cases.run(request) == exit_ok);
  request.names = {};
  request.list = true;
  BOOST_TEST(cases.run(request) == exit_ok);
  BOOST_TEST(cases.out == "flight  flight (1 check)\nmissed  missed (1 check)\n");
}

BOOST_AUTO_TEST_CASE(results_are_kept_where_asked) {
  Cases cases;
  cases.add("flight", good);
  verify::Request request;
  request.keep = cases.path + "-kept";
  cases.run(request);
  BOOST_TEST(fs::exists(request.keep + "/1-flight/history.csv"));
  fs::remove_all(request.keep);
}

BOOST_AUTO_TEST_SUITE_END()
