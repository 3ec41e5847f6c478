#include "io/arithmetic/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace emmy::arithmetic {

namespace {

constexpr double pi = 3.141592653589793238462643383279502884;

template <class Word>
const Word* find(const std::vector<Word>& words, std::string_view name) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const Word& word) { return name == word.name; });
  return found != words.end() ? &*found : nullptr;
}

} // namespace

std::size_t name_end(std::string_view text, std::size_t i) {
  while (i < text.size() && (is_letter(text[i]) || is_digit(text[i])))
    ++i;
  return i;
}

std::size_t number_end(std::string_view text, std::size_t i) {
  if (i == text.size() || !(is_digit(text[i]) || text[i] == '.')) // a sign is no part of it, and 'inf' is none
    return i;
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), ignored);
  return error == std::errc::invalid_argument ? i : static_cast<std::size_t>(end - text.data());
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"sin", Operation::sin},       {"cos", Operation::cos},       {"tan", Operation::tan},
      {"asin", Operation::asin},     {"acos", Operation::acos},     {"atan", Operation::atan},
      {"atan2", Operation::atan2},   {"sqrt", Operation::sqrt},     {"exp", Operation::exp},
      {"ln", Operation::log},        {"log", Operation::log},       {"log10", Operation::log10},
      {"abs", Operation::abs},       {"sign", Operation::sign},     {"step", Operation::step},
      {"min", Operation::min, true}, {"max", Operation::max, true},
  };
  return all;
}
const Function* find_function(std::string_view name) {
  return find(functions(), name);
}

const std::vector<Constant>& constants() {
  static const std::vector<Constant> all = {{"pi", pi, "the constant 3.14159"},
                                            {"e", std::exp(1.0), "Euler's number, 2.71828"},
                                            {"deg", pi / 180, "a degree, pi/180"}};
  return all;
}
const Constant* find_constant(std::string_view name) {
  return find(constants(), name);
}

} // namespace emmy::arithmetic
