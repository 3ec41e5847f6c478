#include "io/expressions.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using emmy::Expressions;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double value(const std::string& text) {
  Expressions expressions;
  expressions.define("L", 2.5);
  const auto result = expressions.evaluate(text);
  BOOST_TEST_REQUIRE(result.index() == 0U, text);
  return std::get<double>(result);
}

Expressions::Problem problem(const std::string& text) {
  Expressions expressions;
  expressions.define("L", 2.5);
  const auto result = expressions.evaluate(text);
  BOOST_TEST_REQUIRE(result.index() == 1U, text);
  return std::get<Expressions::Problem>(result);
}

} // namespace

BOOST_AUTO_TEST_SUITE(ExpressionsSuite)

BOOST_AUTO_TEST_CASE(plain_numbers_are_read_to_the_last_bit) {
  BOOST_TEST(value("0.1") == 0.1);
  BOOST_TEST(value("-1e-3") == -1e-3);
  BOOST_TEST(value("+3") == 3.0);
  BOOST_TEST(value(".5") == 0.5);
  BOOST_TEST(value("5.") == 5.0);
  BOOST_TEST(value("1.7976931348623157e308") == std::numeric_limits<double>::max());
  BOOST_TEST(value("0.1*1") == 0.1); // the same digits by way of the parser
  BOOST_TEST(value("123456789.123456789 + 0") == 123456789.123456789);
}

BOOST_AUTO_TEST_CASE(operators_bind_as_in_mathematics) {
  BOOST_TEST(value("1 + 2*3") == 7.0);
  BOOST_TEST(value("(1 + 2)*3") == 9.0);
  BOOST_TEST(value("8/4/2") == 1.0);
  BOOST_TEST(value("2 - 3 - 4") == -5.0);
  BOOST_TEST(value("-2^2") == -4.0);
  BOOST_TEST(value("2^3^2") == 512.0);
  BOOST_TEST(value("2^-1") == 0.5);
  BOOST_TEST(value("-L/2") == -1.25);
}

BOOST_AUTO_TEST_CASE(functions_and_constants_are_those_of_the_standard_library) {
  const double pi = std::acos(-1.0);
  BOOST_TEST(value("pi") == pi);
  BOOST_TEST(value("e") == std::exp(1.0));
  BOOST_TEST(std::abs(value("30*deg") - pi / 6) <= 2 * eps);
  BOOST_TEST(value("sin(0.3)") == std::sin(0.3));
  BOOST_TEST(value("cos(0.3)") == std::cos(0.3));
  BOOST_TEST(value("tan(0.3)") == std::tan(0.3));
  BOOST_TEST(value("asin(0.3)") == std::asin(0.3));
  BOOST_TEST(value("acos(0.3)") == std::acos(0.3));
  BOOST_TEST(value("atan(0.3)") == std::atan(0.3));
  BOOST_TEST(value("atan2(-1, -2)") == std::atan2(-1.0, -2.0));
  BOOST_TEST(value("sqrt(0.3)") == std::sqrt(0.3));
  BOOST_TEST(value("exp(0.3)") == std::exp(0.3));
  BOOST_TEST(value("ln(0.3)") == std::log(0.3));
  BOOST_TEST(value("log(0.3)") == std::log(0.3));
  BOOST_TEST(value("log10(1000)") == 3.0);
  BOOST_TEST(value("abs(-3)") == 3.0);
  BOOST_TEST(value("min(3, 1, 2)") == 1.0);
  BOOST_TEST(value("max(3, 1, 2)") == 3.0);
  BOOST_TEST(value("sign(-7)") == -1.0);
  BOOST_TEST(value("sign(0)") == 0.0);
  BOOST_TEST(value("sign(0.1)") == 1.0);
  BOOST_TEST(value("step(-1e-300)") == 0.0);
  BOOST_TEST(value("step(0)") == 1.0);
  BOOST_TEST(value("step(L)") == 1.0);
}

BOOST_AUTO_TEST_CASE(unknown_names_are_pointed_at) {
  const auto p = problem("2*sin(Lx)");
  BOOST_TEST(p.message == "unknown name 'Lx'");
  BOOST_TEST(p.unknown == "Lx");
  BOOST_TEST(p.offset == 6U);
  BOOST_TEST(p.length == 2U);
  for (const char* text : {"_pi", "_e", "rint(1)", "rnd()", "sum(1, 2)", "sinh(1)"}) // known elsewhere
    BOOST_TEST(!problem(text).unknown.empty(), text);
}

BOOST_AUTO_TEST_CASE(what_is_not_arithmetic_is_refused) {
  for (const char* text : {"",
                           " ",
                           "1,2",
                           "1 2",
                           "(1",
                           "1)",
                           "1+",
                           "*1",
                           "1//2",
                           "()",
                           "min()",
                           "sin",
                           "sin 3",
                           "atan2(1)",
                           "atan2(1, 2, 3)",
                           "L=3",
                           "1<2",
                           "1?2:3",
                           "!1",
                           "1;2",
                           "\"a\"",
                           "2L",
                           "12kg",
                           "0x10",
                           "1e",
                           "1e1e1",
                           "é",
                           "min((1,2),3)",
                           "3(2)",
                           "pi(2)",
                           ".",
                           "1.2.3",
                           "$",
                           "[1]"})
    BOOST_TEST(!problem(text).message.empty(), text);
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_refused) {
  for (const char* text : {".nan", "nan", ".inf", "-.inf", "inf", "1/0", "0/0", "sqrt(-1)", "ln(0)", "1e999", "-1e999",
                           "1e308*10", "asin(2)"})
    BOOST_TEST(problem(text).message.find("is not a finite number") != std::string::npos, text);
  BOOST_TEST(value("1e-999") == 0.0);
}

BOOST_AUTO_TEST_CASE(functions_of_time_are_compiled_once_and_evaluated_anywhere) {
  Expressions expressions;
  expressions.define("L", 2.5);
  const auto of = [&](const char* text) {
    const auto result = expressions.function(text);
    BOOST_TEST_REQUIRE(result.index() == 0U, text);
    return std::get<emmy::TimeFunction>(result);
  };
  const emmy::TimeFunction first = of("L*sin(2*t)"), second = of("t^2 - t");
  expressions.define("M", 7); // what was compiled keeps its own names
  BOOST_TEST(first(0.5) == 2.5 * std::sin(1.0));
  BOOST_TEST(second(3) == 6.0);
  BOOST_TEST(first(0.5) == 2.5 * std::sin(1.0));
  BOOST_TEST(!first.is_constant());
  for (const char* text : {"3", "L + 0.5", "3e0", "max(L, 3)"}) {
    BOOST_TEST(of(text).is_constant(), text);
    BOOST_TEST(of(text)(5) == 3.0, text);
  }
}

BOOST_AUTO_TEST_CASE(functions_of_time_must_be_finite_at_the_start) {
  const Expressions expressions;
  for (const char* text : {"1/t", "ln(t)", "0/0 + t"}) {
    const auto result = expressions.function(text);
    BOOST_TEST_REQUIRE(result.index() == 1U, text);
    BOOST_TEST(std::get<Expressions::Problem>(result).message.find("is not a finite number at t = 0") !=
                   std::string::npos,
               text);
  }
  const auto unknown = expressions.function("2*sin(tau*t)");
  BOOST_TEST_REQUIRE(unknown.index() == 1U);
  BOOST_TEST(std::get<Expressions::Problem>(unknown).unknown == "tau");
  BOOST_TEST(std::get<Expressions::Problem>(unknown).offset == 6U);
  for (const char* text : {"t +", "2t", "sin t", "t(2)", "t = 2"})
    BOOST_TEST(expressions.function(text).index() == 1U, text);
}

BOOST_AUTO_TEST_CASE(the_time_is_no_number_and_no_parameter) {
  BOOST_TEST(problem("2*t").message == "the time 't' is not known");
  BOOST_TEST(problem("2*t").offset == 2U);
  BOOST_TEST(Expressions::is_reserved("t"));
  BOOST_TEST(value("L") == 2.5); // names that contain a t or nothing of it are not concerned
}

BOOST_AUTO_TEST_CASE(names_are_told_apart) {
  BOOST_TEST(Expressions::is_name("a_1"));
  BOOST_TEST(!Expressions::is_name("1a"));
  BOOST_TEST(!Expressions::is_name("a-b"));
  BOOST_TEST(!Expressions::is_name(""));
  for (const char* name : {"pi", "e", "deg", "sin", "atan2", "min"})
    BOOST_TEST(Expressions::is_reserved(name), name);
  BOOST_TEST(!Expressions::is_reserved("L"));
}

BOOST_AUTO_TEST_SUITE_END()
