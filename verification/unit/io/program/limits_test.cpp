/// Limits as a user sees them.
#include "verification/unit/io/program/program.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

using namespace emmy::test;

namespace {

/// A slider 0.25 m before a wall and between stops, at rest.
const std::string deck = R"(bodies:
  slider: {box: [0.2, 0.1, 0.1], mass: 3}
joints:
  guide: {type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: x}
limits:
  wall: {type: wall, between: [[0.25, 0, 0], slider], normal: -x, restitution: 0.5}
  stops: {type: stop, joint: guide, lower: -1, upper: 2}
integrator: {step: 0.01, end: 0.02}
)";

bool has_column(const Csv& csv, const std::string& name) {
  return std::find(csv[0].begin(), csv[0].end(), name) != csv[0].end();
}

} // namespace

BOOST_AUTO_TEST_SUITE(LimitsOfADeck)

BOOST_AUTO_TEST_CASE(check_lists_limits_with_their_gaps) {
  const Workplace w;
  w.write("slider.yaml", deck);
  const Ended e = w.emmy("check slider.yaml");
  BOOST_TEST(e.code == 0);
  BOOST_TEST(e.err == "");
  BOOST_TEST(contains(e.out, "1 body, 1 joint, 2 limits"));
  BOOST_TEST(contains(e.out, "1 degree of freedom\n"));
  BOOST_TEST(contains(e.out, "wall              wall           0.5   0.25 m\n"));
  BOOST_TEST(
      contains(e.out, "stops             stop             1   2 m to the upper bound, 1 m to the lower bound\n"));
}

// Only the deepest is named; bounds that hold are not, nor is the gap of a joint mistaken for it.
BOOST_AUTO_TEST_CASE(a_start_beyond_a_limit_is_warned_of_at_its_place) {
  const Workplace w;
  w.write("slider.yaml", deck);
  for (const char* command : {"check", "run"}) {
    const Ended e = w.emmy(std::string(command) + " slider.yaml --set limits.stops.lower=0.125");
    BOOST_TEST(
        e.err.find("slider.yaml:7:3: warning: limit 'stops' does not hold in the initial configuration: its lower "
                   "bound [m] is passed by 1.250e-01\n") == 0U);
  }
}

BOOST_AUTO_TEST_CASE(history_has_gaps_and_forces_of_the_limits_that_are_selected) {
  const Workplace w;
  w.write("slider.yaml", deck);
  w.emmy("run slider.yaml -o all");
  const Csv all = read_csv(w.read("all/history.csv"));
  BOOST_TEST(cell(all, 1, "wall.gap") == 0.25);
  BOOST_TEST(cell(all, 1, "stops.upper_gap") == 2.0);
  BOOST_TEST(cell(all, 1, "stops.lower_gap") == 1.0);
  BOOST_TEST(std::isnan(cell(all, 1, "wall.force")));
  BOOST_TEST(has_column(all, "stops.lower_force"));
  w.emmy("run slider.yaml -o one --set output.limits=[wall]");
  const Csv one = read_csv(w.read("one/history.csv"));
  BOOST_TEST(has_column(one, "wall.force"));
  BOOST_TEST(!has_column(one, "stops.upper_gap"));
}

BOOST_AUTO_TEST_SUITE_END()
