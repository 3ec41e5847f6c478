/// Start values from the steps before, and the iterations that they save.
#include "elements/bodies/frame.hpp"
#include "elements/joints/joint.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/newton/start_values.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Mechanism pendulums(int count) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  for (int i = 1; i < count; ++i) {
    const std::string number = std::to_string(i + 1);
    const Body& body = FrameBody::add_to(*m.model, "body " + number, 1, Mat3::Identity());
    m.model->add(spherical_joint("hook " + number, m.model->ports(), JointSide{}, JointSide{body.port()}));
  }
  return m;
}

/// Start values of pendulums side by side, of which each has six unknowns and three multipliers.
struct Pendulum {
  explicit Pendulum(int count = 1, bool redundant = false)
      : m(pendulums(count)), equations(*m.model), assembler(equations),
        norm(*m.model, assembler.numbering(), best_instructions()),
        values(norm, redundant ? multipliers() : std::vector<Index>{}, 0, best_instructions()),
        memory(VecX::Zero(values.memory_size())) {}

  /// All rows of multipliers, pendulum after pendulum.
  std::vector<Index> multipliers() const {
    const std::vector<Index>& rows = assembler.numbering().row_of_multiplier;
    return {rows.begin(), rows.begin() + m.model->multipliers()};
  }

  /// True for rows of increments.
  bool is_increment(Index row) const { return norm.weights()[row] > 0; }
  void remember(double h, const VecX& x, double free_error = 1e10) {
    values.remember(memory.data(), h, nullptr, x.data(), free_error);
  }
  VecX next(double h, bool continues_redundant = true) const {
    VecX x = VecX::Constant(assembler.size(), -7); // whoever is not overwritten
    values.extrapolate(memory.data(), h, x.data(), continues_redundant);
    return x;
  }

  Mechanism m;
  TwoPointEquations equations;
  Assembler assembler;
  StepNorm norm;
  StartValues values;
  VecX memory;
};

} // namespace

BOOST_AUTO_TEST_SUITE(StartValues_)

// Polynomials up to the fifth degree are continued exactly, multipliers only if they are linear.
BOOST_AUTO_TEST_CASE(continues_polynomials) {
  for (int degree = 0; degree <= 5; ++degree) {
    Pendulum p;
    const auto x = [&](int n) {
      VecX row(p.assembler.size());
      for (Index i = 0; i < row.size(); ++i)
        row[i] = p.is_increment(i) ? std::pow(n + 0.1 * static_cast<double>(i), degree) : 3 - 0.5 * n;
      return row;
    };
    for (int n = 0; n < 9; ++n)
      p.remember(0.1, x(n));
    // Differences of up to fifth order of numbers up to 10^degree: 2^5 of them are summed.
    BOOST_TEST((p.next(0.1) - x(9)).cwiseAbs().maxCoeff() <= 64 * eps * std::pow(10, degree));
  }
}

// Where motion jumps from step to step, high orders are worse than none.
BOOST_AUTO_TEST_CASE(takes_the_order_that_would_have_told_the_last_step_best) {
  Pendulum p;
  const auto x = [&](int n) -> VecX { return VecX::Constant(p.assembler.size(), 1 + (n % 2 == 0 ? 0.1 : -0.1)); };
  for (int n = 0; n < 9; ++n)
    p.remember(0.1, x(n));
  const VecX next = p.next(0.1);
  for (Index i = 0; i < next.size(); ++i)
    if (p.is_increment(i))
      BOOST_TEST(next[i] == x(8)[i]); // the last value: differences double with every order
}

// They alternate from step to step where constraints were once violated, and drift: 2 x_n - 2 x_n-2 + x_n-3 tells both.
BOOST_AUTO_TEST_CASE(multipliers_may_ring) {
  Pendulum p;
  const auto x = [&](int n) -> VecX {
    return VecX::Constant(p.assembler.size(), 3 + 0.5 * n * n + (n % 2 == 0 ? 100 : -100));
  };
  for (int n = 0; n < 9; ++n) {
    p.remember(0.1, x(n));
    const VecX next = p.next(0.1);
    for (Index i = 0; i < next.size(); ++i)
      if (!p.is_increment(i) && n >= 3) // of sums of a few numbers that are exact
        BOOST_TEST(next[i] == x(n + 1)[i]);
  }
}

BOOST_AUTO_TEST_CASE(leaves_increments_to_free_motion_where_that_was_better) {
  Pendulum p;
  for (int n = 0; n < 5; ++n)
    p.remember(0.1, VecX::Constant(p.assembler.size(), n % 3), 1e-9);
  BOOST_TEST(!p.values.extrapolates(p.memory.data(), 0.1));
  const VecX next = p.next(0.1);
  for (Index i = 0; i < next.size(); ++i)
    BOOST_TEST(next[i] == (p.is_increment(i) ? -7 : -1)); // 2 x_n - 2 x_n-2 + x_n-3, of 1, 2, 0, 1
}

BOOST_AUTO_TEST_CASE(starts_afresh_with_another_step) {
  Pendulum p;
  for (int n = 0; n < 5; ++n)
    p.remember(0.1, VecX::Constant(p.assembler.size(), 1));
  BOOST_TEST(p.next(0.1)[1] == 1);
  BOOST_TEST((p.next(0.05) == VecX::Constant(p.assembler.size(), -7)));
  p.remember(0.05, VecX::Constant(p.assembler.size(), 2));
  BOOST_TEST((p.next(0.05) == VecX::Constant(p.assembler.size(), -7))); // one is not enough
  p.remember(0.05, VecX::Constant(p.assembler.size(), 2));
  BOOST_TEST(p.next(0.05)[1] == 2);
}

// Where nobody pulls what they do to no body back to zero, they begin there.
BOOST_AUTO_TEST_CASE(redundant_multipliers_start_from_zero_on_request) {
  Pendulum p(1, true);
  for (int n = 0; n < 5; ++n)
    p.remember(0.1, VecX::Constant(p.assembler.size(), 3));
  for (const bool continued : {true, false}) {
    const VecX next = p.next(0.1, continued);
    for (Index i = 0; i < next.size(); ++i)
      BOOST_TEST(next[i] == (continued || p.is_increment(i) ? 3 : 0));
  }
}

// Those of one step may be a thousand times as large as those of its neighbours: as long as it is among the last four
// the multipliers of that pendulum start from zero, while the other one goes on, and so do increments. They also do
// before there are four.
BOOST_AUTO_TEST_CASE(redundant_multipliers_that_jump_are_not_continued) {
  constexpr int spike = 6;
  Pendulum p(2, true);
  const std::vector<Index> rows = p.multipliers();
  BOOST_REQUIRE(rows.size() == 6);
  const auto x = [&](int n) {
    VecX solution = VecX::Constant(p.assembler.size(), 10 + n);
    if (n == spike)
      for (std::size_t i = 3; i < 6; ++i)
        solution[rows[i]] = -1e4;
    return solution;
  };
  for (int n = 0; n < 14; ++n) {
    p.remember(0.1, x(n));
    if (n == 0)
      continue;
    const VecX next = p.next(0.1);
    BOOST_TEST_CONTEXT("after step " << n) {
      for (Index i = 0; i < next.size(); ++i)
        if (p.is_increment(i) && n > 1)
          BOOST_TEST(next[i] == 11 + n);
      for (std::size_t i = 0; i < 6; ++i) // whole numbers: equality
        BOOST_TEST(next[rows[i]] == (n < 3 || (i >= 3 && n >= spike && n < spike + 4) ? 0 : 11 + n));
    }
  }
}

// docs/performance.md: at most 2.2 and 1.1 iterations a step over ten seconds, with energy to rounding.
BOOST_AUTO_TEST_CASE(a_chain_takes_one_or_two_iterations_a_step) {
  for (const auto& [h, most] : {std::pair{1e-2, 2.2}, std::pair{1e-3, 1.1}}) {
    Mechanism m = hanging_chain(4, ChainJoint::spherical);
    EnergyMomentum integrator(*m.model, {});
    Ledger ledger;
    ledger.open(m.model->books_at(m.initial));
    const int steps = static_cast<int>(std::lround(10 / h));
    long iterations = 0;
    for (int i = 0; i < steps; ++i) {
      const StepReport report = integrator.step(m.initial, h);
      BOOST_REQUIRE(report.converged);
      iterations += report.iterations;
      ledger.add(integrator.books(m.initial));
    }
    BOOST_TEST(static_cast<double>(iterations) <= most * steps);
    BOOST_TEST(ledger.relative_energy_imbalance() <= 1e-12); // 10^4 steps that round to eps each, like a random walk
    BOOST_TEST(ledger.max_position_violation() <= 64 * eps * 12); // of coordinates up to 12 m
  }
}

BOOST_AUTO_TEST_SUITE_END()
