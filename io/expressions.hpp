#pragma once
/// Numbers written as arithmetic: `pi/4`, `-0.5*L`, `2*atan2(1, 3)`.
///
/// Operators + - * / ^ (right to left, before a sign: -2^2 is -4) and parentheses. Functions sin cos tan asin acos atan
/// atan2(y, x) sqrt exp ln log (natural, as in C) log10 abs min max sign; angles in radians. Constants pi, e, and
/// deg = pi/180, so that 30*deg is an angle. Everything else is a parameter that the user declared.
/// Where a function of time is asked for, `t` is the time in seconds; elsewhere it is a mistake, and never a parameter.

#include "core/time_function.hpp"
#include "io/arithmetic/compiler.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace emmy {

class Expressions {
public:
  using Problem = arithmetic::Problem;

  /// The value, always finite, or the problem.
  std::variant<double, Problem> evaluate(std::string_view text) const;

  /// The text as a function of the time `t`, compiled once, with its rate; finite at t = 0. A text without `t` is a
  /// constant.
  std::variant<TimeFunction, Problem> function(std::string_view text) const;

  /// Declares a parameter. The name must satisfy `is_name`, not be `is_reserved`, nor be longer than `longest_name`.
  void define(const std::string& name, double value);

  bool is_defined(const std::string& name) const;
  /// Takes a parameter back: its name is not known any more.
  void forget(const std::string& name);

  static constexpr std::size_t longest_name = 100;

  /// All names that may be used, for hints.
  std::vector<std::string> names() const;

  /// A letter or underscore, then letters, digits and underscores.
  static bool is_name(std::string_view text);
  /// The name of a function or constant, or `t`.
  static bool is_reserved(std::string_view name) { return !meaning(name).empty(); }
  /// What a reserved name means: "Euler's number, 2.71828"; empty for others.
  static std::string meaning(std::string_view name);
  /// Whether a name occurs in a text.
  static bool uses(std::string_view text, std::string_view name);

private:
  std::variant<arithmetic::Program, Problem> compiled(std::string_view text, bool of_time) const;

  std::unordered_map<std::string, double> parameters_;
};

} // namespace emmy
