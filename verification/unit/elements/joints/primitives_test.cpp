#include "elements/joints/primitives.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr Index variables = 4, first = 2, all_rows = 6;

const std::vector<Primitive>& primitives() {
  static const std::vector<Primitive> all{Coincidence{3, 1}, Dot{0, 2}, Slide{2, 0, 3}, Distance{1, 2, 0.5}};
  return all;
}

MultiplierVector value(const Primitive& p, const NaturalVector& q, double factor = 1) {
  MultiplierVector phi = MultiplierVector::Zero(all_rows);
  add_value(p, factor, q, first, phi);
  return phi;
}

ConstraintMatrix gradient(const Primitive& p, const NaturalVector& q, double factor = 1) {
  ConstraintMatrix G = ConstraintMatrix::Zero(all_rows, 3 * variables);
  add_gradient(p, factor, q, first, G);
  return G;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Primitives)

BOOST_AUTO_TEST_CASE(hand_computed_values) {
  NaturalVector q(12);
  q << 1, 2, 3, 4, 5, 6, -1, 0, 2, 7, 7, 7;
  BOOST_TEST((value(Coincidence{0, 1}, q) == (MultiplierVector(6) << 0, 0, 3, 3, 3, 0).finished()));
  BOOST_TEST((value(Dot{0, 2}, q) == (MultiplierVector(6) << 0, 0, 5, 0, 0, 0).finished()));
  // (4, 5, 6) . ((-1, 0, 2) - (1, 2, 3)) = (4, 5, 6) . (-2, -2, -1)
  BOOST_TEST((value(Slide{1, 0, 2}, q) == (MultiplierVector(6) << 0, 0, -24, 0, 0, 0).finished()));
  // ((-2)² + (-2)² + (-1)² - 1²) / 2
  BOOST_TEST((value(Distance{0, 2, 1}, q) == (MultiplierVector(6) << 0, 0, 4, 0, 0, 0).finished()));
  BOOST_TEST((value(Dot{0, 2}, q, -3) == (MultiplierVector(6) << 0, 0, -15, 0, 0, 0).finished()));
  BOOST_TEST(rows(Coincidence{0, 1}) == 3);
  BOOST_TEST(rows(Dot{0, 1}) == 1);
  BOOST_TEST(rows(Slide{0, 1, 2}) == 1);
  BOOST_TEST(rows(Distance{0, 1, 1}) == 1);
}

// [D15]: being quadratic, the gradient at the mean is a discrete derivative.
BOOST_AUTO_TEST_CASE(the_gradient_at_the_mean_gives_the_change_exactly) {
  Random random(401);
  for (const Primitive& p : primitives())
    for (int repeat = 0; repeat < 50; ++repeat) {
      const NaturalVector q_n = random.numbers(12), q_n1 = random.numbers(12);
      // Twelve products of numbers below two, in twice the value.
      BOOST_TEST(agree("[D15]", MultiplierVector(gradient(p, (q_n + q_n1) / 2, -2) * (q_n1 - q_n)),
                       MultiplierVector(value(p, q_n1, -2) - value(p, q_n, -2)), 2 * 12 * eps * 2));
    }
}

BOOST_AUTO_TEST_CASE(the_rate_is_the_gradient_times_the_rates) {
  Random random(404);
  for (const Primitive& p : primitives()) {
    const NaturalVector q = random.numbers(12), q_dot = random.numbers(12);
    MultiplierVector rate = MultiplierVector::Zero(all_rows);
    add_rate(p, -2, q, q_dot, first, rate);
    // Twelve products of numbers below two, twice.
    BOOST_TEST(agree("rate", rate, MultiplierVector(gradient(p, q, -2) * q_dot), 2 * 12 * eps * 2));
  }
}

// For a quadratic, central differences of any step are exact: step one, rounding alone.
BOOST_AUTO_TEST_CASE(the_hessian_is_the_derivative_of_the_gradient) {
  Random random(402);
  for (const Primitive& p : primitives()) {
    const NaturalVector q = random.numbers(12);
    const MultiplierVector lambda = random.numbers(all_rows);
    NaturalMatrix k = NaturalMatrix::Zero(12, 12);
    add_hessian(p, 0.25, first, lambda, k);
    for (Index j = 0; j < 12; ++j) {
      const NaturalVector e = NaturalVector::Unit(12, j);
      const ConstraintMatrix dG = (gradient(p, q + e) - gradient(p, q - e)) / 2;
      BOOST_TEST(agree("H", k.col(j), NaturalVector(0.25 * dG.transpose() * lambda), 4 * eps * 2));
    }
  }
}

// Whatever the gradient and the Hessian write at random values stands in the pattern, and nothing else does.
BOOST_AUTO_TEST_CASE(patterns_are_where_derivatives_are) {
  Random random(403);
  for (const Primitive& p : primitives()) {
    NaturalPattern pattern{Pattern::Zero(12, 12), Pattern::Zero(all_rows, 12)};
    add_pattern(p, first, pattern);
    NaturalMatrix k = NaturalMatrix::Zero(12, 12);
    add_hessian(p, 1, first, random.numbers(all_rows), k);
    const ConstraintMatrix G = gradient(p, random.numbers(12));
    BOOST_TEST(((pattern.k.array() != 0) == (k.array() != 0)).all());
    BOOST_TEST(((pattern.G.array() != 0) == (G.array() != 0)).all());
  }
}

BOOST_AUTO_TEST_CASE(rows_have_names) {
  BOOST_TEST(row_name(Coincidence{0, 1}, 0) == "position along x [m]");
  BOOST_TEST(row_name(Coincidence{0, 1}, 2) == "position along z [m]");
  for (const Primitive& p : primitives())
    BOOST_TEST(!row_name(p, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
