/// Rates of functions of time: exact to rounding, one-sided at kinks, and finite.

#include "io/arithmetic/words.hpp"
#include "io/expressions.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <random>

using emmy::Expressions;
using emmy::TimeFunction;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

TimeFunction function(const std::string& text) {
  Expressions expressions;
  expressions.define("L", 2.5);
  expressions.define("M", -0.7);
  auto result = expressions.function(text);
  BOOST_TEST_REQUIRE(result.index() == 0U, text);
  return std::get<TimeFunction>(std::move(result));
}
double rate(const std::string& text, double t) {
  return function(text).rate(t);
}

struct Expected {
  const char* text;
  double t, rate;
};

/// Each of them to a few roundings of numbers about as large.
void check(std::initializer_list<Expected> list) {
  for (const Expected& e : list)
    BOOST_TEST_CONTEXT(e.text << " at " << e.t) {
      const double got = rate(e.text, e.t);
      BOOST_TEST(std::abs(got - e.rate) <= 8 * eps * std::max(1.0, std::abs(e.rate)), got << " for " << e.rate);
    }
}

/// Derivative by central differences over d, d/2 and d/4, extrapolated twice; and what it may be wrong by, from
/// differences over other distances.
struct Difference {
  double slope, error;
};
Difference difference(const TimeFunction& f, double t) {
  double error = 0;
  const auto extrapolated = [&](double d) {
    const auto central = [&](double step) { return (f(t + step) - f(t - step)) / (t + step - (t - step)); };
    const double wide = central(d), half = central(d / 2), quarter = central(d / 4);
    const double first = (4 * half - wide) / 3, second = (4 * quarter - half) / 3;
    const double best = (16 * second - first) / 15;
    error = std::max(error, std::abs(best - second));
    return best;
  };
  const double one = extrapolated(4e-3), other = extrapolated(2.7e-3);
  return {other, std::max(error, std::abs(one - other))};
}

/// Writes arithmetic of the time.
class Writer {
public:
  explicit Writer(unsigned seed) : engine_(seed) {}

  std::string sum(int depth) {
    static const char* const leaves[] = {"t", "t", "t", "L", "M", "pi", "deg", "0.3", "2", "e"};
    static const char* const operators[] = {" + ", "-", "*", "/", "^", "*-", "^-"};
    if (depth == 0)
      return leaves[below(10)];
    switch (below(6)) {
    case 0:
      return "(" + sum(depth - 1) + ")";
    case 1:
      return "-" + sum(depth - 1);
    case 2:
    case 3:
      return call(emmy::arithmetic::functions()[below(emmy::arithmetic::functions().size())], depth);
    default:
      return "(" + sum(depth - 1) + operators[below(7)] + sum(depth - 1) + ")";
    }
  }
  std::string call(const emmy::arithmetic::Function& f, int depth) {
    std::string text = std::string(f.name) + "(" + sum(depth - 1);
    const std::size_t further = f.takes_any ? below(3) : emmy::arithmetic::takes_two(f.operation) ? 1 : 0;
    for (std::size_t i = 0; i < further; ++i)
      text += ", " + sum(depth - 1);
    return text + ")";
  }

private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  std::mt19937_64 engine_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(RatesSuite)

BOOST_AUTO_TEST_CASE(every_operator_and_function_has_the_rate_of_the_textbook) {
  using std::cos, std::exp, std::log, std::sin, std::sqrt, std::tan;
  check({{"3", 1, 0},
         {"t", 1, 1},
         {"-t", 1, -1},
         {"t + 2*t", 1, 3},
         {"2 - t", 1, -1},
         {"t*t", 3, 6},
         {"t/L", 3, 0.4},
         {"1/(t + 1)", 1, -0.25},
         {"t/(1 + t)", 1, 0.25},
         {"t^3", 2, 12},
         {"(t - 3)^3", 1, 12}, // of a negative number
         {"(t - 3)^-2", 2, 2},
         {"t^0.5", 4, 0.25},
         {"2^t", 3, 8 * log(2.0)},
         {"t^t", 2, 4 * (1 + log(2.0))},
         {"t^2^3", 1, 8},
         {"sin(2*t)", 0.3, 2 * cos(0.6)},
         {"cos(2*t)", 0.3, -2 * sin(0.6)},
         {"tan(2*t)", 0.3, 2 / (cos(0.6) * cos(0.6))},
         {"asin(t)", 0.6, 1 / 0.8},
         {"acos(t)", 0.6, -1 / 0.8},
         {"atan(2*t)", 0.5, 1},
         {"atan2(t, 2)", 2, 0.25},
         {"atan2(2, t)", 2, -0.25},
         {"atan2(sin(3*t), cos(3*t))", 2, 3},
         {"sqrt(t)", 4, 0.25},
         {"exp(-2*t)", 0.5, -2 * exp(-1.0)},
         {"ln(3*t + 1)", 0.5, 1.2},
         {"log(t + 1)", 1, 0.5},
         {"log10(t + 1)", 1, 0.5 / log(10.0)},
         {"abs(t - 3)", 2, -1},
         {"abs(t - 3)", 4, 1},
         {"sign(t - 1)*t", 2, 1},
         {"sign(t - 1)*t", 0.5, -1},
         {"step(t - 1)*t^2", 2, 4},
         {"step(t - 1)*t^2", 0.5, 0},
         {"min(t^2, 9, 4*t)", 2, 4},
         {"min(t^2, 9, 4*t)", 5, 0},
         {"max(t^2, 9, 4*t)", 3.5, 4},
         {"max(t^2, 9, 4*t)", 5, 10},
         {"1 - exp(-(t/0.004)^2)", 0.01, 2 * 0.01 / (0.004 * 0.004) * exp(-6.25)},
         {"0.01*sin(2*pi*1e4*t)", 0.25, 200 * M_PI * cos(2 * M_PI * 1e4 * 0.25)}});
}

// Differences are extrapolated from values alone. Where distances do not agree about them there is a kink, a pole or
// noise nearby, and nothing is said.
BOOST_AUTO_TEST_CASE(rates_of_random_expressions_are_those_of_differences) {
  Writer writer(20);
  std::map<std::string, int> checked;
  for (const emmy::arithmetic::Function& outer : emmy::arithmetic::functions())
    for (int i = 0; i < 400; ++i) {
      const std::string text = writer.call(outer, 3) + "*t + L";
      if (text.find("/(t-t)") != std::string::npos) // infinite, with an arc that is not
        continue;
      Expressions expressions;
      expressions.define("L", 2.5);
      expressions.define("M", -0.7);
      const auto result = expressions.function(text);
      if (result.index() != 0) // not finite at the start
        continue;
      const auto& f = std::get<TimeFunction>(result);
      for (const double t : {0.4, 1.3, 2.2}) {
        const Difference expected = difference(f, t);
        const double got = f.rate(t), size = std::max(1.0, std::abs(expected.slope));
        if (!(expected.error < 1e-6 * size) || !std::isfinite(expected.slope))
          continue;
        BOOST_TEST(std::abs(got - expected.slope) <= 20 * expected.error + 1e-9 * size,
                   text << " at " << t << ": " << got << " for " << expected.slope << " +- " << expected.error);
        checked[outer.name] += 1;
      }
    }
  for (const emmy::arithmetic::Function& outer : emmy::arithmetic::functions())
    BOOST_TEST(checked[outer.name] >= 100, outer.name << " was checked " << checked[outer.name] << " times");
}

// A kink at the end of a step: its rate is that of the time before, so that the impulse falls in the next step. At the
// start there is no time before.
BOOST_AUTO_TEST_CASE(at_kinks_rates_are_those_before_and_at_the_start_those_after) {
  check({{"min(t, 1)", 1, 1},
         {"min(1, t)", 1, 1},
         {"max(t, 1)", 1, 0},
         {"max(1, t, 2*t - 1)", 1, 0},
         {"min(2*t, t + 1, 2)", 1, 2},
         {"abs(t - 1)", 1, -1},
         {"abs(1 - t)", 1, -1},
         {"-abs(t - 1)", 1, 1},
         {"abs(sin(t - 0.5)) + 3", 0.5, -1},
         {"max(abs(t - 1), 1 - t)", 1, -1},
         {"min(t, 1)*max(t, 1)", 1, 1},
         {"3*abs(min(t, 1) - 1)^1", 1, -3},
         {"abs(t)", 0, 1},
         {"min(t, 2*t)", 0, 1},
         {"max(t, 2*t)", 0, 2},
         {"-abs(3*t)", 0, -3},
         {"(t - 1)*step(t - 1)", 1, 1}, // of the side whose value it is
         {"sign(t - 1)", 1, 0},
         {"step(t - 1)", 1, 0}});
}

// Where the rules of differentiation divide by zero.
BOOST_AUTO_TEST_CASE(rates_are_finite_wherever_the_function_is) {
  check({{"sqrt((t - 1)^2)", 1, -1},
         {"((t - 1)^2)^0.5", 1, -1},
         {"(t^2)^0.5", 0, 1},
         {"sqrt(t)*t*t", 0, 0},
         {"t^2.5", 0, 0},
         {"t^2", 0, 0},
         {"t^1", 0, 1},
         {"t^0", 0, 0},
         {"(2 - t)^(3*t)", 1, -3},
         {"t + sqrt(0*t)", 1, 1}, // a number that stands still, whatever its root makes of it
         {"t + (0*t)^0.5", 0, 1},
         {"t + asin(sign(t + 1))", 1, 1},
         {"t + (0*t)^0", 1, 1},
         {"t + (0*t)^(t + 1)", 1, 1},
         {"2*t + sqrt(max(0, t - 1))", 0.5, 2},
         {"2*t + sqrt(max(0, t - 1))", 1, 2},
         {"t + atan2(0*t, max(0, t - 1))", 0.5, 1},
         {"exp(-1/t^2)*step(t) + t", 0.01, 1},
         {"atan2(t, 0)", 1, 0},
         {"cos(acos(1 - t))", 0, -1}});
  for (const char* text : {"sqrt(t)", "t^0.3", "asin(1 - t)", "acos(t^2/2 - 1)", "sqrt(1 - cos(t))", "atan2(t, t)",
                           "atan2(sqrt(t), 1)", "t^t", "sqrt(abs(t))", "abs(t)^0.1", "min(sqrt(t), t)"})
    BOOST_TEST(std::isfinite(rate(text, 0)), text);
  BOOST_TEST(std::isfinite(rate("sqrt(4 - t^2)", 2)));
  BOOST_TEST(rate("sqrt(4 - t^2)", 2) < -1e3);
  BOOST_TEST(std::abs(rate("sqrt(1 - cos(t))", 0) - std::sqrt(0.5)) <= 1e-3); // values are noise nearby
}

BOOST_AUTO_TEST_SUITE_END()
