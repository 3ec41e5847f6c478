/// What the program tells a person: words, numbers and their sizes.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <regex>

using namespace emmy::test;
using namespace std::string_literals;

namespace {

/// A body on a hinge, with whatever the words behind it add.
std::string hinged(const std::string& more = "") {
  return R"(
bodies:
  rod: {box: [1, 0.5, 3], mass: 12)" +
         more + R"(}
joints:
  hinge: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: x}
integrator: {type: energy_momentum, step: 0.01, end: 0.02}
)";
}

/// A single thing that is counted as if there were many; empty if there is none.
std::string wrong_plural(const std::string& text) {
  std::smatch found;
  const std::regex wrong(
      "(^|[^0-9.])1 (degrees|attempts|unknowns|multipliers|iterations|rows|steps|bodies|joints|limits|"
      "times|sweeps|checks|cases|runs|redundant constraint equations)\\b|\\(s\\)");
  return std::regex_search(text, found, wrong) ? found.str() : "";
}

} // namespace

BOOST_AUTO_TEST_SUITE(Report)

BOOST_AUTO_TEST_CASE(one_thing_is_not_counted_as_many) {
  const Workplace w;
  w.write("hinged.yaml", hinged());
  const auto said = [&](const std::string& arguments) {
    const Ended e = w.emmy(arguments);
    return e.out + e.err;
  };
  for (const std::string& arguments :
       {"check hinged.yaml"s, "run hinged.yaml -o a --set integrator.end=0.01"s,
        "run hinged.yaml -o b --set analysis=static --set gravity=[0,0,-1]"s,
        "run hinged.yaml -o c --set analysis=modes"s, "verify --list catenary fixed_joint"s,
        "run " + example("chain_spherical.yaml") + " -o d --set integrator.step=1 --set solver.max_halvings=0",
        "run " + example("chain_spherical.yaml") + " -o e --set integrator.step=1 --set solver.max_halvings=1"})
    BOOST_TEST(wrong_plural(said(arguments)) == "", arguments);
  BOOST_TEST(contains(said("check hinged.yaml"), "1 body, 1 joint, 11 unknowns, 1 degree of freedom\n"));
  BOOST_TEST(contains(w.read("d/run.log"), "1 attempt did not converge"));
  BOOST_TEST(contains(w.read("e/run.log"), "halving is allowed 1 time;"));
  const std::string turned = " --set 'bodies.rod.fixed_point=[0,0,0]' --set solver.redundant=refuse";
  BOOST_TEST(wrong_plural(said("run hinged.yaml -o f" + turned)) == "");
}

BOOST_AUTO_TEST_CASE(steps_in_parts_are_told_from_whole_ones) {
  const Workplace w;
  const std::string deck = example("chain_spherical.yaml");
  const Ended whole = w.emmy("run " + deck + " -o a");
  BOOST_TEST(contains(whole.out, "  100 steps of 0.1 s to t = 10 s in "), whole.out);
  BOOST_TEST(nlohmann::json::parse(w.read("a/audit.json")).at("divided_steps") == 0);

  const Ended parts = w.emmy("run " + deck + " -o b --set integrator.step=1");
  const auto audit = nlohmann::json::parse(w.read("b/audit.json"));
  const long steps = audit.at("steps"), divided = audit.at("divided_steps");
  BOOST_TEST(divided > 0);
  BOOST_TEST(divided <= 10);
  BOOST_TEST(steps >= 10 + divided);
  BOOST_TEST(contains(parts.out, "  10 steps of 1 s, " + std::to_string(divided) + " of them in parts (" +
                                     std::to_string(steps) + " in all), to t = 10 s in "),
             parts.out);
}

BOOST_AUTO_TEST_CASE(velocities_of_joints_come_with_what_they_mean) {
  const Workplace w;
  const std::string deck = example("chain_spherical.yaml") + " --set integrator.velocity_constraints=off";
  const Ended second = w.emmy("run " + deck + " -o a");
  BOOST_TEST(contains(second.out, "m/s, rad/s   (positions are enforced; half the step leaves about 1/4 of this)\n"),
             second.out);
  const Ended fourth = w.emmy("run " + deck + " -o b --set integrator.order=4");
  BOOST_TEST(contains(fourth.out, "half the step leaves about 1/16 of this)\n"), fourth.out);
  // It is so: of the smooth motion of a pendulum, half the step leaves a quarter, to first order in the step, here 0.05
  // of the period of 3 s.
  const auto rate = [&](const char* step) {
    w.emmy("run " + example("pendulum.yaml") +
           " --force -o r --set integrator.velocity_constraints=off --set integrator.step=" + step);
    return nlohmann::json::parse(w.read("r/audit.json")).at("constraints").at("max_velocity_violation").get<double>();
  };
  BOOST_TEST(rate("0.02") / rate("0.01") == 4.0, boost::test_tools::tolerance(0.05));
  // Rounding falls with no step, and projected velocities are exact.
  w.write("hinged.yaml", hinged(", angular_velocity: [1, 0, 0]"));
  for (const char* more : {"", " --set integrator.type=kick_drift_kick"}) {
    const Ended exact = w.emmy(std::string("run hinged.yaml --force -o c") + more);
    BOOST_TEST(exact.code == 0);
    BOOST_TEST(!contains(exact.out, "half the step"), exact.out);
  }
}

// Numbers of 1e-199 N, which only rounding makes differ from zero.
BOOST_AUTO_TEST_CASE(what_rounding_leaves_is_not_shown_as_a_number) {
  const Workplace w;
  const std::regex absurd("[0-9]e-([1-9][0-9][0-9]|[2-9][0-9])");
  for (const char* name : {"joints/coupler.yaml", "three_link.yaml", "pendulum.yaml", "heavy_top.yaml"}) {
    const Ended e = w.emmy("run " + example(name) + " --force -o r --set analysis=static");
    std::smatch found;
    BOOST_TEST(e.code == 0);
    BOOST_TEST(!std::regex_search(e.out, found, absurd), name << ": " << e.out);
  }
  // A body at rest below its hinge: its motion is that of rounding, beside the 117.72 J of its weight.
  w.write("hanging.yaml", hinged(", position: [0, 0, -1], angular_velocity: [1e-30, 0, 0]"));
  const Ended rest = w.emmy("run hanging.yaml -o a --set gravity=[0,0,-9.81]");
  BOOST_TEST(rest.code == 0);
  BOOST_TEST(contains(rest.out, "(kinetic 0, potential -117.72)"), rest.out);
  BOOST_TEST(contains(rest.out, "of 0 J\n"), rest.out);
  // What is small beside other things, but not rounding, is told.
  w.write("hinged.yaml", hinged());
  const Ended slow = w.emmy("run hinged.yaml -o b --set bodies.rod.angular_velocity=[1e-5,0,0]");
  BOOST_TEST(contains(slow.out, "kinetic 4.625e-10"), slow.out); // 12 (0.5² + 3²)/12 (1e-5)²/2
}

BOOST_AUTO_TEST_SUITE_END()
