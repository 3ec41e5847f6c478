#include "io/verify/formula.hpp"

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace emmy::verify {

namespace {

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

const arithmetic::ValueFunction functions[] = {
    {"sn", 2, [](const double* x) { return sn(x[0], x[1]); }},
    {"cn", 2, [](const double* x) { return cn(x[0], x[1]); }},
    {"dn", 2, [](const double* x) { return dn(x[0], x[1]); }},
    {"K", 1, [](const double* x) { return K(x[0]); }},
    {"sinh", 1, [](const double* x) { return std::sinh(x[0]); }},
    {"cosh", 1, [](const double* x) { return std::cosh(x[0]); }},
    {"tanh", 1, [](const double* x) { return std::tanh(x[0]); }},
    {"asinh", 1, [](const double* x) { return std::asinh(x[0]); }},
    {"acosh", 1, [](const double* x) { return std::acosh(x[0]); }},
    {"atanh", 1, [](const double* x) { return std::atanh(x[0]); }},
};

} // namespace

Formula::Formula(const std::string& text) : text_(text) {
  const auto meaning = [this](std::string_view name) -> arithmetic::Meaning {
    for (const arithmetic::ValueFunction& function : functions)
      if (name == function.name)
        return &function;
    const auto known = std::find(variables_.begin(), variables_.end(), name);
    const auto index = static_cast<std::size_t>(known - variables_.begin());
    if (known == variables_.end())
      variables_.emplace_back(name);
    return arithmetic::Variable{index};
  };
  auto result = arithmetic::compile(text, {true, meaning});
  if (const auto* problem = std::get_if<arithmetic::Problem>(&result))
    throw FormulaError(problem->message, problem->offset);
  program_ = std::get<arithmetic::Program>(std::move(result));
}

double Formula::evaluate(const std::vector<double>& values) const {
  assert(values.size() == variables_.size());
  return program_.evaluate(values.data());
}

} // namespace emmy::verify
