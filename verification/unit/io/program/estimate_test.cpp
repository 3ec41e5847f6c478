/// `emmy run --estimate`: what is said of the accuracy of a run, against what is known of it.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

nlohmann::json estimate(const Workplace& w, const std::string& directory) {
  return nlohmann::json::parse(w.read(directory + "/audit.json")).at("estimate");
}

double order(const nlohmann::json& estimate, const char* measure) {
  return estimate.at(measure).at("order").get<double>();
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// A pendulum that swings widely, with reactions.
const std::string pendulum = R"(
gravity: [0, 0, -9.81]
bodies:
  rod: {box: [1, 0.5, 3], mass: 12, position: [0, 1.5, 0], orientation: {axis: x, angle: pi/2}}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: x}
integrator: {step: 0.02, end: 2}
)";

/// Two rods, released high: chaotic.
const std::string double_pendulum = R"(
gravity: [0, 0, -9.81]
bodies:
  upper: {box: [0.1, 0.1, 1], mass: 1, position: [0, 0.5, 0], orientation: {axis: x, angle: -pi/2}}
  lower: {box: [0.1, 0.1, 1], mass: 1, position: [0, 1, 0.5]}
joints:
  shoulder: {type: revolute, between: [ground, upper], at: [0, 0, 0], axis: x}
  elbow: {type: revolute, between: [upper, lower], at: [0, 1, 0], axis: x}
integrator: {step: 0.005, end: 40}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(Estimate)

BOOST_AUTO_TEST_CASE(a_pendulum_shows_the_second_order) {
  const Workplace w;
  w.write("pendulum.yaml", pendulum);
  const Ended e = w.emmy("run pendulum.yaml --estimate");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(lines_with(e.out, "  Estimate  half the step changes positions by ") == 1U, e.out);
  BOOST_TEST(!contains(e.out, "in doubt"), e.out);
  BOOST_TEST(contains(w.read("pendulum.out/run.log"), "  Estimate  half the step changes positions by "));
  const auto found = estimate(w, "pendulum.out");
  BOOST_TEST(found.at("meaningful") == true);
  BOOST_TEST(found.at("steps") == nlohmann::json({0.02, 0.01, 0.005}));
  BOOST_TEST(found.at("instants") == 100);
  for (const char* measure : {"positions", "rotations", "velocities", "angular_velocities", "forces"}) {
    // The next power is h² times smaller: with turns of 0.1 rad a step, by one part in a hundred.
    BOOST_TEST(std::abs(order(found, measure) - 2) <= 0.1, measure << ": " << order(found, measure));
    const double difference = found.at(measure).at("difference"), finer = found.at(measure).at("finer_difference");
    BOOST_TEST(found.at(measure).at("error").get<double>() == difference / (1 - finer / difference),
               boost::test_tools::tolerance(1e-14));
  }
}

// What is estimated is the error: against the same run with a step so much shorter that its own error is 1/400.
BOOST_AUTO_TEST_CASE(the_estimate_is_the_error) {
  const Workplace w;
  w.write("pendulum.yaml", pendulum);
  BOOST_REQUIRE(w.emmy("run pendulum.yaml --estimate").code == 0);
  BOOST_REQUIRE(w.emmy("run pendulum.yaml -o exact --set integrator.step=0.001 --set output.every=0.02").code == 0);
  const auto run = read_csv(w.read("pendulum.out/history.csv")), exact = read_csv(w.read("exact/history.csv"));
  BOOST_TEST_REQUIRE(run.size() == exact.size());
  double position = 0, velocity = 0;
  for (std::size_t row = 1; row < run.size(); ++row) {
    const auto distance = [&](const char* y, const char* z) {
      return std::hypot(cell(run, row, y) - cell(exact, row, y), cell(run, row, z) - cell(exact, row, z));
    };
    position = std::max(position, distance("rod.y", "rod.z"));
    velocity = std::max(velocity, distance("rod.vy", "rod.vz"));
  }
  const auto found = estimate(w, "pendulum.out");
  // The reference is off by 1/400 of it, and powers beyond the second are left out of the estimate: one part in a
  // hundred of the difference as above, and of the error as much.
  BOOST_TEST(std::abs(found.at("positions").at("error").get<double>() / position - 1) <= 0.03);
  BOOST_TEST(std::abs(found.at("velocities").at("error").get<double>() / velocity - 1) <= 0.03);
}

// A rotor lags by n (x - 2 atan(x/2)) after n steps [F13]: here the error of the angle is known in closed form, and
// that of the differences as well. x = 0.1 keeps the next power of x² at 3 x²/20 = 0.15 %.
BOOST_AUTO_TEST_CASE(the_lag_of_a_rotor_is_found) {
  const Workplace w;
  w.write("rotor.yaml", R"(
bodies:
  disc: {cylinder: {radius: 0.1, length: 0.02}, mass: 1, angular_velocity: [0, 0, 10]}
joints:
  hub: {type: revolute, between: [ground, disc], at: disc, axis: z}
integrator: {step: 0.01, end: 1}
)");
  const Ended e = w.emmy("run rotor.yaml --estimate");
  BOOST_TEST(e.code == 0);
  const auto angle = estimate(w, "rotor.out").at("rotations");
  const auto lag = [](double n) { return 10 - n * 2 * std::atan(10 / n / 2); };
  BOOST_TEST(angle.at("difference").get<double>() == lag(100) - lag(200), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(angle.at("finer_difference").get<double>() == lag(200) - lag(400), boost::test_tools::tolerance(1e-8));
  BOOST_TEST(std::abs(angle.at("error").get<double>() / lag(100) - 1) <= 0.0015);
  // Nothing else moves.
  for (const char* measure : {"velocities", "angular_velocities"})
    if (estimate(w, "rotor.out").contains(measure))
      BOOST_TEST(estimate(w, "rotor.out").at(measure).at("rounding") == true, measure);
}

BOOST_AUTO_TEST_CASE(higher_orders_show_as_well) {
  const Workplace w;
  w.write("pendulum.yaml", pendulum);
  for (const int p : {4, 6}) {
    const std::string step = p == 4 ? "0.05" : "0.1";
    const Ended e = w.emmy("run pendulum.yaml --force --estimate --set integrator.order=" + std::to_string(p) +
                           " --set integrator.step=" + step);
    BOOST_TEST(e.code == 0);
    const auto found = estimate(w, "pendulum.out");
    for (const char* measure : {"positions", "rotations", "velocities", "angular_velocities"})
      BOOST_TEST(std::abs(order(found, measure) - p) <= 0.4, measure << ": " << order(found, measure));
  }
}

// Free fall without rotation is exact: parabolas are what the step is made for.
BOOST_AUTO_TEST_CASE(what_is_solved_exactly_differs_by_rounding) {
  const Workplace w;
  w.write("fall.yaml", R"(
gravity: [0, 0, -9.81]
bodies:
  stone: {sphere: 0.1, mass: 2, position: [1, 2, 3], velocity: [3, 0, 7]}
integrator: {step: 0.0127, end: 2}
)");
  const Ended e = w.emmy("run fall.yaml --estimate");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.out, "changes positions by rounding"), e.out);
  BOOST_TEST(!contains(e.out, "in doubt"), e.out);
  const auto found = estimate(w, "fall.out");
  BOOST_TEST(found.at("positions").at("rounding") == true);
  BOOST_TEST(found.at("velocities").at("rounding") == true);
  BOOST_TEST(found.at("positions").at("order").is_null());
  BOOST_TEST(found.at("positions").at("error").is_null());
  BOOST_TEST(!found.contains("forces"));
  // 2 s are 157.5 steps: the last one is shorter, even than half of them, and is compared too.
  BOOST_TEST(found.at("instants") == 158);
}

BOOST_AUTO_TEST_CASE(chaos_is_told) {
  const Workplace w;
  w.write("double.yaml", double_pendulum);
  const Ended e = w.emmy("run double.yaml --estimate");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.out, "in doubt: observed orders are not that of the scheme, 2: "), e.out);
  BOOST_TEST(contains(e.out, "in doubt: differences grow a hundredfold between t = "), e.out);
  BOOST_TEST(contains(e.out, "in doubt: up to t = "), e.out);
  const auto found = estimate(w, "double.out");
  BOOST_TEST(found.at("meaningful") == false);
  BOOST_TEST(order(found, "positions") < 1);
  BOOST_TEST(found.at("positions").at("error").is_null());
  // For a short time there is nothing to doubt.
  const Ended brief = w.emmy("run double.yaml --estimate -o brief --set integrator.end=0.5");
  BOOST_TEST(!contains(brief.out, "in doubt"), brief.out);
}

BOOST_AUTO_TEST_CASE(impacts_are_told) {
  const Workplace w;
  const Ended e = w.emmy("run " + example("pendulum_stop.yaml") + " --estimate -o r");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.out, "in doubt: limits were hit "), e.out);
  BOOST_TEST(estimate(w, "r").at("meaningful") == false);
}

BOOST_AUTO_TEST_CASE(repeated_steps_are_told) {
  const Workplace w;
  w.write("wheel.yaml", R"(
bodies:
  wheel: {cylinder: {radius: 0.1, length: 0.02}, mass: 1}
joints:
  hub: {type: revolute, between: [ground, wheel], at: wheel, axis: z, drive: {angle: 16*t^2}}
integrator: {step: 0.25, end: 1}
)");
  const Ended e = w.emmy("run wheel.yaml --estimate");
  BOOST_TEST(e.code == 0);
  // The last steps turn by more than half a turn with h = 0.25 s and 0.125 s: both runs count.
  const std::string doubt = estimate(w, "wheel.out").at("doubts").at(0);
  BOOST_TEST(contains(doubt, " to step failed or had to be repeated in parts"), doubt);
  const long own = nlohmann::json::parse(w.read("wheel.out/audit.json")).at("rejected_steps");
  BOOST_TEST(own > 0);
  BOOST_TEST(std::stol(doubt) > own, doubt);
}

BOOST_AUTO_TEST_CASE(results_are_the_same_bits_with_and_without) {
  const Workplace w;
  for (const char* deck : {"four_bar.yaml", "pendulum_stop.yaml", "three_link.yaml"}) {
    const std::string end = " --set integrator.end=1";
    BOOST_REQUIRE(w.emmy("run " + example(deck) + " -o with --force --estimate" + end).code == 0);
    BOOST_REQUIRE(w.emmy("run " + example(deck) + " -o without --force" + end).code == 0);
    BOOST_TEST((w.read("with/history.csv") == w.read("without/history.csv")), deck);
    for (const char* file : {"history.csv", "audit.json", "run.log"})
      BOOST_TEST(fs::exists(w.path() / "with" / file));
    BOOST_TEST(std::distance(fs::directory_iterator(w.path() / "with"), {}) == 5, deck); // and two checkpoints
    auto with = nlohmann::json::parse(w.read("with/audit.json")),
         without = nlohmann::json::parse(w.read("without/audit.json"));
    BOOST_TEST(with.contains("estimate"));
    with.erase("estimate");
    for (auto* audit : {&with, &without})
      audit->erase("wall_time");
    BOOST_TEST((with == without), deck);
  }
}

// By every integrator, with its order: an oscillator without joints.
BOOST_AUTO_TEST_CASE(every_integrator_has_its_order) {
  const Workplace w;
  w.write("deck.yaml", R"(
bodies:
  bob: {formulation: point, mass: 2, position: [0, 0, -1], velocity: [0, 0, 0.3]}
forces:
  coil: {type: spring, between: [[0, 0, 0], bob], stiffness: 800, free_length: 1}
integrator: {step: 0.002, end: 0.5}
)");
  const std::vector<std::pair<std::string, double>> schemes{
      {"energy_momentum", 2},     {"midpoint", 2},         {"linear_acceleration", 2}, {"high_order", 3},
      {"explicit_euler", 1},      {"staggered", 2},        {"kick_drift_kick", 2},     {"simo_wong_explicit", 2},
      {"predictor_corrector", 2}, {"park_chiou_downer", 2}};
  for (const auto& [type, p] : schemes) {
    const Ended e = w.emmy("run deck.yaml --force --estimate --set integrator.type=" + type);
    BOOST_TEST_REQUIRE(e.code == 0, type << ": " << e.err);
    BOOST_TEST(std::abs(order(estimate(w, "deck.out"), "positions") - p) <= 0.25, type << ": " << e.out);
    BOOST_TEST(!contains(e.out, "in doubt"), type << ": " << e.out);
  }
}

BOOST_AUTO_TEST_CASE(only_motions_in_time_are_estimated) {
  const Workplace w;
  w.write("pendulum.yaml", pendulum);
  const Ended e = w.emmy("run pendulum.yaml --estimate --set analysis=static");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "error: --estimate compares motions in time, and 'analysis' of pendulum.yaml is 'static'"),
             e.err);
  BOOST_TEST(!fs::exists(w.path() / "pendulum.out"));
}

// The run is complete when the estimate begins; a signal ends that alone.
BOOST_AUTO_TEST_CASE(a_signal_ends_the_estimate_and_leaves_the_results) {
  const Workplace w;
  const std::string log = (w.path() / "log").string(), out = (w.path() / "r").string();
  const Ended e = w.emmy("run " + example("chain_spherical.yaml") +
                         " -o r --estimate --set integrator.step=0.001 --set "
                         "integrator.end=200 --set output.every=1 >" +
                         log +
                         " 2>&1 & pid=$!; "
                         "for i in $(seq 600); do [ -e " +
                         out +
                         "/audit.json ] && break; sleep 0.1; done; "
                         "kill -TERM $pid; wait $pid");
  BOOST_TEST(e.code == 1);
  BOOST_TEST(contains(w.read("log"), "interrupted while the run was repeated: there is no estimate"), w.read("log"));
  const auto audit = nlohmann::json::parse(w.read("r/audit.json"));
  BOOST_TEST(audit.at("completed") == true);
  BOOST_TEST(!audit.contains("estimate"));
}

BOOST_AUTO_TEST_SUITE_END()
