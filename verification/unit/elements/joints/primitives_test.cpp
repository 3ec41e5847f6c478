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
  static const std::vector<Primitive> all{Coincidence{3, 1}, Dot{0, 2}};
  return all;
}

MultiplierVector value(const Primitive& p, const NaturalVector& q) {
  MultiplierVector phi = MultiplierVector::Zero(all_rows);
  add_value(p, q, first, phi);
  return phi;
}

ConstraintMatrix gradient(const Primitive& p, const NaturalVector& q) {
  ConstraintMatrix G = ConstraintMatrix::Zero(all_rows, 3 * variables);
  add_gradient(p, q, first, G);
  return G;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Primitives)

BOOST_AUTO_TEST_CASE(hand_computed_values) {
  NaturalVector q(12);
  q << 1, 2, 3, 4, 5, 6, -1, 0, 2, 7, 7, 7;
  BOOST_TEST((value(Coincidence{0, 1}, q) == (MultiplierVector(6) << 0, 0, 3, 3, 3, 0).finished()));
  BOOST_TEST((value(Dot{0, 2}, q) == (MultiplierVector(6) << 0, 0, 5, 0, 0, 0).finished()));
  BOOST_TEST(rows(Coincidence{0, 1}) == 3);
  BOOST_TEST(rows(Dot{0, 1}) == 1);
}

// [D15]: being quadratic, the gradient at the mean is a discrete derivative.
BOOST_AUTO_TEST_CASE(the_gradient_at_the_mean_gives_the_change_exactly) {
  Random random(401);
  for (const Primitive& p : primitives())
    for (int repeat = 0; repeat < 50; ++repeat) {
      const NaturalVector q_n = random.numbers(12), q_n1 = random.numbers(12);
      // Twelve products of numbers below two.
      BOOST_TEST(agree("[D15]", MultiplierVector(gradient(p, (q_n + q_n1) / 2) * (q_n1 - q_n)),
                       MultiplierVector(value(p, q_n1) - value(p, q_n)), 12 * eps * 2));
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

BOOST_AUTO_TEST_CASE(rows_have_names) {
  BOOST_TEST(row_name(Coincidence{0, 1}, 0) == "position along x [m]");
  BOOST_TEST(row_name(Coincidence{0, 1}, 2) == "position along z [m]");
  BOOST_TEST(!row_name(Dot{0, 1}, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
