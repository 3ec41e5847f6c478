#pragma once
/// Formulas of verification cases: what a quantity is made of, and what is expected of it.
///
/// Arithmetic as in decks, sinh cosh tanh asinh acosh atanh, and the elliptic functions
///   sn(u, m), cn(u, m), dn(u, m)   Jacobi's functions of parameter m
///   K(m)                           complete integral of the first kind
/// where m = k² is the *parameter*, not the modulus k. Other names are variables: parameters of the case, the time t,
/// columns of a table; a dot is part of a name, as in `link4.x`.

#include "io/arithmetic/compiler.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy::verify {

/// Why a text is not a formula, and where in it (in bytes).
class FormulaError : public std::runtime_error {
public:
  FormulaError(const std::string& message, std::size_t at) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

class Formula {
public:
  explicit Formula(const std::string& text); ///< throws FormulaError

  const std::string& text() const { return text_; }
  /// The variables, in the order in which `evaluate` wants their values.
  const std::vector<std::string>& variables() const { return variables_; }
  double evaluate(const std::vector<double>& values) const;

private:
  std::string text_;
  std::vector<std::string> variables_;
  arithmetic::Program program_;
};

} // namespace emmy::verify
