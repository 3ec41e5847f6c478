#include "core/time_function.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/duals.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

/// 1 from `at` on.
double step(double t, double at) {
  return t < at ? 0 : 1;
}

/// A function that counts how often it is asked.
struct Counted {
  long asked = 0;
  TimeFunction of(std::function<double(double)> f) {
    return TimeFunction([this, f = std::move(f)](double t) {
      ++asked;
      return f(t);
    });
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(TimeFunctions)

BOOST_AUTO_TEST_CASE(a_number_is_a_function_that_does_not_change) {
  const TimeFunction f(2.5);
  BOOST_TEST(f.is_constant());
  BOOST_TEST(f(7) == 2.5);
  BOOST_TEST(f.rate(7) == 0);
  BOOST_TEST(f.integral(1, 4) == 10);
}

BOOST_AUTO_TEST_CASE(rate_and_integral_of_a_swing) {
  const TimeFunction f([](auto t) {
    using std::sin;
    return sin(3 * t);
  });
  BOOST_TEST(!f.is_constant());
  for (const double t : {0.0, 0.3, 12.0}) {
    BOOST_TEST(agree("rate", f.rate(t), 3 * std::cos(3 * t), 3 * eps));
    // Gauss: h^11 3^10 / (11! 252^2 ...) is below rounding for h = 0.1
    BOOST_TEST(
        agree("integral", f.integral(t, 0.1), (std::cos(3 * t) - std::cos(3 * (t + 0.1))) / 3, 10 * eps * (1 + 3 * t)));
  }
}

// Functions have rates if they take dual numbers; loads need none.
BOOST_AUTO_TEST_CASE(what_takes_dual_numbers_has_a_rate) {
  BOOST_TEST(TimeFunction(3).has_rate());
  BOOST_TEST(TimeFunction([](auto t) { return 2 * t; }).has_rate());
  BOOST_TEST(!TimeFunction([](double t) { return 2 * t; }).has_rate());
  const TimeFunction pieces([](auto t) { return t < 1 ? t * t : 2 * t - 1; });
  BOOST_TEST(pieces(0.5) == 0.25);
  BOOST_TEST(pieces.rate(0.5) == 1);
  BOOST_TEST(pieces.rate(3) == 2);
}

BOOST_AUTO_TEST_CASE(rates_at_kinks_are_those_before) {
  const TimeFunction ramp([](auto t) {
    using std::min;
    return min(t, decltype(t)(1));
  });
  BOOST_TEST(ramp.rate(1) == 1);
  BOOST_TEST(ramp.rate(1 - eps) == 1);
  BOOST_TEST(ramp.rate(1 + eps) == 0);
  const TimeFunction corner([](auto t) {
    using std::abs, std::sin;
    return abs(sin(t - 0.5)) + 3;
  });
  BOOST_TEST(corner.rate(0.5) == -1);
  BOOST_TEST(corner.rate(0) == -std::cos(0.5));
}

// Nothing is asked for before the start, and a rate without bounds is that of a time nearby.
BOOST_AUTO_TEST_CASE(rates_at_the_start_are_those_after) {
  const TimeFunction corner([](auto t) {
    using std::abs;
    return abs(3 * t);
  });
  BOOST_TEST(corner.rate(0) == 3);
  double first = 0;
  const TimeFunction root([&first](auto t) {
    using std::sqrt;
    first = std::min(first, value_of(t));
    return sqrt(t) * t;
  });
  BOOST_TEST(agree("root", root.rate(0), 0, 1e-7)); // 1.5 (1e-15 s)^0.5
  BOOST_TEST(first == 0);
}

BOOST_AUTO_TEST_CASE(the_integral_is_exact_to_degree_nine) {
  const TimeFunction f([](double t) { return 10 * std::pow(t, 9); });
  BOOST_TEST(agree("integral", f.integral(0, 2), 1024, 20 * eps * 1024));
}

// Halving stops where the span around the jump is as short as t is rounded, eps (t + h): what is left of the jump is
// its size times that. Sums of the parts round to a few eps of the integral.
BOOST_AUTO_TEST_CASE(the_integral_over_a_jump_is_exact_to_rounding_wherever_it_is) {
  for (const double from : {0.0, 3.0, 100.0})
    for (const double h : {1e-3, 0.5})
      for (const double share :
           {-0.1, 0.0, 1e-9, 0.01, 0.0469, 0.05, 0.1727, 0.2308, 1.0 / 3, 0.5, 0.7, 0.9999, 1.0, 1.1}) {
        const double at = from + share * h;
        const TimeFunction f([at](double t) { return 2 + 5 * step(t, at); });
        const double after = from + h - std::min(std::max(at, from), from + h);
        BOOST_TEST_CONTEXT("from " << from << ", h = " << h << ", jump at " << share)
        BOOST_TEST(agree("integral", f.integral(from, h), 2 * h + 5 * after, 40 * eps * (7 * h + 5 * (from + h))));
      }
}

BOOST_AUTO_TEST_CASE(the_integral_over_two_jumps_and_over_a_kink_is_exact_to_rounding) {
  // A pulse of a third of the span or more cannot pass between the points that are looked at, which are 0.27 apart.
  for (const double first : {0.0, 0.1, 0.3, 0.55})
    for (const double width : {0.3, 0.4, 0.45}) {
      const TimeFunction pulse([=](double t) { return 7 * (step(t, 2 + first) - step(t, 2 + first + width)); });
      BOOST_TEST_CONTEXT("pulse of " << width << " at " << first)
      BOOST_TEST(agree("pulse", pulse.integral(2, 1), 7 * width, 40 * eps * 7 * 3));
    }
  // Opposite jumps of different sizes, and a ramp that begins within the span: int (t - a)+ = (b - a)²/2.
  const TimeFunction uneven([](double t) { return 3 * step(t, 0.2) - 4 * step(t, 0.21) + std::cos(t); });
  BOOST_TEST(agree("uneven", uneven.integral(0, 1), 3 * 0.8 - 4 * 0.79 + std::sin(1.0), 40 * eps * 8));
  for (const double kink : {0.0, 0.1, 0.3, 0.5, 0.77, 0.999}) {
    const TimeFunction ramp([kink](double t) { return std::max(0.0, t - kink); });
    BOOST_TEST(agree("ramp", ramp.integral(0, 1), (1 - kink) * (1 - kink) / 2, 40 * eps));
  }
}

BOOST_AUTO_TEST_CASE(the_mean_is_the_integral_per_time_and_the_value_where_no_time_passes) {
  const TimeFunction f([](double t) { return t < 1 ? 2.0 : 6.0; });
  BOOST_TEST(agree("mean", f.mean(0.75, 1.25), 4, 40 * eps * 6));
  BOOST_TEST(f.mean(1, 1) == 6);
  BOOST_TEST(f.mean(0.5, 0.5) == 2);
  BOOST_TEST(TimeFunction(3).mean(1, 2) == 3);
}

// Consecutive spans share a jump between them: nothing is lost and nothing counted twice, however the steps fall.
BOOST_AUTO_TEST_CASE(impulses_of_many_steps_add_up_to_that_of_the_whole) {
  const double at = 2 - 0.001;
  const TimeFunction f([at](double t) { return t < at ? 20.0 : t < 2 ? 200.0 : 0.0; });
  for (const int steps : {100, 333, 4000, 4001}) {
    const double h = 4.0 / steps;
    double sum = 0;
    for (int i = 0; i < steps; ++i)
      sum += f.integral(i * h, h);
    // Each of the steps rounds its span to eps t, each of the three jumps leaves 200 eps t.
    BOOST_TEST(agree("impulse", sum, 20 * at + 0.2, steps * eps * 4 * 20 + 600 * 40 * eps * 4));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_ends_the_integral_at_once) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity})
    for (const double at : {0.0, 0.3, 0.5, 0.9}) { // at the start, somewhere, in the middle, near the end
      Counted count;
      const TimeFunction single = count.of([=](double t) { return t == at ? bad : 1; });
      const TimeFunction from = count.of([=](double t) { return t < at ? 1 : bad; });
      single.integral(0, 1);
      BOOST_TEST(!std::isfinite(from.integral(0, 1)));
      // Each halving asks ten times; a place that is not finite is found in one half only.
      BOOST_TEST(count.asked <= 4 * 10 * 61);
    }
}

// Gauss and Lobatto agree to h^9: a step of a twentieth of a period needs no halving, whatever the time. A jump costs
// one path of halvings.
BOOST_AUTO_TEST_CASE(smooth_functions_cost_ten_values_and_jumps_a_few_hundred) {
  for (const double omega : {1.0, 100.0, 1e4})
    for (const double t : {0.0, 1.0, 1000.0}) {
      Counted count;
      count.of([omega](double at) { return std::sin(omega * at); }).integral(t, 0.05 / omega);
      BOOST_TEST_CONTEXT("omega = " << omega << ", t = " << t) BOOST_TEST(count.asked <= 30);
    }
  Counted jump;
  jump.of([](double t) { return step(t, 1.3); }).integral(1, 0.7);
  BOOST_TEST(jump.asked <= 10 * 2 * 61);
  // Values that are noise in the last digits, as from arguments that were rounded: costs stay bounded.
  Counted noise;
  noise.of([](double t) { return std::sin(1e9 + 1e3 * t); }).integral(0, 1e-3);
  BOOST_TEST(noise.asked <= 20000);
}

// Stages of a step may run back in time: the same points, and so the same sums but for rounding.
BOOST_AUTO_TEST_CASE(an_integral_back_in_time_is_the_negative_one_at_the_same_cost) {
  for (const double jump : {1.3, 5.0}) {
    const auto f = [jump](double t) { return std::sin(t) + step(t, jump); };
    Counted there, back;
    const double forward = there.of(f).integral(1, 0.7), backward = back.of(f).integral(1.7, -0.7);
    // Ten values of at most 2, times the span.
    BOOST_TEST(std::abs(forward + backward) <= 20 * std::numeric_limits<double>::epsilon() * 0.7 * 2);
    BOOST_TEST(back.asked <= there.asked + 20); // times are rounded differently: a halving more or less
  }
}

BOOST_AUTO_TEST_SUITE_END()
