#include "io/verify/formula.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace {

using emmy::verify::Formula;

constexpr double eps = 2.220446049250313e-16;

double value(const std::string& text) {
  return Formula(text).evaluate({});
}

} // namespace

BOOST_AUTO_TEST_SUITE(Formulas)

BOOST_AUTO_TEST_CASE(names_with_dots_are_variables) {
  const Formula f("2*link4.x + t");
  BOOST_REQUIRE_EQUAL(f.variables().size(), 2u);
  BOOST_TEST(f.variables()[0] == "link4.x");
  BOOST_TEST(f.variables()[1] == "t");
  BOOST_TEST(f.evaluate({3, 0.5}) == 6.5);
  BOOST_TEST(f.evaluate({1, 0}) == 2);
}

// Abramowitz & Stegun, table 17.1: K(0) = pi/2, K(0.5) = 1.854074677301372; K(0.25) would be that of the modulus 0.5.
BOOST_AUTO_TEST_CASE(elliptic_integral_takes_the_parameter_not_the_modulus) {
  BOOST_TEST(std::abs(value("K(0)") - std::acos(-1.0) / 2) <= 2 * eps);
  BOOST_TEST(std::abs(value("K(1/2)") - 1.854074677301372) <= 4 * eps);
}

BOOST_AUTO_TEST_CASE(jacobi_functions_satisfy_their_identities) {
  for (const char* m : {"0", "1/12", "0.5", "0.9"})
    for (const char* u : {"0.3", "1.7", "10"}) {
      const std::string arguments = std::string("(") + u + "," + m + ")";
      BOOST_TEST(std::abs(value("sn" + arguments + "^2 + cn" + arguments + "^2 - 1")) <= 8 * eps);
      BOOST_TEST(std::abs(value("dn" + arguments + "^2 + " + m + "*sn" + arguments + "^2 - 1")) <= 8 * eps);
    }
  BOOST_TEST(std::abs(value("sn(0.7, 0) - sin(0.7)")) <= 2 * eps);
}

// Twelve decimals of the angular velocity of the asymmetric body at t = 10, parameter 1/12.
BOOST_AUTO_TEST_CASE(jacobi_functions_match_known_values) {
  const double half_unit = 5e-13;
  BOOST_TEST(std::abs(value("cn(10, 1/12)/2") + 0.466448718856) <= half_unit);
  BOOST_TEST(std::abs(value("sn(10, 1/12)/2") + 0.180071076739) <= half_unit);
  BOOST_TEST(std::abs(value("dn(10, 1/12)") - 0.994581052055) <= half_unit);
}

BOOST_AUTO_TEST_CASE(outside_of_its_domain_a_function_is_not_a_number) {
  BOOST_TEST(std::isnan(value("K(1)")));
  BOOST_TEST(std::isnan(value("sn(1, 1.5)")));
}

BOOST_AUTO_TEST_CASE(mistakes_are_reported_when_the_formula_is_read) {
  for (const char* text : {"", "1 +", "sin(", "2*(x", "sn(1)", "x, y"})
    BOOST_CHECK_THROW(Formula{text}, emmy::verify::FormulaError);
}

BOOST_AUTO_TEST_SUITE_END()
