#include "io/deck/jumps.hpp"
#include "io/expressions.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::deck;

namespace {

std::optional<Jump> jump_of(const std::string& text, double end = 2, long spans = 200) {
  const auto result = Expressions().function(text);
  BOOST_TEST_REQUIRE(result.index() == 0U, text);
  return first_jump(std::get<TimeFunction>(result), end, spans);
}

} // namespace

BOOST_AUTO_TEST_SUITE(Jumps)

BOOST_AUTO_TEST_CASE(jumps_are_found_where_they_are) {
  struct Expected {
    const char* text;
    double time, size;
  };
  for (const Expected& e : {Expected{"step(t - 0.503)", 0.503, 1},
                            {"step(t - 1)", 1, 1}, // at an end of spans
                            {"step(t - 2)", 2, 1}, // in the last instant
                            {"-0.3*step(t - 1.7)", 1.7, -0.3},
                            {"sin(5*t) + 1e-3*step(t - 1.234)", 1.234, 1e-3},
                            {"t*sign(t - 0.777)", 0.777, 0.777}, // to zero, and once more
                            {"t*(step(t - 0.777) - 0.5)", 0.777, 0.777},
                            {"100*t + 0.01*step(t - 0.123)", 0.123, 0.01},
                            {"step(t - 0.5) - step(t - 1.5)", 0.5, 1},
                            {"min(t, 1) + step(t - 1.003)", 1.003, 1},
                            {"atan2(sin(2*t), cos(2*t))", std::acos(-1.0) / 2, -2 * std::acos(-1.0)},
                            {"sign(t - 1)*sqrt(abs(t - 1)) + step(t - 1.201)", 1.201, 1}}) {
    const auto jump = jump_of(e.text);
    BOOST_TEST_REQUIRE(jump.has_value(), e.text);
    BOOST_TEST(std::abs(jump->time - e.time) <= 1e-15 * e.time + 1e-15, e.text << " at " << jump->time);
    BOOST_TEST(std::abs(jump->size - e.size) <= 1e-9 * (1 + std::abs(e.size)), e.text << " by " << jump->size);
  }
}

BOOST_AUTO_TEST_CASE(poles_are_jumps) {
  for (const char* text : {"1/(t - 1.0005)", "tan(t)", "1/(t - 1.25)^3", "0.001/sin(3*t + 1)"})
    BOOST_TEST(jump_of(text).has_value(), text);
}

// Kinks, roots, steep ramps, and functions that change faster than spans show.
BOOST_AUTO_TEST_CASE(what_is_continuous_does_not_jump) {
  for (const char* text : {"3",
                           "t",
                           "t^2",
                           "sin(40*t)",
                           "min(t, 1)",
                           "max(0, t - 1.0037)",
                           "abs(t - 1.005)",
                           "abs(sin(10*t))",
                           "1 - exp(-(t/0.004)^2)",
                           "min(1, max(0, 1e6*(t - 1)))",
                           "min(1, max(0, 1e12*(t - 0.5)))",
                           "atan(1e9*(t - 1.003))",
                           "0.01*sin(2*pi*1e4*t)",
                           "sqrt(abs(t - 1.003))",
                           "sqrt(max(0, t - 1))",
                           "abs(t - 1.005)^0.1",
                           "sqrt(t)",
                           "(t - 1.003)*step(t - 1.003)",
                           "(t - 1)*sign(t - 1)",
                           "1e6*t + 1e-3*abs(t - 1.0005)",
                           "abs(t - 1.0037)*step(t - 1.0037)",
                           "atan2(sin(t), 2 + cos(t))",
                           "1e6 + sin(t)",
                           "t - step(t - 1)*0",
                           "1/(t + 0.001)",
                           "sqrt((t - 1)^2)",
                           "sin(1e6*t)"})
    BOOST_TEST(!jump_of(text).has_value(), text);
  BOOST_TEST(!jump_of("step(t - 2.5)").has_value()); // after the end
  BOOST_TEST(!jump_of("sqrt(1 - t)").has_value());   // what is no number says so elsewhere
}

// Noise is halved here and there, but not everywhere.
BOOST_AUTO_TEST_CASE(looking_has_an_end) {
  long asked = 0;
  const TimeFunction noise([&asked](auto t) {
    using std::sin;
    ++asked;
    return sin(1e12 * t);
  });
  BOOST_TEST(!first_jump(noise, 2, 1000).has_value());
  BOOST_TEST(asked <= 2 * (1000 + 1 + 1000 + 3 * 1000)); // value and rate
}

BOOST_AUTO_TEST_CASE(long_steps_do_not_hide_jumps) {
  for (const long spans : {1L, 3L, 10L, 100000L})
    BOOST_TEST(jump_of("0.2*t + 0.1*step(t - 1.234)", 2, spans).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
