#include "io/arithmetic/program.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <type_traits>

namespace emmy::arithmetic {

namespace {

template <class T>
T result_of(Operation operation, const T& x) {
  using std::abs, std::acos, std::asin, std::atan, std::cos, std::exp, std::log, std::log10, std::sin, std::sqrt,
      std::tan;
  switch (operation) {
  case Operation::sin:
    return sin(x);
  case Operation::cos:
    return cos(x);
  case Operation::tan:
    return tan(x);
  case Operation::asin:
    return asin(x);
  case Operation::acos:
    return acos(x);
  case Operation::atan:
    return atan(x);
  case Operation::sqrt:
    return sqrt(x);
  case Operation::exp:
    return exp(x);
  case Operation::log:
    return log(x);
  case Operation::log10:
    return log10(x);
  case Operation::abs:
    return abs(x);
  case Operation::sign:
    return sign(x);
  case Operation::step:
    return step(x);
  default:
    assert(operation == Operation::negate);
    return -x;
  }
}

template <class T>
T result_of(Operation operation, const T& x, const T& y) {
  using std::atan2, std::max, std::min, std::pow;
  switch (operation) {
  case Operation::add:
    return x + y;
  case Operation::subtract:
    return x - y;
  case Operation::multiply:
    return x * y;
  case Operation::divide:
    return x / y;
  case Operation::power:
    return pow(x, y);
  case Operation::atan2:
    return atan2(x, y);
  case Operation::min:
    return min(x, y);
  default:
    assert(operation == Operation::max);
    return max(x, y);
  }
}

double result_of(const ValueFunction& function, const double* x) {
  return function.value(x);
}
template <Still still>
DualOf<still> result_of(const ValueFunction& function, const DualOf<still>* x) {
  std::array<double, 4> values{};
  const auto count = static_cast<std::size_t>(function.arguments);
  assert(count <= values.size());
  std::transform(x, x + count, values.begin(), [](const auto& argument) { return argument.value; });
  return {function.value(values.data()), std::numeric_limits<double>::quiet_NaN()};
}

} // namespace

void Program::push_number(double value) {
  Instruction number;
  number.number = value;
  add(number, 0);
}

void Program::push_variable(std::size_t index) {
  Instruction variable;
  variable.kind = Kind::variable;
  variable.variable = index;
  add(variable, 0);
}

void Program::apply(Operation operation) {
  Instruction instruction;
  instruction.kind = Kind::operation;
  instruction.operation = operation;
  add(instruction, takes_two(operation) ? 2 : 1);
}

void Program::apply(const ValueFunction& function) {
  Instruction instruction;
  instruction.kind = Kind::function;
  instruction.function = &function;
  add(instruction, static_cast<std::size_t>(function.arguments));
}

void Program::add(const Instruction& instruction, std::size_t takes) {
  assert(takes <= instructions_.size());
  const auto operands = instructions_.end() - static_cast<std::ptrdiff_t>(takes);
  const bool is_known =
      takes > 0 && std::all_of(operands, instructions_.end(), [](const auto& i) { return i.kind == Kind::number; });
  instructions_.push_back(instruction);
  if (!is_known)
    return;
  Program known;
  known.instructions_.assign(instructions_.end() - static_cast<std::ptrdiff_t>(takes + 1), instructions_.end());
  instructions_.resize(instructions_.size() - takes - 1);
  push_number(known.evaluate<double>(nullptr));
}

template <class T>
T Program::evaluate(const T* variables) const {
  std::array<T, deepest> stack;
  T* end = stack.data();
  for (const Instruction& i : instructions_)
    switch (i.kind) {
    case Kind::number:
      *end++ = i.number;
      break;
    case Kind::variable:
      *end++ = variables[i.variable];
      break;
    case Kind::operation:
      if (takes_two(i.operation)) {
        --end;
        end[-1] = result_of(i.operation, end[-1], end[0]);
      } else {
        end[-1] = result_of(i.operation, end[-1]);
      }
      break;
    case Kind::function:
      end -= i.function->arguments;
      *end = result_of(*i.function, end);
      ++end;
      break;
    }
  assert(end == stack.data() + 1);
  return stack[0];
}

template double Program::evaluate(const double* variables) const;
template Dual Program::evaluate(const Dual* variables) const;
template DualOf<Still::still> Program::evaluate(const DualOf<Still::still>* variables) const;

} // namespace emmy::arithmetic
