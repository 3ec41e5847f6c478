#include "io/arithmetic/compiler.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy::arithmetic;

namespace {

const ValueFunction cube{"cube", 1, [](const double* x) { return x[0] * x[0] * x[0]; }};
const ValueFunction less{"less", 2, [](const double* x) { return x[0] - x[1]; }};

/// Knows x and y, a.b where dots are allowed, two = 2, cube and less; nobody may say `secret`.
std::variant<Program, Problem> compiled(std::string_view text, bool has_dots = false) {
  return compile(text, {has_dots, [](std::string_view name) -> Meaning {
                          if (name == "x" || name == "y" || name == "a.b")
                            return Variable{name == "x" ? 0U : 1U};
                          if (name == "two")
                            return 2.0;
                          if (name == "cube" || name == "less")
                            return name == "cube" ? &cube : &less;
                          return Refused{name == "secret" ? "nobody may say this" : ""};
                        }});
}

double value(std::string_view text, double x = 0, double y = 0, bool has_dots = false) {
  const auto result = compiled(text, has_dots);
  BOOST_TEST_REQUIRE(result.index() == 0U, text);
  const double variables[] = {x, y};
  return std::get<Program>(result).evaluate(variables);
}

} // namespace

BOOST_AUTO_TEST_SUITE(CompilerSuite)

BOOST_AUTO_TEST_CASE(variables_and_numbers_obey_the_same_rules) {
  BOOST_TEST(value("x - y - 1", 7, 2) == 4);
  BOOST_TEST(value("x/y/2", 12, 3) == 2);
  BOOST_TEST(value("x^y^2", 2, 3) == 512);
  BOOST_TEST(value("-x^2", 3) == -9);
  BOOST_TEST(value("2^-x^2", 2) == 1.0 / 16);
  BOOST_TEST(value("2^-3^-2") == std::pow(2, -std::pow(3, -2)));
  BOOST_TEST(value("y*-x^2/2 + +1", 2, 3) == -5);
  BOOST_TEST(value("x*(y + two)^2 - x*y", 3, 1) == 24);
  BOOST_TEST(value("-(x)^2 + (-(-x))", 3) == -6);
  BOOST_TEST(value(" x\t+\n y ", 1, 2) == 3);
  BOOST_TEST(value("min(x, 1, y)", 3, 2) == 1);
  BOOST_TEST(value("min(y)", 3, 2) == 2);
  BOOST_TEST(value("max(x, min(y, 9), 1)", 3, 20) == 9);
  BOOST_TEST(value("atan2(x, y)", -1, -2) == std::atan2(-1, -2));
}

BOOST_AUTO_TEST_CASE(functions_that_are_known_by_values) {
  BOOST_TEST(value("less(cube(x), y)", 2, 3) == 5);
  BOOST_TEST(value("less(1, less(y, x))", 2, 3) == 0);
  BOOST_TEST(value("cube(two)") == 8);
  const auto result = compiled("cube(x) + x");
  const emmy::Dual variables[] = {{2, 1}, 0};
  const emmy::Dual at = std::get<Program>(result).evaluate(variables);
  BOOST_TEST(at.value == 10);
  BOOST_TEST(std::isnan(at.rate));
}

BOOST_AUTO_TEST_CASE(names_have_dots_where_they_may) {
  BOOST_TEST(value("2*a.b", 0, 3, true) == 6);
  BOOST_TEST(std::get<Problem>(compiled("2*a.b")).unknown == "a");
  BOOST_TEST(std::get<Problem>(compiled("2*x.", true)).unknown == "x.");
}

// What is wrong, and where: the first mistake from the left.
BOOST_AUTO_TEST_CASE(mistakes_are_pointed_at) {
  struct Mistake {
    const char *text, *message;
    std::size_t offset, length;
  };
  for (const Mistake& m : {Mistake{"", "the expression is empty", 0, 0},
                           {"  ", "the expression is empty", 0, 2},
                           {"1 + ", "the expression ends too early", 2, 1},
                           {"min(1,", "the expression ends too early", 5, 1},
                           {"(", "the expression ends too early", 0, 1},
                           {"-", "the expression ends too early", 0, 1},
                           {"2*(x + (1", "a ')' is missing", 7, 1},
                           {"sin(x", "a ')' is missing", 3, 1},
                           {"1 + x)", "unexpected ')'", 5, 1},
                           {"x, y", "unexpected ','", 1, 1},
                           {"min((x, y), 1)", "unexpected ','", 6, 1},
                           {"min(x, , y)", "unexpected ','", 7, 1},
                           {"min(x, )", "unexpected ')'", 7, 1},
                           {"()", "unexpected ')'", 1, 1},
                           {"x y", "unexpected 'y'", 2, 1},
                           {"x 12.5", "unexpected '12.5'", 2, 4},
                           {"x(2)", "unexpected '('", 1, 1},
                           {"--x", "unexpected '-'", 1, 1},
                           {"2 - -+x", "unexpected '+'", 5, 1},
                           {"x*/2", "unexpected '/'", 2, 1},
                           {"x ° 2", "unexpected '°'", 2, 2},
                           {".", "unexpected '.'", 0, 1},
                           {"x + 12kg", "unexpected 'kg' after a number", 6, 2},
                           {"x + 1e999", "'1e999' is not a finite number", 4, 5},
                           {"x + foo", "unknown name 'foo'", 4, 3},
                           {"x + secret", "nobody may say this", 4, 6},
                           {"2*sin + 1", "the function 'sin' has no arguments", 2, 3},
                           {"x + atan2(x)", "too few arguments of 'atan2'", 4, 8},
                           {"sin(x, y)", "too many arguments of 'sin'", 0, 9},
                           {"x*min( )", "too few arguments of 'min'", 2, 6},
                           {"less(x, y, 1)", "too many arguments of 'less'", 0, 13}}) {
    const auto result = compiled(m.text);
    BOOST_TEST_CONTEXT("'" << m.text << "'") {
      BOOST_TEST_REQUIRE(result.index() == 1U);
      const auto& problem = std::get<Problem>(result);
      BOOST_TEST(problem.message == m.message);
      BOOST_TEST(problem.offset == m.offset);
      BOOST_TEST(problem.length == m.length);
    }
  }
}

// The longest text has the most parentheses, the most powers and the most numbers that wait for one another.
BOOST_AUTO_TEST_CASE(long_texts_have_room) {
  const auto repeated = [](const std::string& part, std::size_t times) {
    std::string text;
    while (times-- > 0)
      text += part;
    return text;
  };
  BOOST_TEST(value(repeated("(", 999) + "x" + repeated(")", 999), 3) == 3);
  BOOST_TEST(value(repeated("x^", 999) + "x", 1) == 1);
  BOOST_TEST(value(repeated("1+(", 499) + "x" + repeated(")", 499), 1) == 500);
  BOOST_TEST(value(repeated("max(0,", 285) + "x" + repeated(")", 285), 1) == 1);
  BOOST_TEST(value("max(0" + repeated(",x", 900) + ")", 1) == 1);
  BOOST_TEST(std::get<Problem>(compiled(repeated("(", longest_text))).message == "the expression ends too early");
  BOOST_TEST(std::get<Problem>(compiled(repeated("(", longest_text + 1))).message ==
             "the expression is longer than 2000 characters");
}

BOOST_AUTO_TEST_SUITE_END()
