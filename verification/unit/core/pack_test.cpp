// Numbers four at once against the same one by one.
#include "core/pack.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(Packs)

// The polynomial is off by less than rounding; a quotient, a product and two sums round: two units in the last place.
BOOST_AUTO_TEST_CASE(arc_tangent_in_all_directions) {
  Random random(77);
  for (int round = 0; round < 20000; ++round) {
    Pack y, x;
    for (int i = 0; i < 4; ++i) {
      const Vec3 v = random.vector(), size = random.vector();
      y[i] = v[0] * (round % 3 == 0 ? std::exp(20 * size[0]) : 1);
      x[i] = v[1];
    }
    const Pack angle = arc_tangent(y, x);
    for (int i = 0; i < 4; ++i) {
      const double one = std::atan2(y[i], x[i]);
      BOOST_TEST(std::abs(angle[i] - one) <= 2 * eps * std::abs(one));
    }
  }
}

BOOST_AUTO_TEST_CASE(arc_tangent_along_axes_and_diagonals) {
  const Pack y{0, 1, 0, -1}, x{1, 0, -1, 0}, angle = arc_tangent(y, x);
  const Pack on_diagonals = arc_tangent(Pack{2, 2, -2, -2}, Pack{2, -2, -2, 2}), nowhere = arc_tangent(Pack{}, Pack{});
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(angle[i] == std::atan2(y[i], x[i]));
    BOOST_TEST(nowhere[i] == 0);
    const double quarter = std::acos(-1.0) / 4;
    const double expected[] = {quarter, 3 * quarter, -3 * quarter, -quarter};
    BOOST_TEST(std::abs(on_diagonals[i] - expected[i]) <= 2 * eps * std::abs(expected[i]));
  }
}

BOOST_AUTO_TEST_CASE(halves_go_away_from_zero) {
  const Pack a{0.5, -0.5, 2.4999999999999996, -3.5}, integer = nearest_integer(a);
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(integer[i] == std::round(a[i]));
}

BOOST_AUTO_TEST_SUITE_END()
