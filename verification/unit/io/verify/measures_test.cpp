#include "io/verify/measures.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace emmy::verify;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double pi = std::acos(-1.0);

struct Samples {
  Values t, y;
};

/// sin(2 pi (t - shift)/T) every h up to `end`.
Samples sine(double T, double shift, double h, double end) {
  Samples s;
  for (int i = 0; i * h <= end; ++i) {
    s.t.push_back(i * h);
    s.y.push_back(std::sin(2 * pi * (i * h - shift) / T));
  }
  return s;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Measures)

BOOST_AUTO_TEST_CASE(slope_of_a_power_is_its_exponent) {
  Values h{0.1, 0.05, 0.02, 0.01}, e;
  for (const double x : h)
    e.push_back(7 * std::pow(x, 2.5));
  // Logarithms of size 10, each rounded, over a range of 2.3.
  BOOST_TEST(std::abs(slope(h, e) - 2.5) <= 4 * 10 * eps);
}

// By hand: errors 1, 8, 16 at sizes 1, 2, 4 in powers of two are (0, 3, 4) over (0, 1, 2), slope 4/2.
BOOST_AUTO_TEST_CASE(slope_is_that_of_least_squares) {
  BOOST_TEST(std::abs(slope({1, 2, 4}, {1, 8, 16}) - 2) <= 10 * eps);
}

BOOST_AUTO_TEST_CASE(slope_of_errors_that_vanish_or_are_not_numbers_is_not_a_number) {
  BOOST_TEST(std::isnan(slope({1, 2}, {0, 1})));
  BOOST_TEST(std::isnan(slope({1, 2}, {not_a_number, 1})));
  BOOST_TEST(std::isnan(slope({1, 1}, {1, 2})));
}

BOOST_AUTO_TEST_CASE(norms_extremes_and_drift_by_hand) {
  BOOST_TEST(norm_of({3, 4}, Norm::max) == 4);
  BOOST_TEST(std::abs(norm_of({3, 4}, Norm::rms) - std::sqrt(12.5)) <= 4 * eps);
  BOOST_TEST(maximum({1, -5, 3}) == 3);
  BOOST_TEST(time_of_maximum({0.1, 0.2, 0.3}, {1, -5, 3}) == 0.3);
  BOOST_TEST(time_of_maximum({0.1, 0.2, 0.3, 0.4}, {1, 3, 3, 2}) == 0.2); // the first of equals
  BOOST_TEST(minimum({1, -5, 3}) == -5);
  BOOST_TEST(drift({1, -5, 3}) == 6);
  BOOST_TEST(rise({1, -5, 3, 4}) == 8);
  BOOST_TEST(rise({3, 2, 0.5}) == -1);
  BOOST_TEST(integral({1, 2, 4}, {not_a_number, 3, -5}) == -7); // rows are means of what is before them
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_does_not_get_lost) {
  BOOST_TEST(std::isnan(norm_of({1, not_a_number, 2}, Norm::max)));
  BOOST_TEST(std::isnan(norm_of({}, Norm::max)));
  BOOST_TEST(std::isnan(maximum({not_a_number, 1})));
  BOOST_TEST(std::isnan(time_of_maximum({0, 1}, {not_a_number, 1})));
  BOOST_TEST(std::isnan(time_of_maximum({}, {})));
  BOOST_TEST(std::isnan(drift({1, not_a_number})));
  BOOST_TEST(std::isnan(rise({1, not_a_number, 2})));
  BOOST_TEST(std::isnan(rise({1})));
  BOOST_TEST(std::isnan(integral({1, 2, 3}, {1, not_a_number, 1})));
  BOOST_TEST(std::isnan(integral({1}, {1})));
  BOOST_TEST(std::isnan(*period({0, 1}, {not_a_number, 1})));
}

// The interpolation error (h/4 w)^10 is 1e-15 at 60 samples per period; a rounding of y by eps moves a crossing by
// eps T/(2 pi).
BOOST_AUTO_TEST_CASE(period_of_a_sine_is_exact_whatever_its_phase) {
  const double T = 1.37;
  for (const double shift : {0.1, 0.345, 1.2}) {
    const Samples s = sine(T, shift, T / 60.3, 5 * T);
    const auto found = period(s.t, s.y);
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(std::abs(*found - T) <= 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(crossings_are_upward_only_and_may_be_near_the_ends) {
  const Samples s = sine(1, 0.02, 0.015, 2.05);
  const Values crossings = upward_crossings(s.t, s.y);
  BOOST_REQUIRE_EQUAL(crossings.size(), 3u);
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(std::abs(crossings[static_cast<std::size_t>(i)] - (0.02 + i)) <= 1e-12);
}

BOOST_AUTO_TEST_CASE(a_single_crossing_is_no_period) {
  BOOST_TEST(!period({0, 1, 2}, {-1, 1, 2}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
