/// Integrators that take forces at instants, as users of `emmy run` see them.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy::test;

namespace {

/// Two links that fall against a wall; the energy is -19.62 J where they hang.
std::string two_links(const std::string& integrator, const std::string& wall) {
  return R"(gravity: [0, -9.81, 0]
chains:
  arm:
    links:
      upper: {length: 1, mass: 1, angle: pi/3}
      lower: {length: 1, mass: 1, angle: pi/2}
limits:
  knee: {type: wall, between: [[-0.3, 0, 0], upper.end], normal: x)" +
         wall + R"(}
  tip: {type: wall, between: [[-0.3, 0, 0], lower.end], normal: x)" +
         wall + "}\nintegrator: {step: 0.001, end: 0.7, type: " + integrator + "}\noutput: {every: 0.1}\n";
}

const std::string pendulum = R"(gravity: [0, -9.81, 0]
bodies:
  bob: {formulation: point, mass: 1, position: [sqrt(0.5), -sqrt(0.5), 0]}
joints:
  rod: {type: distance, between: [ground, bob], at: {first: [0, 0, 0], second: bob}}
integrator: {type: linear_acceleration, step: 0.01, end: 0.1}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(SchemeRuns)

// Energies at 0.7 s, after the first impact, of an independent prototype; without what the springs of penalties hold.
BOOST_AUTO_TEST_CASE(every_scheme_runs_from_a_deck) {
  struct Expected {
    const char *integrator, *wall;
    double energy, tolerance;
  };
  const char* penalty = ", enforcement: {method: penalty, stiffness: 1e4}";
  const char* lagrange = ", enforcement: lagrange";
  for (const Expected& e :
       {Expected{"linear_acceleration", "", 28.0653, 2e-4}, Expected{"high_order", "", 36.105, 2e-3},
        Expected{"high_order, after_impact: keep", lagrange, 278.66, 1e-2},
        Expected{"linear_acceleration, after_impact: keep", lagrange, 144.380, 2e-3},
        Expected{"midpoint", "", 11.40277, 2e-5}, Expected{"midpoint", lagrange, 11.40277, 2e-5},
        Expected{"high_order", penalty, 12.28908, 2e-5}, Expected{"explicit_euler", penalty, 16.57508, 2e-5}})
    BOOST_TEST_CONTEXT(e.integrator << e.wall) {
      const Workplace w;
      w.write("deck.yaml", two_links(e.integrator, e.wall));
      const Ended ended = w.emmy("run deck.yaml");
      BOOST_TEST_REQUIRE(ended.code == 0, ended.err);
      const Csv csv = read_csv(w.read("deck.out/history.csv"));
      const double energy = cell(csv, 8, "kinetic") + cell(csv, 8, "potential") + 19.62;
      BOOST_TEST(std::abs(cell(csv, 8, "t") - 0.7) < 1e-12);
      BOOST_TEST(std::abs(energy - e.energy) <= e.tolerance, energy);
      BOOST_TEST(contains(ended.err, "relative imbalance of energy") == (e.energy < 12.2 || e.energy > 12.5));
    }
}

// The options of the deck reach the loop: nested sweeps are more than those of the merged form.
BOOST_AUTO_TEST_CASE(augmented_lagrangians_follow_the_options_of_the_solver) {
  for (const std::string type : {"midpoint", "energy_momentum"}) {
    const Workplace w;
    w.write("deck.yaml", two_links(type, ""));
    const auto sweeps = [&](const std::string& settings) {
      const Ended e = w.emmy("run deck.yaml --force" + settings);
      BOOST_TEST_REQUIRE(e.code == 0, e.err);
      const std::string label = "sweeps a step (at most ";
      return std::stoi(e.out.substr(e.out.find(label) + label.size()));
    };
    const std::string nested = " --set solver.augmented_lagrangian.form=nested";
    BOOST_TEST(sweeps("") < 8);
    BOOST_TEST(sweeps(nested) > 4);
    BOOST_TEST(sweeps(nested + " --set solver.augmented_lagrangian.tolerance=1e-4") < sweeps(nested));
    const Ended few = w.emmy("run deck.yaml --force" + nested +
                             " --set solver.augmented_lagrangian.max_sweeps=2 --set solver.max_halvings=0");
    BOOST_TEST(few.code == 3);
    BOOST_TEST(contains(few.err, "after 2 sweeps of the augmented Lagrangian"), few.err);
  }
}

BOOST_AUTO_TEST_CASE(what_is_unstable_runs_with_consent_and_a_warning) {
  const Workplace w;
  w.write("deck.yaml", pendulum);
  const Ended refused = w.emmy("run deck.yaml");
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "deck.yaml:5:3: error: joint 'rod' is met exactly, which makes linear_acceleration "
                                   "unstable"));
  const Ended allowed = w.emmy("run deck.yaml --set integrator.allow_unstable=true");
  BOOST_TEST(allowed.code == 0, allowed.err);
  BOOST_TEST(contains(allowed.err, "deck.yaml:5:3: warning: joint 'rod' is met exactly"), allowed.err);
  const Ended stable = w.emmy("run deck.yaml --force --set integrator.type=midpoint");
  BOOST_TEST(stable.code == 0, stable.err);
  BOOST_TEST(stable.err == "");
}

// A mass of 2 kg on 30 N s/m: 15 /s, so that steps of 4.2021/15 and 7.0917/15 s are the longest [S17].
BOOST_AUTO_TEST_CASE(steps_of_higher_order_bear_dampers_up_to_a_length_that_is_told) {
  const Workplace w;
  w.write("deck.yaml", R"(bodies:
  bob: {formulation: point, mass: 2, position: [1, 0, 0], velocity: [3, 0, 0]}
forces:
  spring: {type: spring, between: [[0, 0, 0], bob], stiffness: 5}
  strut: {type: spring, between: [[0, 0, 0], bob], damping: 30}
integrator: {order: 4, step: 0.1, end: 3}
)");
  BOOST_TEST(contains(w.emmy("check deck.yaml").out,
                      "  longest step             0.2801 s, set by 'strut': dampers take "
                      "velocities at up to 15 /s at the start\n"));
  BOOST_TEST(!contains(w.emmy("check deck.yaml --set integrator.order=2").out, "longest step"));
  BOOST_TEST(!contains(w.emmy("check deck.yaml --set forces.strut.damping=0").out, "longest step"));
  const Ended run = w.emmy("run deck.yaml --set integrator.step=0.2801");
  BOOST_TEST(run.code == 0, run.err);
  const Ended refused = w.emmy("run deck.yaml --force --set integrator.step=0.2803");
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(refused.err == "deck.yaml:5:3: error: the dampers take velocities at up to 15 /s, most of all 'strut': a "
                            "step of 0.2803 s with 'order: 4' is too long, where a stage runs back in time they would "
                            "drive what they damp\n"
                            "  expected a step of at most 0.2801 s, less damping, or 'order: 2'\n");
  const std::string sixth = "run deck.yaml --force --set integrator.order=6 --set integrator.velocity_constraints=off";
  BOOST_TEST(w.emmy(sixth + " --set integrator.step=0.47").code == 0);
  BOOST_TEST(w.emmy(sixth + " --set integrator.step=0.473").code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
