/// What users are told of bodies that turn far in a step.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace emmy::test;

namespace {

/// A disc on a hinge with 100 rad/s.
const std::string rotor = R"(
bodies:
  disc: {cylinder: {radius: 0.1, length: 0.02}, mass: 1, angular_velocity: [0, 0, 100]}
joints:
  hub: {type: revolute, between: [ground, disc], at: disc, axis: z}
integrator: {step: 0.009, end: 0.9}
)";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

nlohmann::json audit(const Workplace& w, const std::string& directory) {
  return nlohmann::json::parse(w.read(directory + "/audit.json"));
}

} // namespace

BOOST_AUTO_TEST_SUITE(Turns)

// 0.9 rad are asked for in a step, 2 atan(0.45) are turned: 6.03 % less. 0.1 % is 0.1096 rad.
BOOST_AUTO_TEST_CASE(a_rotor_that_lags_is_warned_of_once) {
  const Workplace w;
  w.write("rotor.yaml", rotor);
  const Ended e = w.emmy("run rotor.yaml");
  BOOST_TEST(e.code == 0);
  const std::string text =
      "body 'disc' turns by 0.846 rad in a step of 0.009 s at t = 0 s, none by more: its angle lags "
      "behind its angular velocity by 6.03 %; energy and momenta are conserved all the same and do "
      "not show it; a step of 0.0011 s makes it 0.1 %\n";
  BOOST_TEST(e.err == "warning: " + text);
  BOOST_TEST(count(w.read("rotor.out/run.log"), text) == 1U);
  const std::string line =
      "  Rotation  up to 0.846 rad a step, body 'disc' at t = 0 s: angle lags by 6.03 %, 0.1 % takes h = 0.0011 s\n";
  BOOST_TEST(contains(e.out, line));
  BOOST_TEST(contains(w.read("rotor.out/run.log"), line));
  BOOST_TEST(w.emmy("check rotor.yaml").err == "warning: " + text);

  const auto rotation = audit(w, "rotor.out").at("rotation");
  BOOST_TEST(rotation.at("body") == "disc");
  BOOST_TEST(rotation.at("time") == 0.0);
  BOOST_TEST(rotation.at("step") == 0.009);
  BOOST_TEST(rotation.at("driven") == false);
  const auto close = boost::test_tools::tolerance(1e-13); // rounding of a few operations, and of 100 in 0.06
  BOOST_TEST(rotation.at("max_per_step").get<double>() == 2 * std::atan(0.45), close);
  BOOST_TEST(rotation.at("lag").get<double>() == 1 - 2 * std::atan(0.45) / 0.9, close);
  const double step = rotation.at("accurate_step");
  BOOST_TEST(2 * std::atan(50 * step) / (100 * step) == 0.999, close);
  // And it is true.
  const auto csv = read_csv(w.read("rotor.out/history.csv"));
  BOOST_TEST(cell(csv, csv.size() - 1, "hub.angle") / 90 - 1 == -rotation.at("lag").get<double>(),
             boost::test_tools::tolerance(1e-10)); // a hundred steps solved to rounding
}

BOOST_AUTO_TEST_CASE(warnings_begin_at_three_tenths_of_a_radian) {
  const Workplace w;
  w.write("rotor.yaml", rotor);
  const auto with_turn = [&](const std::string& angle) {
    const std::string set = " --set 'integrator.step=2*tan(" + angle + "/2)/100' --set integrator.end=0.03";
    const Ended checked = w.emmy("check rotor.yaml" + set), run = w.emmy("run rotor.yaml --force" + set);
    BOOST_TEST(run.code == 0);
    BOOST_TEST(checked.err.empty() == run.err.empty());
    BOOST_TEST(contains(run.out, "Rotation") == !run.err.empty());
    return run.err;
  };
  BOOST_TEST(with_turn("0.29") == "");
  BOOST_TEST(with_turn("0.29999") == "");
  BOOST_TEST(contains(with_turn("0.30001"), "turns by 0.3 rad in a step"));
}

// Angles that a drive sets are met; it is the angular velocity that is too large then, by x/theta - 1 = 2 tan(0.25)/0.5
// - 1, and the step follows from the angle.
BOOST_AUTO_TEST_CASE(of_a_driven_wheel_the_angular_velocity_is_too_large) {
  const Workplace w;
  w.write("wheel.yaml", R"(
bodies:
  wheel: {cylinder: {radius: 0.1, length: 0.02}, mass: 1, angular_velocity: [0, 0, 50]}
joints:
  hub: {type: revolute, between: [ground, wheel], at: wheel, axis: z, drive: {angle: 50*t}}
integrator: {step: 0.01, end: 0.2}
)");
  // With velocity constraints it is what the drive says, and nobody warns.
  const Ended met = w.emmy("run wheel.yaml -o met");
  BOOST_TEST(met.code == 0);
  BOOST_TEST(met.err == "");
  const auto constrained = read_csv(w.read("met/history.csv"));
  BOOST_TEST(std::abs(cell(constrained, constrained.size() - 1, "wheel.wz") - 50) <= 1e-11);
  const Ended e = w.emmy("run wheel.yaml --set integrator.velocity_constraints=off");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(
      contains(e.err, "its angle is driven, and its angular velocity and momentum are too large by 2.14 %; energy"),
      e.err);
  BOOST_TEST(contains(e.out, "angular velocity too large by 2.14 %, 0.1 % takes h = 0.00219 s\n"), e.out);
  BOOST_TEST(audit(w, "wheel.out").at("rotation").at("driven") == true);
  const auto csv = read_csv(w.read("wheel.out/history.csv"));
  const std::size_t last = csv.size() - 1;
  BOOST_TEST(std::abs(cell(csv, last, "hub.angle") - 10) <= 1e-12);
  // It starts with 50 rad/s, so that what it carries swings about the mean.
  const double mean = (cell(csv, last, "wheel.wz") + cell(csv, last - 1, "wheel.wz")) / 2;
  BOOST_TEST(mean == 100 * 2 * std::tan(0.25), boost::test_tools::tolerance(1e-10));
}

// Whatever the scheme and the formulation: what is told is what happened.
BOOST_AUTO_TEST_CASE(the_lag_is_that_of_the_scheme) {
  const Workplace w;
  struct Scheme {
    std::string integrator;
    std::vector<std::string> formulations;
    double angle; ///< of a step that asks for 0.9 rad
  };
  const std::vector<std::string> rigid{"frame", "director"};
  const double cayley = 2 * std::atan(0.45);
  const std::vector<Scheme> schemes{
      {"type: energy_momentum", {"frame", "director", "spring_tetra", "frame, fixed_point: [0, 0, 0.5]"}, cayley},
      {"type: midpoint", {"director"}, cayley},
      {"type: kick_drift_kick", rigid, 0.9},
      {"type: kick_drift_kick, kernel: lie_midpoint", rigid, 0.9},
      {"type: simo_wong_explicit", rigid, 0.9},
      {"type: predictor_corrector", rigid, 0.9},
      {"type: staggered", rigid, 0.9},
      {"type: park_chiou_downer", rigid, 4 * std::atan(0.225)},
      {"type: energy_momentum, order: 4",
       {"frame", "director", "spring_tetra"},
       0.9 * (1 - 1.4631e-4 * std::pow(0.9, 4))},
      {"type: energy_momentum, order: 6", {"frame", "director", "spring_tetra"}, 0.9}};
  for (const Scheme& scheme : schemes)
    for (const std::string& formulation : scheme.formulations) {
      const std::string what = scheme.integrator + ", " + formulation;
      w.write("disc.yaml", "bodies:\n  disc: {cylinder: {radius: 0.1, length: 0.02}, mass: 1, angular_velocity: [0, 0, "
                           "90], formulation: " +
                               formulation + "}\nintegrator: {" + scheme.integrator + ", step: 0.01, end: 0.01}\n");
      const Ended e = w.emmy("run disc.yaml --force");
      BOOST_TEST_REQUIRE(e.code == 0, what << ": " << e.err);
      const auto csv = read_csv(w.read("disc.out/history.csv"));
      const double angle = 2 * std::atan2(cell(csv, 2, "disc.qz"), cell(csv, 2, "disc.qw"));
      // Order 4: the next term is 6.8e-6 x⁷; order 6: 5.6e-8 x⁷. [F13]
      const bool composed = contains(scheme.integrator, "order");
      BOOST_TEST(std::abs(angle - scheme.angle) <= (composed ? 1e-5 : 1e-14), what << ": " << angle);
      const double lag = audit(w, "disc.out").at("rotation").at("lag");
      BOOST_TEST(std::abs(lag - (1 - angle / 0.9)) <= 1e-13, what << ": " << lag); // 22 stages solved to rounding
      BOOST_TEST(e.err.empty() == (lag < 1e-3), what << ": " << e.err);
    }
}

// Beyond a radian schemes that do not lag are warned of as well, of what they are.
BOOST_AUTO_TEST_CASE(turns_of_more_than_a_radian_are_coarse_by_any_scheme) {
  const Workplace w;
  w.write("disc.yaml", "bodies:\n  disc: {cylinder: {radius: 0.1, length: 0.02}, mass: 1, angular_velocity: [0, 0, "
                       "110]}\nintegrator: {type: kick_drift_kick, step: 0.01, end: 0.1}\n");
  const Ended e = w.emmy("run disc.yaml");
  BOOST_TEST(e.err ==
             "warning: body 'disc' turns by 1.1 rad in a step of 0.01 s at t = 0 s, none by more: axes and forces "
             "that turn meanwhile are not resolved; a step of 0.00455 s makes it half a radian\n");
  BOOST_TEST(contains(e.out,
                      "  Rotation  up to 1.1 rad a step, body 'disc' at t = 0 s: half a radian takes h = 0.00455 "
                      "s\n"));
  BOOST_TEST(w.emmy("run disc.yaml --force --set integrator.type=energy_momentum --set integrator.order=4").err ==
             e.err);
}

// A run that fails tells it too: a step that a drive turns by more than pi has no solution.
BOOST_AUTO_TEST_CASE(runs_that_fail_say_how_far_bodies_turned) {
  const Workplace w;
  w.write("wheel.yaml", R"(
bodies:
  wheel: {cylinder: {radius: 0.1, length: 0.02}, mass: 1}
joints:
  hub: {type: revolute, between: [ground, wheel], at: wheel, axis: z, drive: {angle: 50*t^2}}
integrator: {step: 0.1, end: 1}
solver: {max_halvings: 0}
)");
  const Ended e = w.emmy("run wheel.yaml");
  BOOST_TEST(e.code == 3);
  BOOST_TEST(count(e.err, "warning: body 'wheel' turns by 2.5 rad in a step of 0.1 s at t = 0.3 s") == 1U, e.err);
}

BOOST_AUTO_TEST_CASE(what_does_not_turn_is_not_told) {
  const Workplace w;
  w.write("bob.yaml", "bodies:\n  bob: {formulation: point, mass: 2, velocity: [3, 0, 0]}\n"
                      "integrator: {step: 0.1, end: 1}\n");
  const Ended e = w.emmy("run bob.yaml");
  BOOST_TEST(e.err == "");
  BOOST_TEST(!contains(e.out, "Rotation"));
  BOOST_TEST(audit(w, "bob.out").at("rotation").is_null());
}

BOOST_AUTO_TEST_SUITE_END()
