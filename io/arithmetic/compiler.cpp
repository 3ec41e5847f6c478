#include "io/arithmetic/compiler.hpp"

#include "io/arithmetic/words.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace emmy::arithmetic {

namespace {

// What waits has an operator, a comma or a parenthesis behind it.
static_assert(longest_text / 2 + 1 <= Program::deepest);

struct Binary {
  char sign;
  Operation operation;
  int strength;
};
constexpr Binary binaries[] = {{'+', Operation::add, 1},
                               {'-', Operation::subtract, 1},
                               {'*', Operation::multiply, 2},
                               {'/', Operation::divide, 2},
                               {'^', Operation::power, 3}};
constexpr int weakest = 1, strongest = 3;

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// Reads from left to right; throws a Problem.
class Compiler {
public:
  Compiler(std::string_view text, const Language& language) : text_(text), language_(language) {}

  Program compile() {
    skip_spaces();
    if (is_at_end())
      refuse("the expression is empty", 0, text_.size());
    if (text_.size() > longest_text)
      refuse("the expression is longer than " + std::to_string(longest_text) + " characters", 0, 1);
    read(weakest);
    if (!is_at_end())
      refuse_next();
    return std::move(program_);
  }

private:
  void read(int least_strength, bool may_have_sign = true);
  void read_operand(bool may_have_sign);
  void read_number();
  void read_name();
  void read_call(std::size_t name, const Function& function);
  void read_call(std::size_t name, const ValueFunction& function);
  template <class Each>
  void read_arguments(std::size_t name, int least, int most, const Each& each);

  bool is_at_end() const { return at_ == text_.size(); }
  bool is_next(char c) const { return !is_at_end() && text_[at_] == c; }
  const Binary* next_operator() const;
  /// Moves on behind what ends at `end`.
  void move_to(std::size_t end) {
    end_ = at_ = end;
    skip_spaces();
  }
  void skip_spaces() {
    while (!is_at_end() && is_space(text_[at_]))
      ++at_;
  }
  bool take(char c) {
    const bool is_there = is_next(c);
    if (is_there)
      move_to(at_ + 1);
    return is_there;
  }
  void close(std::size_t parenthesis);
  std::size_t end_of_name(std::size_t i) const;

  [[noreturn]] void refuse_next() const;
  [[noreturn]] static void refuse(std::string message, std::size_t from, std::size_t to) {
    throw Problem{std::move(message), from, to - from, ""};
  }

  std::string_view text_;
  const Language& language_;
  std::size_t at_ = 0;  ///< where the next word begins
  std::size_t end_ = 0; ///< where the last one ended
  Program program_;
};

std::size_t Compiler::end_of_name(std::size_t i) const {
  std::size_t end = name_end(text_, i);
  while (language_.has_dots && end < text_.size() && text_[end] == '.')
    end = name_end(text_, end + 1);
  return end;
}

/// What stands here cannot.
void Compiler::refuse_next() const {
  if (is_at_end())
    refuse("the expression ends too early", end_ > 0 ? end_ - 1 : 0, end_);
  std::size_t end = at_ + 1;
  if (is_letter(text_[at_]))
    end = end_of_name(at_);
  else if (const std::size_t number = number_end(text_, at_); number > at_)
    end = number;
  while (end < text_.size() && (text_[end] & 0xC0) == 0x80) // the rest of a character
    ++end;
  refuse("unexpected " + quote(text_.substr(at_, end - at_)), at_, end);
}

void Compiler::close(std::size_t parenthesis) {
  if (take(')'))
    return;
  if (is_at_end())
    refuse("a ')' is missing", parenthesis, parenthesis + 1);
  refuse_next();
}

const Binary* Compiler::next_operator() const {
  for (const Binary& binary : binaries)
    if (is_next(binary.sign))
      return &binary;
  return nullptr;
}

void Compiler::read(int least_strength, bool may_have_sign) {
  read_operand(may_have_sign);
  while (const Binary* binary = next_operator()) {
    if (binary->strength < least_strength)
      return;
    take(binary->sign);
    read(binary->operation == Operation::power ? strongest : binary->strength + 1);
    program_.apply(binary->operation);
  }
}

void Compiler::read_operand(bool may_have_sign) {
  if (may_have_sign && (is_next('-') || is_next('+'))) {
    const bool is_negative = text_[at_] == '-';
    move_to(at_ + 1);
    read(strongest, false);
    if (is_negative)
      program_.apply(Operation::negate);
  } else if (const std::size_t start = at_; take('(')) {
    read(weakest);
    close(start);
  } else if (!is_at_end() && is_letter(text_[at_])) {
    read_name();
  } else {
    read_number();
  }
}

void Compiler::read_number() {
  const std::size_t start = at_, end = number_end(text_, at_);
  if (end == start)
    refuse_next();
  double value = 0;
  // What is too small for a double is zero.
  if (std::from_chars(text_.data() + start, text_.data() + end, value).ec != std::errc{})
    value = std::strtod(std::string(text_.substr(start, end - start)).c_str(), nullptr);
  if (std::isinf(value))
    refuse(quote(text_.substr(start, end - start)) + " is not a finite number", start, end);
  if (const std::size_t letters = name_end(text_, end); letters > end)
    refuse("unexpected " + quote(text_.substr(end, letters - end)) + " after a number", end, letters);
  program_.push_number(value);
  move_to(end);
}

void Compiler::read_name() {
  const std::size_t start = at_;
  const std::string_view name = text_.substr(start, end_of_name(start) - start);
  move_to(start + name.size());
  if (const Function* function = find_function(name))
    return read_call(start, *function);
  if (const Constant* constant = find_constant(name))
    return program_.push_number(constant->value);
  const Meaning meaning = language_.meaning(name);
  if (const auto* number = std::get_if<double>(&meaning))
    program_.push_number(*number);
  else if (const auto* variable = std::get_if<Variable>(&meaning))
    program_.push_variable(variable->index);
  else if (const auto* function = std::get_if<const ValueFunction*>(&meaning))
    read_call(start, **function);
  else if (const std::string& why = std::get<Refused>(meaning).why; !why.empty())
    refuse(why, start, start + name.size());
  else
    throw Problem{"unknown name " + quote(name), start, name.size(), std::string(name)};
}

void Compiler::read_call(std::size_t name, const Function& function) {
  if (function.takes_any)
    read_arguments(name, 1, std::numeric_limits<int>::max(), [&](int count) {
      if (count > 1)
        program_.apply(function.operation);
    });
  else {
    const int count = takes_two(function.operation) ? 2 : 1;
    read_arguments(name, count, count, [](int) {});
    program_.apply(function.operation);
  }
}

void Compiler::read_call(std::size_t name, const ValueFunction& function) {
  read_arguments(name, function.arguments, function.arguments, [](int) {});
  program_.apply(function);
}

/// Of the function whose name begins at `name` and has just been read; each argument is told its number.
template <class Each>
void Compiler::read_arguments(std::size_t name, int least, int most, const Each& each) {
  const std::string function = quote(text_.substr(name, end_ - name));
  const std::size_t parenthesis = at_;
  if (!take('('))
    refuse("the function " + function + " has no arguments", name, end_);
  int count = 0;
  if (!is_next(')'))
    do {
      read(weakest);
      each(++count);
    } while (take(','));
  close(parenthesis);
  if (count < least)
    refuse("too few arguments of " + function, name, end_);
  if (count > most)
    refuse("too many arguments of " + function, name, end_);
}

} // namespace

std::variant<Program, Problem> compile(std::string_view text, const Language& language) {
  try {
    return Compiler(text, language).compile();
  } catch (Problem& problem) {
    return std::move(problem);
  }
}

} // namespace emmy::arithmetic
