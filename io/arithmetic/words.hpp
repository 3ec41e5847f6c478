#pragma once
/// What arithmetic is written with: characters, functions and constants.

#include "io/arithmetic/program.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace emmy::arithmetic {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// End of what is made of letters and digits, or of the number, that starts at `i`; `i` if there is none.
std::size_t name_end(std::string_view text, std::size_t i);
std::size_t number_end(std::string_view text, std::size_t i);

struct Function {
  const char* name;
  Operation operation;
  bool takes_any = false; ///< one number or more, from the first to the last
};
/// sin, min ...
const std::vector<Function>& functions();
const Function* find_function(std::string_view name); ///< null if there is none

struct Constant {
  const char* name;
  double value;
  const char* meaning; ///< "Euler's number, 2.71828"
};
/// pi, e and deg.
const std::vector<Constant>& constants();
const Constant* find_constant(std::string_view name);

} // namespace emmy::arithmetic
