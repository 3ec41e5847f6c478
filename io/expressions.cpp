#include "io/expressions.hpp"

#include "io/arithmetic/words.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace emmy {

using namespace arithmetic;

namespace {

constexpr std::string_view time_name = "t";

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// A plain number needs no parser; decks are full of them.
std::optional<double> plain_number(std::string_view text) {
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  if (first >= text.size() || !(is_digit(text[first]) || (text[first] == '.' && text.size() > first + 1)))
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

bool spells_non_finite(std::string_view text) {
  std::string word;
  for (const char c : text)
    if (is_letter(c))
      word += static_cast<char>(c | 0x20);
    else if (c != '.' && c != '-' && c != '+')
      return false;
  return word == "nan" || word == "inf" || word == "infinity";
}

/// Of the time alone.
struct OfTime {
  Program program;
  template <class T>
  T operator()(T t) const {
    return program.evaluate(&t);
  }
};

} // namespace

std::variant<Program, Problem> Expressions::compiled(std::string_view text, bool of_time) const {
  if (spells_non_finite(text))
    return Problem{quote(text) + " is not a finite number", 0, text.size(), ""};
  const auto meaning = [&](std::string_view name) -> Meaning {
    if (name == time_name)
      return of_time ? Meaning(Variable{0}) : Refused{"the time 't' is not known"};
    const auto parameter = parameters_.find(std::string(name));
    return parameter != parameters_.end() ? Meaning(parameter->second) : Refused{};
  };
  auto result = compile(text, {false, meaning});
  if (const auto* program = std::get_if<Program>(&result)) {
    const double start = 0;
    if (!std::isfinite(program->evaluate(&start)))
      return Problem{quote(text) + " is not a finite number" + (of_time ? " at t = 0" : ""), 0, text.size(), ""};
  }
  return result;
}

std::variant<double, Problem> Expressions::evaluate(std::string_view text) const {
  if (const auto value = plain_number(text))
    return *value;
  auto result = compiled(text, false);
  if (auto* problem = std::get_if<Problem>(&result))
    return std::move(*problem);
  return std::get<Program>(result).evaluate<double>(nullptr);
}

std::variant<TimeFunction, Problem> Expressions::function(std::string_view text) const {
  if (plain_number(text) || !uses(text, time_name)) {
    auto constant = evaluate(text);
    if (auto* problem = std::get_if<Problem>(&constant))
      return std::move(*problem);
    return TimeFunction(std::get<double>(constant));
  }
  auto result = compiled(text, true);
  if (auto* problem = std::get_if<Problem>(&result))
    return std::move(*problem);
  return TimeFunction(OfTime{std::get<Program>(std::move(result))});
}

void Expressions::define(const std::string& name, double value) {
  assert(is_name(name) && !is_reserved(name) && name.size() <= longest_name);
  parameters_[name] = value;
}

bool Expressions::is_defined(const std::string& name) const {
  return parameters_.count(name) > 0;
}

void Expressions::forget(const std::string& name) {
  parameters_.erase(name);
}

std::vector<std::string> Expressions::names() const {
  std::vector<std::string> result;
  for (const auto& parameter : parameters_)
    result.push_back(parameter.first);
  for (const Function& f : functions())
    result.emplace_back(f.name);
  for (const Constant& c : constants())
    result.emplace_back(c.name);
  std::sort(result.begin(), result.end());
  return result;
}

bool Expressions::is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && name_end(text, 0) == text.size();
}

std::string Expressions::meaning(std::string_view name) {
  if (name == time_name)
    return "the time";
  if (find_function(name) != nullptr)
    return "a function";
  const Constant* constant = find_constant(name);
  return constant != nullptr ? constant->meaning : "";
}

bool Expressions::uses(std::string_view text, std::string_view name) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::max(number_end(text, i), name_end(text, i));
    if (text.substr(i, end - i) == name)
      return true;
    i = std::max(end, i + 1);
  }
  return false;
}

} // namespace emmy
