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
    // Rounding of arguments and values over the shortest spans, 1e-4 s, that the extrapolation may choose.
    BOOST_TEST(agree("rate", f.rate(t), 3 * std::cos(3 * t), 10 * eps * (1 + 3 * t) / 1e-4));
    // Gauss: h^11 3^10 / (11! 252^2 ...) is below rounding for h = 0.1
    BOOST_TEST(
        agree("integral", f.integral(t, 0.1), (std::cos(3 * t) - std::cos(3 * (t + 0.1))) / 3, 10 * eps * (1 + 3 * t)));
  }
}

// A rattle of 100 Hz, a start at rest, and functions that have no past.
BOOST_AUTO_TEST_CASE(rates_of_fast_and_of_new_functions) {
  const TimeFunction rattle([](double t) { return 0.01 * std::sin(2 * M_PI * 100 * t); });
  BOOST_TEST(agree("rattle at 0", rattle.rate(0), 2 * M_PI, 1e-6 * 2 * M_PI)); // spans of 1/50 of a period at least
  BOOST_TEST(agree("rattle at 1", rattle.rate(1), 2 * M_PI, 1e-6 * 2 * M_PI));
  const TimeFunction fast([](double t) { return 0.01 * std::sin(1000 * t); });
  BOOST_TEST(agree("fast", fast.rate(0), 10, 1e-5));
  const TimeFunction rest([](double t) { return t * t / (1 + 50 * t); });
  BOOST_TEST(agree("at rest", rest.rate(0), 0, 1e-8));
  const TimeFunction power([](double t) { return std::sqrt(t) * t * t; }); // no number before 0
  BOOST_TEST(agree("power", power.rate(0), 0, 1e-4)); // (1e-5 s)^1.5 at the shortest span, not smooth enough for more
}

BOOST_AUTO_TEST_CASE(the_integral_is_exact_to_degree_nine) {
  const TimeFunction f([](double t) { return 10 * std::pow(t, 9); });
  BOOST_TEST(agree("integral", f.integral(0, 2), 1024, 20 * eps * 1024));
}

BOOST_AUTO_TEST_SUITE_END()
