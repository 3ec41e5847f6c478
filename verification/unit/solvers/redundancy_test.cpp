/// Dependent constraints and singular configurations: docs/theory/redundancy.md.
#include "verification/support/compare.hpp"
#include "verification/support/loops.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <optional>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace emmy::test {

/// A force on the centre of a body during the one step that contains `time`.
class Blow final : public Interaction {
public:
  Blow(const Model& model, const Body& body, double time, const Vec3& force)
      : Interaction("blow", "force", model.ports(), {body_point(body.port(), Vec3::Zero())}), time_(time),
        force_(force) {}
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override {
    if (s.t <= time_ && time_ < s.t + s.h)
      out.r -= force_;
  }
  bool external() const override { return true; }
  std::string row_name(Index) const override { return "force"; }

private:
  double time_;
  Vec3 force_;
};

} // namespace emmy::test

namespace {

constexpr double pi = 3.14159265358979323846;

/// The windows with their uprights inclined by theta, at rest.
State windows_at(const Mechanism& m, double theta) {
  State state = m.initial;
  const std::size_t uprights = m.bodies.size() / 2 + 1;
  const BodyMotion first = m.bodies[0]->motion(m.initial), bar = m.bodies[uprights]->motion(m.initial);
  const Vec3 x = bar.orientation * Vec3::UnitX(), y = first.orientation * Vec3::UnitX(); // axes of the mechanism
  const Quaternion turn = exponential(Vec3(-theta * x.cross(y)));
  const Vec3 moved = turn * y - y; // of the tops
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    BodyMotion motion = m.bodies[i]->motion(m.initial);
    motion.position += i < uprights ? Vec3(moved / 2) : moved;
    if (i < uprights)
      motion.orientation = turn * motion.orientation;
    motion.velocity = motion.angular_velocity = Vec3::Zero();
    m.bodies[i]->set_motion(motion, state);
  }
  return state;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Redundancy)

// docs/theory/redundancy.md: ranks of the test mechanisms.
BOOST_AUTO_TEST_CASE(ranks_of_loops) {
  for (const int n : {2, 40, 400}) {
    const Mechanism m = windows(n);
    const ConstraintAnalysis a = analyse_constraints(*m.model, m.initial);
    BOOST_TEST(a.equations == 15 * n + 5);
    BOOST_TEST(a.unknowns == 12 * n + 6);
    BOOST_TEST(a.rank == 12 * n + 5);
    BOOST_TEST(a.redundancy() == 3 * n);
    BOOST_TEST(a.degrees_of_freedom() == 1);
  }
}

// With the bars horizontal n more equations depend on others, in all joints; close to it they nearly do.
BOOST_AUTO_TEST_CASE(a_flat_position_is_singular) {
  for (const int n : {2, 40}) {
    const Mechanism m = windows(n, exponential({0.3, -0.7, 0.4}));
    const ConstraintAnalysis flat = analyse_constraints(*m.model, windows_at(m, pi / 2));
    BOOST_TEST(flat.rank == 11 * n + 5);
    BOOST_TEST(flat.degrees_of_freedom() == n + 1);
    for (const double theta : {pi / 2, pi / 2 - 0.04, -pi / 2 + 0.01}) {
      const SingularConfiguration found = find_singular(*m.model, m.initial, windows_at(m, theta));
      BOOST_TEST(found.lost == n);
      BOOST_TEST(found.joints.size() == static_cast<std::size_t>(3 * n + 1));
    }
    BOOST_TEST(find_singular(*m.model, m.initial, windows_at(m, 0.5)).lost == 0);
    BOOST_TEST(find_singular(*m.model, m.initial, windows_at(m, pi)).lost == 0);
  }
}

// Crank angle of the four-bar at 2 s with steps of 0.02, 0.01, 0.005 s, to the digits that are known.
BOOST_AUTO_TEST_CASE(a_four_bar_with_three_redundant_equations) {
  const std::pair<double, double> known[] = {{0.02, -4.3170615}, {0.01, -4.3166012}, {0.005, -4.3164857}};
  const double exact = -4.3164473;
  double last_error = 0;
  for (const auto& [h, phi] : known) {
    LoopRun run(four_bar(), h, 2);
    const Outcome outcome = run.simulation.run();
    BOOST_TEST(outcome.completed);
    BOOST_TEST(agree("crank angle", run.angle(0) - 2 * pi, phi, 1e-7)); // seven decimals are given
    // 2/h steps with 38 equations, at most one rounding each
    BOOST_TEST(run.simulation.ledger().relative_energy_imbalance() <= 2 / h * 38 * eps);
    BOOST_TEST(run.simulation.ledger().max_position_violation() <= 1e-14); // rounding of 2 m, some forty times
    BOOST_TEST(outcome.max_iterations <= 4);
    BOOST_TEST(outcome.rejected_steps == 0);
    const double error = std::abs(run.angle(0) - 2 * pi - exact);
    if (last_error > 0)
      BOOST_TEST(agree("order", std::log2(last_error / error), 2, 0.05)); // h⁴ terms and the digits of `exact`
    last_error = error;
  }
}

// Through ten flat positions, where the rank drops by n more: the uprights stay parallel, on the branch of the
// one-degree-of-freedom motion. Also turned in space, where nothing is zero by accident. More of this in
// verification/long.
BOOST_DATA_TEST_CASE(windows_cross_their_flat_positions,
                     data::make({2, 2, 2, 40, 40}) ^ data::make({0.01, 0.01, 0.001, 0.01, 0.01}) ^
                         data::make({0.0, 1.0, 1.0, 0.0, 1.0}),
                     n, h, turn) {
  WindowsRun run(n, exponential(turn * Vec3(0.3, -0.7, 0.4)), h, 10);
  const Outcome outcome = run.simulation.run();
  BOOST_TEST(outcome.completed);
  BOOST_TEST(outcome.rejected_steps == 0);
  BOOST_TEST(outcome.rescued_steps == 0);
  BOOST_TEST(outcome.max_iterations <= 5);
  BOOST_TEST(run.crossings == 10);
  BOOST_TEST(run.simulation.ledger().relative_energy_imbalance() <=
             1e-11); // asked for; 1000 steps x 1091 x eps = 2e-10
  BOOST_TEST(run.simulation.ledger().max_position_violation() <= 1e-12);
  // Rounding of positions, n eps, over the smallest cosine that a crossing may have, some 1e-5 of a step.
  BOOST_TEST(std::max(run.out_of_parallel, run.tilt) <= 1e-8);
  BOOST_TEST(run.warnings.empty());
}

// Steps chosen so that the 72nd ends in the flat position, and that the 73rd has it in its middle, to 1e-9 and better.
// In the middle reactions have no lever and grow without bound; that step is repeated in two parts.
BOOST_DATA_TEST_CASE(a_step_may_hit_the_flat_position,
                     data::make({2, 2, 40}) ^
                         data::make({0.0099213830546945551, 0.0098525711010576979, 0.0099522390926602804}),
                     n, h) {
  WindowsRun run(n, exponential({0.3, -0.7, 0.4}), h, 2);
  BOOST_TEST(run.simulation.run().completed);
  BOOST_TEST(run.crossings == 2);
  BOOST_TEST(run.simulation.ledger().relative_energy_imbalance() <= 1e-11);
  BOOST_TEST(run.simulation.ledger().max_position_violation() <= 1e-12);
  // Where the gap is quadratic in the angle its rounding of n eps leaves the root of it.
  BOOST_TEST(run.out_of_parallel <= 10 * std::sqrt(n * eps));
  BOOST_TEST(run.warnings.empty());
}

// Top errors of the table in docs/theory/redundancy.md: steps of 0.01 and of 0.001 differ by the factor 100.
BOOST_AUTO_TEST_CASE(two_windows_follow_the_parallel_branch_to_second_order) {
  for (const auto& [h, error] : {std::pair{0.01, 6.35e-4}, {0.001, 6.36e-6}}) {
    WindowsRun run(2, Quaternion::Identity(), h, 1);
    BOOST_TEST(run.simulation.run().completed);
    BOOST_TEST(agree("top", run.top_errors.at(1), error, 0.02 * error));
  }
}

// A block that is far too strong slows the weak modes of a crossing down; the retry with a weaker one must still find
// the branch, or the run must end with a report. Never another branch in silence: uprights that are no longer parallel
// have been reported by then, whatever else was.
BOOST_DATA_TEST_CASE(a_block_that_is_too_strong_is_reported_or_harmless,
                     data::make({1e-6, 1e-5, 1e-4, 1e-3}) * data::make({0.0095, 0.0098, 0.01, 0.0102}), epsilon, h) {
  WindowsRun run(2, exponential({0.3, -0.7, 0.4}), h, 10, epsilon);
  const Outcome outcome = run.simulation.run();
  const bool is_told =
      run.warnings.find("may have left a singular configuration on another branch") != std::string::npos;
  BOOST_TEST((run.out_of_parallel < 1e-3 || is_told), run.out_of_parallel << " rad; " << run.warnings);
  BOOST_TEST((outcome.completed || outcome.failure.find("joint") != std::string::npos), outcome.failure);
  // What only a weaker block or a shorter step could solve has been told as well, or was not needed.
  BOOST_TEST((outcome.rescued_steps == 0 || run.warnings.find("singular configuration at t = ") != std::string::npos));
}

// What velocities do at a change of branch: they change within one step. Here a blow does it.
BOOST_AUTO_TEST_CASE(an_abrupt_change_of_velocities_is_reported) {
  for (const double force : {0.0, 1e4}) {
    Mechanism m = four_bar();
    m.model->add(std::make_unique<Blow>(*m.model, *m.bodies[0], 0.3005, Vec3(0, force, 0)));
    LoopRun run(std::move(m), 0.001, 0.5);
    BOOST_TEST(run.simulation.run().completed);
    BOOST_TEST((run.warnings.find("change abruptly at t = 0.301") != std::string::npos) == (force > 0), run.warnings);
  }
}

// Two hinges and two ball joints hold a parallelogram without any redundancy, but its flat position is as singular as
// with four hinges.
BOOST_AUTO_TEST_CASE(a_loop_without_redundancy_crosses_its_flat_position) {
  LoopRun run(parallelogram(), 0.01, 2);
  BOOST_TEST(analyse_constraints(*run.m.model, run.m.initial).redundancy() == 0);
  const Outcome outcome = run.simulation.run();
  BOOST_TEST(outcome.completed);
  BOOST_TEST(run.simulation.ledger().relative_energy_imbalance() <= 200 * 34 * eps);
  BOOST_TEST(run.simulation.ledger().max_position_violation() <= 1e-13);
  // crank and rocker, the first and the third body, stay parallel
  const auto direction = [&](std::size_t b) {
    return Vec3(run.m.bodies[b]->motion(run.simulation.state()).orientation * Vec3::UnitX());
  };
  BOOST_TEST(agree("crank and rocker", direction(0).cross(direction(2)).norm(), 0, 1e-8));
}

BOOST_AUTO_TEST_SUITE_END()
