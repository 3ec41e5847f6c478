#pragma once
/// From text to a program.
///
/// Operators + - * / and ^, which binds from right to left and before a sign: -2^2 is -4. One sign may stand before a
/// number, name, function or parenthesis. What names mean says a Language.

#include "io/arithmetic/program.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace emmy::arithmetic {

/// Why a text is not arithmetic, and which part of it (in bytes).
struct Problem {
  std::string message;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string unknown; ///< the name that is not known, if that is the problem
};

struct Variable {
  std::size_t index;
};
struct Refused {
  std::string why; ///< empty if the name is just not known
};
using Meaning = std::variant<Refused, double, Variable, const ValueFunction*>;

struct Language {
  bool has_dots = false; ///< in names, as in `link4.x`
  /// Of a name that is none of `functions()` and `constants()`.
  std::function<Meaning(std::string_view)> meaning;
};

constexpr std::size_t longest_text = 2000;

std::variant<Program, Problem> compile(std::string_view text, const Language& language);

} // namespace emmy::arithmetic
