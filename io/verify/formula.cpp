#include "io/verify/formula.hpp"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <muParser.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace emmy::verify {

namespace {

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool is_parameter(double m) {
  return m >= 0 && m <= 1;
}

// Boost takes the modulus k first; formulas give the parameter m = k² last.
double sn(double u, double m) {
  return is_parameter(m) ? boost::math::jacobi_sn(std::sqrt(m), u) : none;
}
double cn(double u, double m) {
  return is_parameter(m) ? boost::math::jacobi_cn(std::sqrt(m), u) : none;
}
double dn(double u, double m) {
  return is_parameter(m) ? boost::math::jacobi_dn(std::sqrt(m), u) : none;
}
double K(double m) {
  return is_parameter(m) && m < 1 ? boost::math::ellint_1(std::sqrt(m)) : none;
}

} // namespace

struct Formula::Implementation {
  mu::Parser parser;
  std::vector<double> values; ///< of the variables
};

Formula::Formula(const std::string& text) : text_(text), implementation_(std::make_shared<Implementation>()) {
  mu::Parser& parser = implementation_->parser;
  parser.DefineNameChars("0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  parser.DefineConst("pi", pi);
  parser.DefineConst("e", std::exp(1.0));
  parser.DefineConst("deg", pi / 180);
  parser.DefineFun("sn", sn);
  parser.DefineFun("cn", cn);
  parser.DefineFun("dn", dn);
  parser.DefineFun("K", K);
  try {
    parser.SetExpr(text);
    for (const auto& variable : parser.GetUsedVar())
      variables_.push_back(variable.first);
    implementation_->values.assign(variables_.size(), 1.0);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      parser.DefineVar(variables_[i], &implementation_->values[i]);
    int results = 0;
    parser.Eval(results);
    if (results != 1)
      throw FormulaError("the formula has several values", 0);
  } catch (const mu::Parser::exception_type& error) {
    const int at = error.GetPos();
    throw FormulaError(error.GetMsg(), at > 0 ? static_cast<std::size_t>(at) : 0);
  }
}

double Formula::evaluate(const std::vector<double>& values) const {
  assert(values.size() == variables_.size());
  std::copy(values.begin(), values.end(), implementation_->values.begin()); // the parser knows the addresses
  try {
    return implementation_->parser.Eval();
  } catch (const mu::Parser::exception_type&) {
    return none; // what fails now is a value outside of a function's domain
  }
}

} // namespace emmy::verify
