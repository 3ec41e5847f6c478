#include "core/time_function.hpp"
#include "verification/support/compare.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(TimeFunctions)

BOOST_AUTO_TEST_CASE(a_number_is_a_function_that_does_not_change) {
  const TimeFunction f(2.5);
  BOOST_TEST(f.is_constant());
  BOOST_TEST(f(7) == 2.5);
  BOOST_TEST(f.rate(7) == 0);
  BOOST_TEST(f.integral(1, 4) == 10);
}

BOOST_AUTO_TEST_CASE(rate_and_integral_of_a_swing) {
  const TimeFunction f([](double t) { return std::sin(3 * t); });
  BOOST_TEST(!f.is_constant());
  for (const double t : {0.0, 0.3, 12.0}) {
    // d^6 3^7 / 140 with d = 5e-3, and 3 roundings of arguments up to 36, divided by d
    const double formula = std::pow(5.1e-3, 6) * std::pow(3, 7) / 140, rounding = 3 * eps * (1 + 3 * t) / 5e-3;
    BOOST_TEST(agree("rate", f.rate(t), 3 * std::cos(3 * t), formula + rounding));
    // Gauss: h^11 3^10 / (11! 252^2 ...) is below rounding for h = 0.1
    BOOST_TEST(
        agree("integral", f.integral(t, 0.1), (std::cos(3 * t) - std::cos(3 * (t + 0.1))) / 3, 10 * eps * (1 + 3 * t)));
  }
}

BOOST_AUTO_TEST_CASE(the_integral_is_exact_to_degree_nine) {
  const TimeFunction f([](double t) { return 10 * std::pow(t, 9); });
  BOOST_TEST(agree("integral", f.integral(0, 2), 1024, 20 * eps * 1024));
}

BOOST_AUTO_TEST_SUITE_END()
