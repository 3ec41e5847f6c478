/// Explicit integrators as users of `emmy check` and `emmy run` see them.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

/// A mass of 2 kg on a spring of 800 N/m: 20 rad/s, hence a critical step of 0.1 s. It starts at ease, in motion.
std::string oscillator(const std::string& integrator, const std::string& output = "{}") {
  return R"(
bodies:
  bob: {formulation: point, mass: 2, position: [0, 0, -1], velocity: [0, 0, 0.3]}
forces:
  coil: {type: spring, between: [[0, 0, 0], bob], stiffness: 800, free_length: 1}
integrator: {)" +
         integrator + "}\noutput: " + output + "\n";
}

const std::string spinning = R"(
bodies:
  disc: {inertia: [5, 5, 1], unphysical_inertia: true, mass: 1, angular_velocity: [0, 0, 50]}
  ball: {sphere: 0.1, mass: 1, position: [3, 0, 0], angular_velocity: [80, 0, 0]}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(ExplicitRuns)

// Every example, by the recommended integrator and one of the others in turn; springs that hold bodies, chains and
// limits are refused.
BOOST_AUTO_TEST_CASE(every_example_runs_by_changing_one_word) {
  const std::vector<std::string> others{"simo_wong_explicit", "predictor_corrector", "staggered", "park_chiou_downer"};
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(example("pendulum.yaml")).parent_path())) {
    if (entry.path().extension() != ".yaml")
      continue;
    const Workplace w;
    for (const std::string& type : {std::string("kick_drift_kick"), others[count++ % others.size()]}) {
      const Ended e = w.emmy("run " + entry.path().string() + " -o out --force --set integrator.type=" + type +
                             " --set integrator.end=0.2 --set output.every=0");
      const bool refused =
          e.code == 2 && (contains(e.err, ", which '" + type + "' cannot move") ||
                          contains(e.err, "cannot be integrated by " + type + ", which knows no impacts"));
      BOOST_TEST((e.code == 0 || refused), entry.path().filename().string() << ", " << type << ": " << e.err);
    }
  }
  BOOST_TEST(count > 20U);
}

BOOST_AUTO_TEST_CASE(check_prints_the_critical_step_and_what_sets_it) {
  const Workplace w;
  w.write("deck.yaml", oscillator("type: kick_drift_kick, step: 0.01, end: 1"));
  const Ended e = w.emmy("check deck.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "  critical step            0.1 s, set by 'coil' on body 'bob' (20 rad/s)\n"));
  BOOST_TEST(contains(e.out, "  step                     0.01 s\n"));
  // Damping is part of it: 0.1 (sqrt(1 + zeta²) - zeta) with zeta = 40/(2 2 20) = 1/2.
  const Ended damped = w.emmy("check deck.yaml --set forces.coil.damping=40");
  BOOST_TEST(
      contains(damped.out, "critical step            0.0618 s, set by 'coil' on body 'bob' (20 rad/s, damping 20 /s)"));
  // Implicit steps have no such limit.
  const Ended implicit = w.emmy("check deck.yaml --set integrator.type=energy_momentum");
  BOOST_TEST(implicit.code == 0);
  BOOST_TEST(!contains(implicit.out, "critical step"));
}

BOOST_AUTO_TEST_CASE(check_prints_what_spins_allow) {
  const Workplace w;
  w.write("deck.yaml", spinning + "integrator: {type: park_chiou_downer, step: 0.06, end: 1}\n");
  const Ended e = w.emmy("check deck.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(contains(e.out, "  critical step            none: no spring or damper limits it\n"));
  BOOST_TEST(contains(e.out, "  gyroscopic limit         0.05 s, set by the spin of body 'disc'"));
  BOOST_TEST(
      contains(e.out, "  accurate up to           0.00625 s: body 'ball' then turns by half a radian in a step\n"));
  const std::string turn = "warning: body 'ball' turns by ";
  BOOST_TEST(e.err.find("warning: the step of 0.06 s is longer than the gyroscopic limit, 0.05 s, which the spin of "
                        "'disc' sets\n" +
                        turn) == 0U,
             e.err);
  const Ended other = w.emmy("check deck.yaml --set integrator.type=kick_drift_kick");
  BOOST_TEST(!contains(other.out, "gyroscopic limit"));
  BOOST_TEST(other.err.find(turn + "4.8 rad in a step of 0.06 s") == 0U, other.err);
  const Ended shorter = w.emmy("check deck.yaml --set integrator.type=kick_drift_kick --set integrator.step=0.006");
  BOOST_TEST(shorter.err == "");
}

BOOST_AUTO_TEST_CASE(a_step_beyond_the_critical_one_is_warned_of_with_the_elements_name) {
  const Workplace w;
  w.write("deck.yaml", oscillator("type: kick_drift_kick, step: 0.11, end: 1.1"));
  const std::string text =
      "warning: the step of 0.11 s is longer than the critical one, 0.1 s, which 'coil' sets on body "
      "'bob'\n";
  BOOST_TEST(w.emmy("check deck.yaml").err == text);
  const Ended run = w.emmy("run deck.yaml");
  BOOST_TEST(contains(run.err, text));
  BOOST_TEST(contains(w.read("deck.out/run.log"), text));
  BOOST_TEST(!contains(w.emmy("run deck.yaml --force --set integrator.step=0.099").err, "longer than the critical"));
}

// 0.9 of 0.1 s does not divide 0.2 s: the longest step that does is 0.2/3 s.
BOOST_AUTO_TEST_CASE(an_automatic_step_runs_and_fits_the_times_of_output) {
  const Workplace w;
  w.write("deck.yaml", oscillator("type: kick_drift_kick, step: auto, end: 2", "{every: 0.2}"));
  const Ended checked = w.emmy("check deck.yaml");
  BOOST_TEST(checked.code == 0);
  BOOST_TEST(contains(checked.out, "  step                     0.06667 s, chosen by emmy\n"));
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 0);
  const auto csv = read_csv(w.read("deck.out/history.csv"));
  BOOST_TEST_REQUIRE(csv.size() == 12U); // head, start, ten times
  for (std::size_t row = 1; row < csv.size(); ++row)
    BOOST_TEST(std::abs(cell(csv, row, "t") - 0.2 * static_cast<double>(row - 1)) <= 1e-15 * 8);
  BOOST_TEST(nlohmann::json::parse(w.read("deck.out/audit.json")).at("steps") == 30);
  // Without times of output the end is what must be met; `safety` shortens.
  BOOST_TEST(
      contains(w.emmy("check deck.yaml --set output.every=0").out, "step                     0.08696 s")); // 2/23
  BOOST_TEST(contains(w.emmy("check deck.yaml --set integrator.safety=0.5 --set output.every=0.1").out,
                      "step                     0.05 s"));
}

BOOST_AUTO_TEST_CASE(an_automatic_step_without_any_limit_is_a_located_error) {
  const Workplace w;
  w.write("deck.yaml", "bodies:\n  ball: {sphere: 0.1, mass: 1}\n"
                       "integrator: {type: kick_drift_kick, step: auto, end: 1}\n");
  for (const char* command : {"check deck.yaml", "run deck.yaml"}) {
    const Ended e = w.emmy(command);
    BOOST_TEST(e.code == 2);
    BOOST_TEST(contains(e.err,
                        "deck.yaml:3:1: error: 'step' of 'integrator' is 'auto', but nothing in the model limits "
                        "the step"));
    BOOST_TEST(contains(e.err, "expected a number > 0 in s"));
  }
  BOOST_TEST(!fs::exists(w.path() / "deck.out"));
}

BOOST_AUTO_TEST_CASE(bodies_held_by_springs_are_a_located_error_under_explicit_integrators) {
  const Workplace w;
  w.write("deck.yaml", "bodies:\n  stiff: {sphere: 0.1, mass: 1}\n"
                       "  soft: {sphere: 0.1, mass: 1, formulation: spring_tetra, position: [1, 0, 0]}\n"
                       "integrator: {type: staggered, step: 0.01, end: 1}\n");
  const Ended e = w.emmy("run deck.yaml");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "deck.yaml:3:3: error: body 'soft' is a 'spring_tetra', which 'staggered' cannot move"));
  BOOST_TEST(contains(e.err, "expected 'formulation: frame', 'director' or 'point'"));
  BOOST_TEST(!fs::exists(w.path() / "deck.out"));
  BOOST_TEST(w.emmy("run deck.yaml --set integrator.type=energy_momentum").code == 0);
  // By default of the deck as well.
  w.write("all.yaml", "defaults: {formulation: spring_tetra}\nbodies:\n  soft: {sphere: 0.1, mass: 1}\n"
                      "integrator: {type: kick_drift_kick, step: 0.01, end: 1}\n");
  BOOST_TEST(w.emmy("check all.yaml").code == 2);
  // Other analyses do not ask the integrator.
  BOOST_TEST(!contains(w.emmy("check deck.yaml --set analysis=modes").err, "cannot move"));
}

BOOST_AUTO_TEST_CASE(chains_are_a_located_error_under_explicit_integrators) {
  const Workplace w;
  w.write("deck.yaml", "chains:\n  arm:\n    links:\n      upper: {length: 1, mass: 1}\n"
                       "integrator: {type: staggered, step: 0.01, end: 1}\n");
  const Ended e = w.emmy("check deck.yaml");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(e.err == "deck.yaml:2:3: error: the links of chain 'arm' have angles for unknowns, which 'staggered' "
                      "cannot move: it moves free bodies\n"
                      "  expected bodies with joints, or 'integrator: {type: energy_momentum}'\n");
  BOOST_TEST(w.emmy("check deck.yaml --set integrator.type=energy_momentum").code == 0);
}

// Every type of the deck runs, is named in the log, and books what it should: m v²/2 = 0.09 J swings in the spring.
BOOST_AUTO_TEST_CASE(every_explicit_type_runs_from_a_deck) {
  const Workplace w;
  for (const char* type :
       {"kick_drift_kick", "simo_wong_explicit", "predictor_corrector", "staggered", "park_chiou_downer"}) {
    w.write("deck.yaml", oscillator(std::string("type: ") + type + ", step: 0.001, end: 0.5"));
    const Ended e = w.emmy("run deck.yaml --force");
    BOOST_TEST(e.code == 0, type);
    BOOST_TEST(!contains(e.out, "Newton"), type);
    BOOST_TEST(contains(w.read("deck.out/run.log"), "explicit"), type);
    const auto csv = read_csv(w.read("deck.out/history.csv"));
    // z = -1 + v/w sin(w t), to second order: (w h)²/24 per radian, 10 rad; predictor-corrector gains on top of it.
    const double exact = -1 + 0.3 / 20 * std::sin(20 * 0.5);
    BOOST_TEST(std::abs(cell(csv, csv.size() - 1, "bob.z") - exact) <= 0.015 * 0.02 * 0.02 * 10, type);
  }
}

BOOST_AUTO_TEST_CASE(a_load_that_jumps_gives_the_impulse_that_it_should) {
  const Workplace w;
  w.write("deck.yaml", R"(
bodies:
  bob: {formulation: point, mass: 2}
forces:
  push: {type: force, body: bob, value: [6*(step(t - 0.25) - step(t - 0.755)), 0, 0]}
integrator: {type: kick_drift_kick, step: 0.02, end: 1}
)");
  BOOST_REQUIRE(w.emmy("run deck.yaml").code == 0);
  const auto csv = read_csv(w.read("deck.out/history.csv"));
  BOOST_TEST(cell(csv, csv.size() - 1, "bob.vx") == 6 * 0.505 / 2, boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(an_automatic_step_that_would_never_end_is_refused) {
  const Workplace w;
  w.write("deck.yaml", oscillator("type: kick_drift_kick, step: auto, end: 1"));
  const Ended e = w.emmy("run deck.yaml -o out --set forces.coil.stiffness=1e40");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "deck.yaml:6:1: error: the critical step is 2.83e-20 s, set by 'coil' on body 'bob'"));
  BOOST_TEST(!fs::exists(w.path() / "out"));
}

// Its rows would say nothing, and rounding would make them say something.
BOOST_AUTO_TEST_CASE(a_joint_on_a_fixed_point_is_refused) {
  const Workplace w;
  w.write("deck.yaml", R"(
bodies:
  wheel: {mass: 2, inertia: [0.3, 0.4, 0.5], fixed_point: [0.2, 0, -1], position: [1, 2, 3]}
joints:
  hub: {type: revolute, between: [ground, wheel], at: [1.2, 2, 2], axis: x}
integrator: {step: 0.01, end: 1}
)");
  const Ended e = w.emmy("check deck.yaml");
  BOOST_TEST(e.code == 2);
  BOOST_TEST(contains(e.err, "deck.yaml:5:3: error: joint 'hub' sits on the fixed point of a body"));
  const Ended axes =
      w.emmy("check deck.yaml --set joints.hub=\"{type: parallel_axes, between: [ground, wheel], axis: x}\"");
  BOOST_TEST(axes.code == 0, axes.err);
  BOOST_TEST(contains(axes.out, "degrees of freedom       1\n"));
}

BOOST_AUTO_TEST_SUITE_END()
