#include "solvers/integrators/explicit/multiplier_solve.hpp"

#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

/// All entries of the upper triangle.
SymmetricPattern full_pattern(int rows) {
  SymmetricPattern pattern;
  for (int i = 0; i < rows; ++i)
    for (int j = i; j < rows; ++j)
      pattern.emplace_back(i, j);
  return pattern;
}

bool fill(MultiplierSolve& solve, const SymmetricPattern& pattern, const MatX& S) {
  solve.clear();
  for (std::size_t i = 0; i < pattern.size(); ++i)
    solve.entry(i) += S(pattern[i].first, pattern[i].second);
  return solve.factor(VecX::Zero(solve.rows()));
}

/// Rows that depend on three motions with unit masses: S = G G^T has rank three at most.
MatX gradients(int rows, Random& random) {
  MatX G(rows, 3);
  for (int i = 0; i < rows; ++i)
    G.row(i) = random.vector().transpose();
  return G;
}

constexpr int most = 20;

} // namespace

BOOST_AUTO_TEST_SUITE(Multipliers)

// g = b - S lambda, the matrix being exact: the regularisation of 1e-6 leaves 1e-6 kappa of the error in each
// iteration, and rounding in the end.
BOOST_AUTO_TEST_CASE(a_linear_problem_is_solved_to_rounding_in_any_pattern) {
  Random random(801);
  const int n = 7;
  const MatX A = random.numbers(n * n).reshaped(n, n);
  MatX S = A * A.transpose() + MatX::Identity(n, n);
  SymmetricPattern pattern = full_pattern(n);
  // Entries in any order, with either index first, and some that are not there.
  std::reverse(pattern.begin(), pattern.end());
  for (auto& [i, j] : pattern)
    if ((i + j) % 2 == 0)
      std::swap(i, j);
  pattern.erase(
      std::remove_if(pattern.begin(), pattern.end(), [](const auto& e) { return std::abs(e.first - e.second) == 3; }),
      pattern.end());
  for (int i = 0; i + 3 < n; ++i)
    S(i, i + 3) = S(i + 3, i) = 0;
  S.diagonal().array() += 3; // definite also without them
  MultiplierSolve solve(n, pattern);
  BOOST_TEST(solve.rows() == n);
  BOOST_TEST_REQUIRE(fill(solve, pattern, S));
  const VecX b = random.numbers(n), size = VecX::Ones(n);
  VecX lambda = VecX::Zero(n);
  const auto report = solve.solve(lambda, 1, size, most, [&](const VecX& x, VecX& g) { g = b - S * x; });
  BOOST_TEST(report.converged);
  BOOST_TEST(report.iterations <= 4); // 1e-6 kappa each
  const Eigen::JacobiSVD<MatX> svd(S, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const double least = svd.singularValues()[n - 1];
  BOOST_TEST(agree("lambda", lambda, svd.solve(b), 2 * (500 + n) * eps / least)); // what a residual at its floor admits
  // A second matrix through the same pattern; `stiffness` scales it.
  BOOST_TEST_REQUIRE(fill(solve, pattern, 2 * S));
  VecX again = VecX::Zero(n);
  BOOST_TEST(solve.solve(again, 0.5, size, most, [&](const VecX& x, VecX& g) { g = b - S * x; }).converged);
  BOOST_TEST(agree("again", again, lambda, 2 * (500 + n) * eps / least));
}

// A pendulum of length one that a force displaces: |x + f - 2 lambda e|² = 1. The closed form is the smaller root.
BOOST_AUTO_TEST_CASE(a_nonlinear_constraint_is_closed) {
  const Vec3 x(1, 0, 0), f(0.02, 0.1, -0.05);
  MultiplierSolve solve(1, full_pattern(1));
  MatX S(1, 1);
  S << 4; // -dg/dlambda where nothing moves: 4 x . x
  BOOST_TEST_REQUIRE(fill(solve, full_pattern(1), S));
  VecX lambda = VecX::Zero(1);
  const auto g_of = [&](double l) { return (x + f - 2 * l * x).squaredNorm() - 1; };
  const auto report = solve.solve(lambda, 1, VecX::Ones(1), most, [&](const VecX& l, VecX& g) { g[0] = g_of(l[0]); });
  BOOST_TEST(report.converged);
  BOOST_TEST(report.largest <= 2); // roundings of a term of size one
  const double known = (1.02 - std::sqrt(1 - 0.1 * 0.1 - 0.05 * 0.05)) / 2;
  BOOST_TEST(agree("lambda", lambda[0], known, 2 * eps));
  // The matrix is wrong by a tenth, so each iteration leaves a tenth: 16 digits in 16 iterations.
  BOOST_TEST(report.iterations <= 17);
  BOOST_TEST(report.iterations >= 2);
}

// g lies in the range of S. In unknowns scaled by sqrt(diag S) every change lies in the range of the scaled matrix, so
// the solution is that of least norm there: a pseudo-inverse. With a diagonal of ones it is the least norm itself.
BOOST_AUTO_TEST_CASE(rows_that_repeat_others_share_the_smallest_multipliers) {
  Random random(802);
  for (const bool equal : {true, false}) {
    const int n = 6;
    MatX G = gradients(n, random);
    G.row(4) = G.row(1);
    for (int i = 0; i < n && equal; ++i)
      G.row(i).normalize();
    const MatX S = G * G.transpose();
    const VecX b = G * random.vector(); // can be met
    MultiplierSolve solve(n, full_pattern(n));
    BOOST_TEST_REQUIRE(fill(solve, full_pattern(n), S));
    VecX lambda = VecX::Zero(n);
    BOOST_TEST(solve.solve(lambda, 1, VecX::Ones(n), most, [&](const VecX& x, VecX& g) { g = b - S * x; }).converged);
    const VecX d = S.diagonal().cwiseSqrt().cwiseInverse();
    const MatX scaled = d.asDiagonal() * S * d.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<MatX> pseudo;
    pseudo.setThreshold(1e-10);
    pseudo.compute(scaled);
    const VecX known = d.asDiagonal() * pseudo.solve(d.asDiagonal() * b);
    // Rounding of g, eps, is amplified by 1e6 in the directions in which S is 0, which the regularisation alone holds.
    BOOST_TEST(agree("lambda", lambda, known, 100 * 1e6 * eps));
    BOOST_TEST(agree("twins", lambda[1], lambda[4], 100 * 1e6 * eps));
    BOOST_TEST((MatX(S * lambda) - b).cwiseAbs().maxCoeff() <= 500 * eps);
  }
}

BOOST_AUTO_TEST_CASE(rows_without_any_effect_do_no_harm) {
  MultiplierSolve solve(2, full_pattern(2));
  MatX S(2, 2);
  S << 3, 0, 0, 0;
  BOOST_TEST_REQUIRE(fill(solve, full_pattern(2), S));
  VecX lambda = VecX::Zero(2);
  BOOST_TEST(solve
                 .solve(lambda, 1, VecX::Ones(2), most,
                        [](const VecX& x, VecX& g) {
                          g[0] = 1 - 3 * x[0];
                          g[1] = 0;
                        })
                 .converged);
  BOOST_TEST(agree("lambda", lambda[0], 1.0 / 3, 2 * eps));
  BOOST_TEST(lambda[1] == 0);
}

// Two rows want the same coordinate at different places; the third is fine.
BOOST_AUTO_TEST_CASE(a_failure_names_the_worst_row) {
  MultiplierSolve solve(3, full_pattern(3));
  MatX S(3, 3);
  S << 1, 0, 0, 0, 1, 1, 0, 1, 1;
  BOOST_TEST_REQUIRE(fill(solve, full_pattern(3), S));
  VecX lambda = VecX::Zero(3);
  const auto report = solve.solve(lambda, 1, VecX::Ones(3), 10, [](const VecX& x, VecX& g) {
    g[0] = 1 - x[0];
    g[1] = 0.1 - x[1] - x[2];
    g[2] = -0.3 - x[1] - x[2];
  });
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.iterations == 10);
  BOOST_TEST((report.worst == 1 || report.worst == 2));
  // Half of what they are apart, against the rounding of multipliers that grow by 0.2/1e-6 in each of ten iterations.
  BOOST_TEST(report.largest >= 0.1 / (eps * 10 * 0.2 / 1e-6));
}

// A row that could do much, but does next to nothing here, gets no multiplier for its rounding.
BOOST_AUTO_TEST_CASE(a_row_that_falls_far_short_of_its_nature_is_left_alone) {
  MultiplierSolve solve(1, full_pattern(1));
  solve.clear();
  solve.entry(0) = 1e-30;
  BOOST_TEST_REQUIRE(solve.factor(VecX::Ones(1)));
  VecX lambda = VecX::Zero(1);
  const auto report = solve.solve(lambda, 1, VecX::Ones(1), 20, [](const VecX&, VecX& g) { g[0] = 10 * eps; });
  BOOST_TEST(report.converged); // it does not fall, but it is rounding
  BOOST_TEST(std::abs(lambda[0]) <= 2 * 10 * eps / 1e-9);
}

BOOST_AUTO_TEST_CASE(sizes_of_terms_decide_what_is_rounding) {
  MultiplierSolve solve(1, full_pattern(1));
  BOOST_TEST_REQUIRE(fill(solve, full_pattern(1), MatX::Ones(1, 1)));
  const auto iterations = [&](double size) {
    VecX lambda = VecX::Zero(1);
    return solve.solve(lambda, 1, VecX::Constant(1, size), most, [](const VecX& x, VecX& g) { g[0] = 1e-3 - x[0]; })
        .iterations;
  };
  BOOST_TEST(iterations(1e13) == 0); // 1e-3 is the rounding of a number of this size
  BOOST_TEST(iterations(1e7) == 1);  // 1e-6 of it is left, which is
  BOOST_TEST(iterations(1) == 3);    // 1e-21 after three
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_ends_the_iteration_at_once) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  MultiplierSolve solve(2, full_pattern(2));
  BOOST_TEST_REQUIRE(fill(solve, full_pattern(2), MatX::Identity(2, 2)));
  for (const double bad : {nan, infinity}) {
    int asked = 0;
    VecX lambda = VecX::Zero(2);
    const auto report = solve.solve(lambda, 1, VecX::Ones(2), most, [&](const VecX&, VecX& g) {
      ++asked;
      g << 1, bad;
    });
    BOOST_TEST(!report.converged);
    BOOST_TEST(report.worst == 1);
    BOOST_TEST(asked == 1);
    MatX S = MatX::Identity(2, 2);
    S(1, 1) = bad;
    BOOST_TEST(!fill(solve, full_pattern(2), S));
    BOOST_TEST_REQUIRE(fill(solve, full_pattern(2), MatX::Identity(2, 2))); // and it recovers
  }
  MatX S = MatX::Identity(2, 2);
  S(0, 1) = S(1, 0) = nan;
  BOOST_TEST(!fill(solve, full_pattern(2), S));
}

BOOST_AUTO_TEST_SUITE_END()
