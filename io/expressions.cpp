#include "io/expressions.hpp"

#include <muParser.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_set>

namespace emmy {

namespace {

constexpr double pi = 3.141592653589793238462643383279502884;

using Unary = double (*)(double);
struct NamedFunction {
  const char* name;
  Unary function;
};

const NamedFunction functions[] = {
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"ln", [](double x) { return std::log(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"abs", [](double x) { return std::abs(x); }},
    {"sign", [](double x) { return static_cast<double>((x > 0) - (x < 0)); }},
    {"step", [](double x) { return x < 0 ? 0.0 : 1.0; }},
};
constexpr const char* further_functions[] = {"atan2", "min", "max"};

struct NamedConstant {
  const char* name;
  double value;
  const char* meaning;
};
constexpr const char* time_name = "t";
const NamedConstant constants[] = {{"pi", pi, "the constant 3.14159"},
                                   {"e", std::exp(1.0), "Euler's number, 2.71828"},
                                   {"deg", pi / 180, "a degree, pi/180"}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// End of the name or of the number that starts at `i`.
std::size_t name_end(std::string_view text, std::size_t i) {
  while (i < text.size() && (is_letter(text[i]) || is_digit(text[i])))
    ++i;
  return i;
}
std::size_t number_end(std::string_view text, std::size_t i) {
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), ignored);
  return error == std::errc::invalid_argument ? i : static_cast<std::size_t>(end - text.data());
}

bool is_function(std::string_view name) {
  return std::any_of(std::begin(functions), std::end(functions), [&](const auto& f) { return name == f.name; }) ||
         std::find(std::begin(further_functions), std::end(further_functions), name) != std::end(further_functions);
}

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

std::string describe(const mu::Parser::exception_type& error) {
  const std::string& token = error.GetToken();
  switch (error.GetCode()) {
  case mu::ecUNEXPECTED_EOF:
    return "the expression ends too early";
  case mu::ecMISSING_PARENS:
    return "a ')' is missing";
  case mu::ecUNEXPECTED_PARENS:
  case mu::ecUNEXPECTED_OPERATOR:
  case mu::ecUNEXPECTED_ARG_SEP:
  case mu::ecUNEXPECTED_VAL:
  case mu::ecUNEXPECTED_VAR:
  case mu::ecUNEXPECTED_FUN:
  case mu::ecUNEXPECTED_ARG:
    return token.empty() ? "this is not arithmetic" : "unexpected " + quote(token);
  case mu::ecTOO_MANY_PARAMS:
    return "too many arguments of a function";
  case mu::ecTOO_FEW_PARAMS:
    return "too few arguments of a function";
  default:
    return "this is not arithmetic";
  }
}

} // namespace

struct Expressions::Implementation {
  mutable mu::Parser parser; // evaluating compiles, but changes nothing that a caller can see
  std::unordered_set<std::string> parameters;
};

Expressions::Expressions() : implementation_(std::make_unique<Implementation>()) {
  mu::Parser& parser = implementation_->parser;
  parser.ClearFun();
  parser.ClearConst();
  for (const NamedFunction& f : functions)
    parser.DefineFun(f.name, f.function);
  parser.DefineFun(
      "atan2", +[](double y, double x) { return std::atan2(y, x); });
  parser.DefineFun(
      "min", +[](const double* x, int n) { return *std::min_element(x, x + n); });
  parser.DefineFun(
      "max", +[](const double* x, int n) { return *std::max_element(x, x + n); });
  for (const NamedConstant& c : constants)
    parser.DefineConst(c.name, c.value);
}

Expressions::~Expressions() = default;
Expressions::Expressions(Expressions&&) noexcept = default;
Expressions& Expressions::operator=(Expressions&&) noexcept = default;

std::optional<Expressions::Problem> Expressions::fault(std::string_view text, bool of_time) const {
  const auto problem = [&](std::string message, std::size_t offset, std::size_t length) {
    return Problem{std::move(message), offset, length, ""};
  };
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return problem("the expression is empty", 0, text.size());
  if (spells_non_finite(text))
    return problem(quote(text) + " is not a finite number", 0, text.size());
  if (text.size() > 2000)
    return problem("the expression is longer than 2000 characters", 0, 1);

  // Names are checked here because muParser knows neither the place nor the intention.
  int open = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_digit(c) || (c == '.' && i + 1 < text.size() && is_digit(text[i + 1]))) {
      const std::size_t end = number_end(text, i), letters_end = name_end(text, end);
      if (std::isinf(std::strtod(std::string(text.substr(i, end - i)).c_str(), nullptr)))
        return problem(quote(text.substr(i, end - i)) + " is not a finite number", i, end - i);
      if (letters_end > end)
        return problem("unexpected " + quote(text.substr(end, letters_end - end)) + " after a number", end,
                       letters_end - end);
      i = end;
    } else if (is_letter(c)) {
      const std::size_t end = name_end(text, i);
      const std::string name(text.substr(i, end - i));
      if (name == time_name && !of_time)
        return problem("the time 't' is not known", i, end - i);
      if (!is_reserved(name) && implementation_->parameters.count(name) == 0)
        return Problem{"unknown name " + quote(name), i, end - i, name};
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      if (is_function(name) && (next == std::string_view::npos || text[next] != '('))
        return problem("the function " + quote(name) + " has no arguments", i, end - i);
      i = end;
    } else if (is_space(c) || (c == ',' && open > 0) || std::string_view("+-*/^()").find(c) != std::string_view::npos) {
      open += (c == '(') - (c == ')');
      ++i;
    } else {
      std::size_t length = 1;
      while (i + length < text.size() && (text[i + length] & 0xC0) == 0x80)
        ++length;
      return problem("unexpected " + quote(text.substr(i, length)), i, length);
    }
  }
  return std::nullopt;
}

namespace {

/// The value of a text whose names are known; `moment` says at which time, where that matters.
std::variant<double, Expressions::Problem> value_of(mu::Parser& parser, std::string_view text, const char* moment) {
  const auto problem = [&](std::string message) {
    return Expressions::Problem{std::move(message), 0, text.size(), ""};
  };
  try {
    int results = 0;
    const double value = parser.Eval(results)[0];
    if (results != 1)
      return problem("the expression has several values");
    if (!std::isfinite(value))
      return problem(quote(text) + " is not a finite number" + moment);
    return value;
  } catch (const mu::Parser::exception_type& error) {
    return problem(describe(error));
  }
}

/// An expression of its own with the variable t.
struct Compiled {
  explicit Compiled(const mu::Parser& names) : parser(names) { parser.DefineVar(time_name, &t); }
  mu::Parser parser;
  double t = 0;
};

} // namespace

std::variant<double, Expressions::Problem> Expressions::evaluate(std::string_view text) const {
  if (const auto value = plain_number(text))
    return *value;
  if (auto problem = fault(text, false))
    return std::move(*problem);
  implementation_->parser.SetExpr(std::string(text));
  return value_of(implementation_->parser, text, "");
}

std::variant<TimeFunction, Expressions::Problem> Expressions::function(std::string_view text) const {
  if (plain_number(text) || !uses(text, time_name)) {
    auto constant = evaluate(text);
    if (auto* problem = std::get_if<Problem>(&constant))
      return std::move(*problem);
    return TimeFunction(std::get<double>(constant));
  }
  if (auto problem = fault(text, true))
    return std::move(*problem);
  const auto compiled = std::make_shared<Compiled>(implementation_->parser);
  compiled->parser.SetExpr(std::string(text));
  auto first = value_of(compiled->parser, text, " at t = 0");
  if (auto* problem = std::get_if<Problem>(&first))
    return std::move(*problem);
  return TimeFunction([compiled](double t) {
    compiled->t = t;
    return compiled->parser.Eval();
  });
}

void Expressions::define(const std::string& name, double value) {
  static_assert(longest_name <= static_cast<std::size_t>(mu::MaxLenIdentifier));
  assert(is_name(name) && !is_reserved(name) && name.size() <= longest_name);
  implementation_->parser.DefineConst(name, value);
  implementation_->parameters.insert(name);
}

bool Expressions::is_defined(const std::string& name) const {
  return implementation_->parameters.count(name) > 0;
}

void Expressions::forget(const std::string& name) {
  implementation_->parameters.erase(name); // names are looked up here first, so that the parser may keep it
}

std::vector<std::string> Expressions::names() const {
  std::vector<std::string> result(implementation_->parameters.begin(), implementation_->parameters.end());
  for (const NamedFunction& f : functions)
    result.emplace_back(f.name);
  for (const char* name : further_functions)
    result.emplace_back(name);
  for (const NamedConstant& c : constants)
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
  if (is_function(name))
    return "a function";
  for (const NamedConstant& constant : constants)
    if (name == constant.name)
      return constant.meaning;
  return {};
}

bool Expressions::uses(std::string_view text, std::string_view name) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end =
        is_digit(text[i]) || text[i] == '.' ? std::max(number_end(text, i), i + 1) : name_end(text, i);
    if (text.substr(i, end - i) == name)
      return true;
    i = std::max(end, i + 1);
  }
  return false;
}

} // namespace emmy
