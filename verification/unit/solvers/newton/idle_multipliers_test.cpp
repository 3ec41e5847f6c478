/// Multipliers of redundant joints from step to step: they go on from the steps before, and what they do to no body
/// stays at zero (docs/theory/redundancy.md [S20], [S21]).
#include "verification/support/compare.hpp"
#include "verification/support/loops.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

const Quaternion tilted = exponential({0.3, -0.7, 0.4});

/// Windows that are stepped one by one, without a simulation around them.
struct Windows {
  Windows(int n, const Quaternion& turn, double h, std::optional<double> epsilon = {})
      : run(windows(n, turn), h, 1, epsilon), up(turn * Vec3::UnitY()), state(run.m.initial), step_length(h) {}

  StepReport step() {
    StepReport report = run.integrator.step(state, step_length);
    BOOST_REQUIRE(report.converged);
    return report;
  }
  /// How far the uprights are from lying flat: the cosine of their angle.
  double lever() const { return std::abs(up.dot(run.m.bodies[0]->motion(state).orientation * Vec3::UnitX())); }

  LoopRun run;
  Vec3 up;
  State state;
  double step_length;
};

/// Iterations per step of the steps that follow the first `skipped` ones.
double mean_iterations(Windows& windows, int skipped, int steps) {
  long sum = 0;
  for (int i = 0; i < skipped + steps; ++i) {
    const int iterations = windows.step().iterations;
    sum += i < skipped ? 0 : iterations;
  }
  return static_cast<double>(sum) / steps;
}

} // namespace

BOOST_AUTO_TEST_SUITE(IdleMultipliers)

// Away from flat positions one iteration is enough, but for the one step in 32 that looks how it converges. They took
// two where multipliers started from zero. The first flat position comes after 720 steps.
BOOST_DATA_TEST_CASE(closed_loops_take_one_iteration_a_step, data::make({2, 2, 40}) ^ data::make({false, true, true}),
                     n, turned) {
  Windows windows(n, turned ? tilted : Quaternion::Identity(), 1e-3);
  BOOST_TEST(mean_iterations(windows, 60, 300) <= 1.1);
}

// A singular position makes the equations more curved than anything else, for some steps: that is forgotten. And what
// idle multipliers change by, which with many windows is more than all others do, counts for nothing.
BOOST_DATA_TEST_CASE(one_iteration_is_enough_again_after_a_flat_position, data::make({2, 40}), n) {
  Windows windows(n, tilted, 1e-3);
  BOOST_TEST(mean_iterations(windows, 800, 300) <= 1.1);
}

// Multipliers go on from the steps before, and yet are those of a step that starts from nothing: the part that does
// nothing is as large as rounding makes it in one step. Coordinates of up to 3 m are rounded to eps of them, of which a
// solve makes eps 3 m / epsilon in units of s [S1]. If it were not pulled to zero it would grow, to more than 1e6 N.
BOOST_DATA_TEST_CASE(they_are_those_of_a_cold_start, data::make({1e-2, 1e-3}), h) {
  Windows windows(2, tilted, h);
  EnergyMomentum cold(*windows.run.m.model, windows.run.options(h, {}));
  const double s = 2 * windows.run.m.model->mean_mass() / (h * h), rounding = eps * 3 / 1e-12 * s;
  double most = 0;
  const int steps = static_cast<int>(std::lround(10 / h)) / (h < 1e-2 ? 5 : 1);
  for (int i = 0; i < steps; ++i) {
    State alone = windows.state;
    alone.memory.clear();
    const int warm_solves = windows.step().iterations;
    const StepReport cold_report = cold.step(alone, h);
    BOOST_REQUIRE(cold_report.converged);
    const double roundings = 2 * (warm_solves + cold_report.iterations); // refinements are solves, too
    const double difference = (windows.state.multipliers - alone.multipliers).lpNorm<Eigen::Infinity>();
    most = std::max(most, windows.lever() * difference /
                              roundings); // reactions grow like its inverse, and so does their rounding
  }
  BOOST_TEST(most <= rounding);
}

// With a block of 1e-3 and modes of 1e-2 and more, refinement leaves up to (1e-3 / 1e-2)² of the reactions, 5e-8 m a
// step: that must be seen, and another iteration taken. Then the motion is that of any other block.
BOOST_AUTO_TEST_CASE(what_refinement_leaves_is_seen) {
  Windows strong(2, tilted, 1e-3, 1e-3), usual(2, tilted, 1e-3);
  for (int i = 0; i < 300; ++i) {
    strong.step();
    usual.step();
  }
  // 300 steps of rounding that add up twice: a velocity is off by eps/h in each of them.
  BOOST_TEST((strong.state.values - usual.state.values).lpNorm<Eigen::Infinity>() <= 300 * 300 * eps);
}

// Whatever decides how a step is solved is in the state: also over a flat position.
BOOST_AUTO_TEST_CASE(a_run_that_goes_on_from_a_copy_takes_the_same_steps) {
  Windows first(2, tilted, 1e-3), second(2, tilted, 1e-3);
  for (int i = 0; i < 650; ++i)
    first.step();
  second.state = first.state;
  for (int i = 0; i < 150; ++i)
    BOOST_TEST(first.step().iterations == second.step().iterations);
  BOOST_TEST((first.state == second.state));
}

BOOST_AUTO_TEST_SUITE_END()
