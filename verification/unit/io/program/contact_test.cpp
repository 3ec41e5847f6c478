/// Runs with contact: what is written of it, and what is said.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace emmy::test;
namespace fs = std::filesystem;

namespace {

/// A ball falls on a floor from rest, 1.25 m above it: it arrives after 0.5 s with 5 m/s.
const std::string fall = R"(gravity: [0, 0, -10]
bodies: {ball: {sphere: 0.25, mass: 2, position: [0, 0, 1.5]}}
contact:
  bodies: all
  surfaces: {floor: {on: ground, half_space: z}}
  material: {restitution: 0.5}
  pairs: {drop: {between: [floor, ball]}}
integrator: {step: 0.001, end: 0.6}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(Contact)

// Impacts come at the end of the step in which the gap closes. Within a step of it the speed is g t, of which half
// comes back: the impulse is m (1 + e) g t, the loss m (1 - e²) (g t)² / 2, all to the order of a step, g h = 0.01 m/s.
BOOST_AUTO_TEST_CASE(an_impact_is_in_history_list_summary_and_audit) {
  const Workplace w;
  w.write("fall.yaml", fall);
  const Ended e = w.emmy("run fall.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "1 body, 0 joints, 2 surfaces, "));
  BOOST_TEST(contains(e.out, "  Contact  1 impact, at most 1 contact at once\n"));
  BOOST_TEST(contains(e.out, "history.csv (601 rows), impacts.csv (1 impact), audit.json, run.log"));

  const Csv impacts = read_csv(w.read("fall.out/impacts.csv"));
  BOOST_TEST_REQUIRE(impacts.size() == 2U);
  BOOST_TEST(impacts[1][1] == "drop");
  BOOST_TEST(impacts[1][2] == "ball");
  BOOST_TEST(impacts[1][3] == "floor");
  const double t = cell(impacts, 1, "t"), speed = 5, tolerance = 2 * 0.01;
  BOOST_TEST(std::abs(t - 0.5) <= 0.001 * 1.001);
  BOOST_TEST(std::abs(cell(impacts, 1, "approach") - speed) <= tolerance);
  BOOST_TEST(std::abs(cell(impacts, 1, "P") - 2 * 1.5 * speed) <= 2 * 1.5 * tolerance);
  BOOST_TEST(std::abs(cell(impacts, 1, "lost") - 0.75 * 25) <= 0.75 * 2 * speed * tolerance);
  BOOST_TEST(cell(impacts, 1, "I_t") == 0);
  BOOST_TEST(cell(impacts, 1, "nz") == 1);

  const Csv history = read_csv(w.read("fall.out/history.csv"));
  double impulse = 0;
  for (std::size_t row = 2; row < history.size(); ++row)
    impulse += 0.001 * cell(history, row, "drop.fz");
  BOOST_TEST(std::abs(impulse - cell(impacts, 1, "P")) <= 1e-12); // forces are means: their sum is the impulse
  const std::size_t last = history.size() - 1;
  BOOST_TEST(cell(history, last, "contact.impacts") == 1);
  BOOST_TEST(cell(history, last, "contact.lost_restitution") == cell(impacts, 1, "lost"));
  BOOST_TEST(cell(history, last, "dissipation") == cell(history, last, "contact.lost_restitution"));
  BOOST_TEST(cell(history, 1, "contact.impacts") == 0);
  BOOST_TEST(std::isnan(cell(history, 1, "drop.fz")));

  const auto audit = nlohmann::json::parse(w.read("fall.out/audit.json"));
  BOOST_TEST(audit["contact"]["impacts"] == 1);
  BOOST_TEST(audit["contact"]["lost_restitution"] == cell(impacts, 1, "lost"));
  BOOST_TEST(audit["contact"].contains("max_penetration"));
  BOOST_TEST(audit["contact"].contains("max_law_residual"));
}

BOOST_AUTO_TEST_CASE(output_selects_what_is_written_of_contact) {
  const Workplace w;
  w.write("fall.yaml", fall);
  const Ended none = w.emmy("run fall.yaml --set output.contacts=none -o none");
  BOOST_TEST(none.code == 0);
  BOOST_TEST(!fs::exists(w.path() / "none/impacts.csv"));
  BOOST_TEST(!contains(w.read("none/history.csv"), "contact."));
  BOOST_TEST(contains(none.out, "1 impact,")); // the summary says it all the same
  w.write("fall2.yaml", fall + "output: {contacts: [far]}\n");
  const Ended far = w.emmy("run fall2.yaml --set 'contact.pairs.far={between: [ball, wall]}' "
                           "--set 'contact.surfaces.wall={on: ground, half_space: x, at: [-5, 0, 0]}' -o far");
  BOOST_TEST(far.code == 0);
  BOOST_TEST(contains(w.read("far/history.csv"), "far.points"));
  BOOST_TEST(!contains(w.read("far/history.csv"), "drop.points"));
  BOOST_TEST(read_csv(w.read("far/impacts.csv")).size() == 1U); // the head alone: that wall was not reached
  // Impacts of an earlier run do not stand beside ours.
  BOOST_TEST(w.emmy("run fall.yaml --set output.contacts=none -o far --force").code == 0);
  BOOST_TEST(!fs::exists(w.path() / "far/impacts.csv"));
}

BOOST_AUTO_TEST_CASE(check_tells_surfaces_rules_and_pairs) {
  const Workplace w;
  const Ended e = w.emmy("check " + example("sphere_heap.yaml"));
  BOOST_TEST(contains(e.out, "64 bodies, 0 joints, 65 surfaces, "));
  BOOST_TEST(contains(e.out, "  ball1_1_1         ball1_1_1         sphere, radius 0.1 m\n"));
  BOOST_TEST(contains(e.out, "  ... and 35 more\n"));
  BOOST_TEST(contains(e.out, "  walls             0             bin, ball1_1_1 and 63 more\n"));
  BOOST_TEST(contains(e.out, "  2080 pairs of surfaces may touch\n")); // 65 * 64 / 2
  BOOST_TEST(contains(w.emmy("check " + example("tumbling_cube.yaml")).out, "  1 pair of surfaces may touch\n"));
  // Two surfaces of one body, each of which may touch the floor.
  w.write("fall.yaml", fall);
  const std::string two = "check fall.yaml --set 'contact.surfaces.cap={on: ball, sphere: 0.1, at: [0, 0, 0.2]}'";
  BOOST_TEST(contains(w.emmy(two).out, "  2 pairs of surfaces may touch\n"));
}

BOOST_AUTO_TEST_CASE(balls_of_the_cradle_pass_their_speed_on) {
  const Workplace w;
  const Ended e = w.emmy("run " + example("newtons_cradle.yaml") + " -o out");
  BOOST_TEST(e.code == 0);
  const Csv history = read_csv(w.read("out/history.csv"));
  for (int ball = 1; ball <= 5; ++ball)
    BOOST_TEST(std::abs(cell(history, history.size() - 1, "ball" + std::to_string(ball) + ".vx") - (ball == 5)) <=
               1e-14);
  BOOST_TEST(read_csv(w.read("out/impacts.csv")).size() == 5U);
}

BOOST_AUTO_TEST_CASE(fast_thin_things_are_warned_of_while_they_get_fast) {
  const Workplace w;
  w.write("fall.yaml", fall);
  // 0.02 m slab and 0.02 m ball: at 5 m/s a step of 0.01 s covers 0.05 m; at the start nothing moves.
  const std::string thin = "fall.yaml --set bodies.ball.sphere=0.01 --set integrator.step=0.01 --set contact.pairs={} "
                           "--set 'contact.surfaces.floor={on: ground, box: [1, 1, 0.02]}'";
  BOOST_TEST(w.emmy("check " + thin).err == "");
  const Ended e = w.emmy("run " + thin + " -o thin --set integrator.end=2");
  BOOST_TEST(contains(e.err, "warning: 'ball' and 'floor' move by up to "));
  BOOST_TEST(contains(e.err, "they may pass through each other unseen; expected a step of at most "));
}

BOOST_AUTO_TEST_SUITE_END()
