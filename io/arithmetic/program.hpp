#pragma once
/// Arithmetic that was compiled: a list of operations on a stack. Evaluating allocates nothing and changes nothing.

#include "core/dual.hpp"

#include <cstddef>
#include <vector>

namespace emmy::arithmetic {

/// What is done with one number, or with two.
enum class Operation {
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sqrt,
  exp,
  log,
  log10,
  abs,
  sign,
  step,
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  min,
  max,
};
constexpr bool takes_two(Operation operation) {
  return operation >= Operation::add;
}

/// What is done with numbers by a function that is known by its values alone.
struct ValueFunction {
  const char* name;
  int arguments;
  double (*value)(const double* arguments);
};

class Program {
public:
  void push_number(double value);
  void push_variable(std::size_t index);
  /// On what was pushed last. What is done with numbers is done now.
  void apply(Operation operation);
  void apply(const ValueFunction& function);

  /// For these values of the variables: double, or a DualOf for a rate that comes with the value; of a
  /// ValueFunction rates are not known, and not numbers. What was pushed must have been taken but for one.
  template <class T>
  T evaluate(const T* variables) const;

  static constexpr std::size_t deepest = 1024; ///< how many may have been pushed and not been taken yet

private:
  enum class Kind { number, variable, operation, function };
  struct Instruction {
    Kind kind = Kind::number;
    double number = 0;
    std::size_t variable = 0;
    Operation operation = Operation::negate;
    const ValueFunction* function = nullptr;
  };
  void add(const Instruction& instruction, std::size_t takes);

  std::vector<Instruction> instructions_;
};

} // namespace emmy::arithmetic
