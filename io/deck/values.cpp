#include "io/deck/values.hpp"

#include "core/counted.hpp"
#include "io/deck/hints.hpp"
#include "io/deck/repeat.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy::deck {

void report_wrong_kind(Reading& reading, const Node& node, const Target& target) {
  std::string found;
  switch (node.kind) {
  case Node::Kind::null:
    found = " has no value";
    break;
  case Node::Kind::scalar:
    found = " is " + quoted(node.text);
    break;
  case Node::Kind::list:
    found = " is a list";
    break;
  case Node::Kind::map:
    found = " is a map";
    break;
  }
  reading.diagnostics.error(span_of(node), target.describe() + found, {"expected " + target.field.expected()});
}

namespace {

/// Expressions are written in scalars; false after a reported error.
bool is_expression(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar()) { // what uses a parameter whose name was refused is not reported once more
    const std::vector<std::string>& refused = reading.misnamed_parameters;
    return std::none_of(refused.begin(), refused.end(),
                        [&](const std::string& name) { return Expressions::uses(node.text, name); });
  }
  // A component that is itself a list: the field's own form would mislead.
  if (target.component > 0)
    reading.diagnostics.error(span_of(node), target.describe() + " is not a number",
                              {"expected " + target.field.expected()});
  else
    report_wrong_kind(reading, node, target);
  return false;
}

void report_problem(Reading& reading, const Node& node, const Target& target, const Expressions::Problem& problem) {
  std::vector<std::string> notes = {"expected " + target.field.expected()};
  if (!problem.unknown.empty())
    if (const std::string guess = nearest(problem.unknown, reading.expressions.names()); !guess.empty())
      notes.push_back("did you mean " + quoted(guess) + "?");
  if (reading.later_parameters.count(problem.unknown) > 0)
    notes = {quoted(problem.unknown) + " is declared below: a parameter may use those above it"};
  reading.diagnostics.error(span_of(node, problem.offset, problem.length), problem.message + " in " + target.describe(),
                            notes);
}

} // namespace

std::optional<TimeFunction> read_function(Reading& reading, const Node& node, const Target& target) {
  if (!is_expression(reading, node, target))
    return std::nullopt;
  const auto result = reading.expressions.function(node.text);
  if (const auto* function = std::get_if<TimeFunction>(&result)) {
    if (target.field.unit == "rad")
      suspect_degrees(reading, node, target);
    return *function;
  }
  report_problem(reading, node, target, std::get<Expressions::Problem>(result));
  return std::nullopt;
}

std::optional<double> read_number(Reading& reading, const Node& node, const Target& target) {
  if (!is_expression(reading, node, target))
    return std::nullopt;
  const auto result = reading.expressions.evaluate(node.text);
  if (const auto* problem = std::get_if<Expressions::Problem>(&result)) {
    report_problem(reading, node, target, *problem);
    return std::nullopt;
  }
  const double value = std::get<double>(result);
  if (!target.field.allowed.contains(value)) {
    reading.diagnostics.error(span_of(node),
                              target.describe() + " is " + number_text(value) + target.field.unit_suffix(),
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  if (target.field.unit == "rad")
    suspect_degrees(reading, node, target);
  return value;
}

std::optional<int> read_integer(Reading& reading, const Node& node, const Target& target) {
  const auto value = read_number(reading, node, target);
  if (!value)
    return std::nullopt;
  if (*value != std::round(*value) || std::abs(*value) > std::numeric_limits<int>::max()) {
    reading.diagnostics.error(span_of(node), target.describe() + " is " + number_text(*value),
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::optional<bool> read_flag(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar() && (node.text == "true" || node.text == "false"))
    return node.text == "true";
  report_wrong_kind(reading, node, target);
  return std::nullopt;
}

std::optional<std::string> read_text(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar())
    return std::string(node.text);
  report_wrong_kind(reading, node, target);
  return std::nullopt;
}

std::optional<std::string> read_choice(Reading& reading, const Node& node, const Target& target) {
  const Field& field = target.field;
  if (!node.is_scalar()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const std::string word(node.text);
  const auto is_in = [&](const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is_in(field.choices))
    return word;
  const std::string of_owner = target.owner.empty() ? "" : " of " + target.owner;
  if (is_in(field.later)) {
    reading.diagnostics.error(span_of(node),
                              "the " + field.name + " " + quoted(word) + of_owner +
                                  " is not served yet by this version of emmy",
                              notes_for("", field.choices));
    return std::nullopt;
  }
  reading.diagnostics.error(span_of(node), "unknown " + field.name + " " + quoted(word) + of_owner,
                            notes_for(word, field.choices));
  return std::nullopt;
}

std::optional<std::vector<double>> read_numbers(Reading& reading, const Node& node, const Target& target,
                                                std::size_t count) {
  if (!node.is_list()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  if (node.members.size() != count) {
    reading.diagnostics.error(span_of(node),
                              target.describe() + " has " + counted(node.members.size(), "component", "components"),
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    if (const auto value =
            read_number(reading, *node.members[i].value, {target.field, target.owner, static_cast<int>(i) + 1}))
      values.push_back(*value);
  if (values.size() != count)
    return std::nullopt;
  return values;
}

std::optional<std::vector<double>> read_ascending(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_list()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  auto values = read_numbers(reading, node, target, node.members.size());
  for (std::size_t i = 1; values && i < values->size(); ++i)
    if (!((*values)[i] > (*values)[i - 1])) {
      const std::string unit = target.field.unit_suffix();
      reading.diagnostics.error(span_of(*node.members[i].value),
                                Target{target.field, target.owner, static_cast<int>(i) + 1}.describe() + " is " +
                                    number_text((*values)[i]) + unit + ", after " + number_text((*values)[i - 1]) +
                                    unit,
                                {"expected " + target.field.expected()});
      return std::nullopt;
    }
  return values;
}

std::optional<Vec3> read_vector(Reading& reading, const Node& node, const Target& target) {
  const auto values = read_numbers(reading, node, target, 3);
  if (!values)
    return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<Mat3> read_matrix(Reading& reading, const Node& node, const Target& target) {
  const auto is_row = [](const Member& m) { return m.value->is_list() && m.value->members.size() == 3; };
  if (!node.is_list() || node.members.size() != 3 || !std::all_of(node.members.begin(), node.members.end(), is_row)) {
    reading.diagnostics.error(span_of(node), target.describe() + " is not three rows of three numbers",
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  Mat3 matrix;
  bool complete = true;
  for (Index i = 0; i < 3; ++i) {
    const auto row = read_vector(reading, *node.members[static_cast<std::size_t>(i)].value, target);
    complete = complete && row.has_value();
    if (row)
      matrix.row(i) = row->transpose();
  }
  if (!complete)
    return std::nullopt;
  return matrix;
}

std::optional<Mat6> read_matrix6(Reading& reading, const Node& node, const Target& target) {
  Mat6 matrix = Mat6::Zero();
  if (node.is_list() && !node.members.empty() && node.members.front().value->is_list()) {
    bool complete = node.members.size() == 6;
    for (std::size_t i = 0; i < 6 && complete; ++i) {
      const auto row = read_numbers(reading, *node.members[i].value, target, 6);
      if (!row)
        return std::nullopt;
      matrix.row(static_cast<Index>(i)) = Eigen::Map<const Eigen::Matrix<double, 1, 6>>(row->data());
    }
    if (!complete) {
      reading.diagnostics.error(span_of(node), target.describe() + " is not six rows of six numbers",
                                {"expected " + target.field.expected()});
      return std::nullopt;
    }
  } else {
    const auto diagonal = read_numbers(reading, node, target, 6);
    if (!diagonal)
      return std::nullopt;
    matrix.diagonal() = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(diagonal->data());
  }
  constexpr double typed = 1e-9; // as for inertia
  const double size = matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > typed * size) {
    reading.diagnostics.error(span_of(node), target.describe() + " is not symmetric", {"expected a symmetric matrix"});
    return std::nullopt;
  }
  matrix = (matrix + matrix.transpose()).eval() / 2;
  const double least = Eigen::SelfAdjointEigenSolver<Mat6>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (least < -typed * size) {
    reading.diagnostics.error(span_of(node), target.describe() + " has the negative eigenvalue " + number_text(least),
                              {"expected a matrix that is positive, or zero in some directions"});
    return std::nullopt;
  }
  return matrix;
}

std::optional<double> read_stiffness(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar() && node.text == "rigid")
    return std::numeric_limits<double>::infinity();
  return read_number(reading, node, target);
}

std::optional<double> read_step_size(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar() && node.text == "auto")
    return std::numeric_limits<double>::infinity();
  return read_number(reading, node, target);
}

std::optional<int> read_joint_name(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_scalar()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const std::string copy = meant(reading, reading.joints, node.text);
  const int index = reading.joints.find(copy);
  if (index >= 0)
    return index;
  std::vector<std::string> notes = {"there are no joints in this deck"};
  if (!reading.joints.list().empty())
    notes = notes_for_name(reading, reading.joints, node.text);
  reading.diagnostics.error(span_of(node), "unknown joint " + quoted(copy) + " in " + target.describe(), notes);
  return std::nullopt;
}

std::optional<Vec3> read_axis(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar()) {
    const std::string_view word = node.text;
    const bool negative = !word.empty() && word[0] == '-';
    const std::string_view letter = negative ? word.substr(1) : word;
    if (letter == "x" || letter == "y" || letter == "z") {
      const Vec3 axis = Vec3::Unit(letter[0] - 'x');
      return negative ? Vec3(-axis) : axis;
    }
  }
  const auto vector = read_vector(reading, node, target);
  if (!vector)
    return std::nullopt;
  if (vector->stableNorm() == 0) {
    reading.diagnostics.error(span_of(node), target.describe() + " is a vector of length zero",
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  return vector->stableNormalized();
}

std::optional<Mat3> read_inertia(Reading& reading, const Node& node, const Target& target) {
  Mat3 J = Mat3::Zero();
  if (node.is_list() && !node.members.empty() && node.members.front().value->is_list()) {
    const auto rows = read_matrix(reading, node, target);
    if (!rows)
      return std::nullopt;
    J = *rows;
  } else {
    const bool six = node.is_list() && node.members.size() == 6;
    const auto n = read_numbers(reading, node, target, six ? 6 : 3);
    if (!n)
      return std::nullopt;
    J.diagonal() = Vec3((*n)[0], (*n)[1], (*n)[2]);
    if (six) {
      J(0, 1) = J(1, 0) = (*n)[3];
      J(0, 2) = J(2, 0) = (*n)[4];
      J(1, 2) = J(2, 1) = (*n)[5];
    }
  }
  // Values are typed with a few digits: what nine digits cannot tell apart is taken as equal.
  constexpr double typed = 1e-9;
  if ((J - J.transpose()).cwiseAbs().maxCoeff() > typed * J.cwiseAbs().maxCoeff()) {
    reading.diagnostics.error(span_of(node), target.describe() + " is not symmetric", {"expected Jxy = Jyx and so on"});
    return std::nullopt;
  }
  J = (J + J.transpose()).eval() / 2;
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  const std::string moments = number_text(principal[0]) + ", " + number_text(principal[1]) + ", " +
                              number_text(principal[2]) + target.field.unit_suffix();
  if (principal[0] <= typed * std::abs(principal[2])) {
    reading.diagnostics.error(span_of(node),
                              target.describe() + " is not positive definite: principal moments " + moments,
                              {"expected three positive principal moments"});
    return std::nullopt;
  }
  return J;
}

bool check_triangle(Reading& reading, const Node& node, const Target& target, const Mat3& J) {
  constexpr double typed = 1e-9;
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  if (principal[2] <= (principal[0] + principal[1]) * (1 + typed))
    return true;
  reading.diagnostics.error(
      span_of(node),
      target.describe() + " violates the triangle inequality: principal moments " + number_text(principal[0]) + ", " +
          number_text(principal[1]) + ", " + number_text(principal[2]) + target.field.unit_suffix(),
      {"expected no principal moment larger than the sum of the other two, as for any distribution of mass",
       "a frame body turns with them all the same, if you mean it: 'unphysical_inertia: true'"});
  return false;
}

std::optional<Selection> read_selection(Reading& reading, const Node& node, const Target& target, const Names& known) {
  Selection selection;
  selection.all = node.is_scalar() && node.text == "all";
  if (selection.all || (node.is_scalar() && node.text == "none"))
    return selection;
  if (!node.is_scalar() && !node.is_list()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const auto notes = [&](std::string_view name) -> std::vector<std::string> {
    if (known.list().empty())
      return {"there are none in this deck"};
    return reading.diagnostics.is_full() ? std::vector<std::string>{} : notes_for(name, known.list());
  };
  const auto take = [&](const Node& item) {
    if (item.is_scalar() && known.find(item.text) >= 0)
      selection.names.emplace_back(item.text);
    else if (item.is_scalar() && known.copies(item.text) != nullptr)
      for (const std::string& copy : copies_of(known, item.text))
        selection.names.push_back(copy);
    else if (!item.is_scalar())
      report_wrong_kind(reading, item, target);
    else
      reading.diagnostics.error(span_of(item), "unknown name " + quoted(item.text) + " in " + target.describe(),
                                notes(item.text));
  };
  if (node.is_scalar())
    take(node);
  for (const Member& member : node.members)
    take(*member.value);
  return selection;
}

} // namespace emmy::deck
