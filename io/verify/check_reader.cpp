#include "io/verify/check_reader.hpp"

#include "io/deck/hints.hpp"
#include "io/verify/schema.hpp"

#include <algorithm>

namespace emmy::verify {

using deck::Fields;
using deck::Member;
using deck::Node;
using deck::Span;
using deck::span_of;

Settings read_settings(deck::Reading& reading, const Fields& fields) {
  Settings settings;
  const Node* node = fields.node("set");
  if (node == nullptr)
    return settings;
  if (!node->is_map()) {
    report_wrong_kind(reading, *node, fields.target("set"));
    return settings;
  }
  for (const Member& member : node->members)
    if (member.value->is_scalar())
      settings.emplace_back(member.key, member.value->text);
    else
      reading.diagnostics.error(span_of(*member.value), deck::quoted(member.key) + " is not a single value",
                                {"expected a value as after --set, in quotes when it is a list or a map"});
  return settings;
}

namespace {

/// Fields that belong to some measures only.
struct Companion {
  const char* name;
  std::vector<std::string> measures;
};
const std::vector<std::string> in_a_window = {"difference", "agreement", "period", "maximum", "time_of_maximum",
                                              "minimum",    "drift",     "rise",   "integral"};
const std::vector<Companion> companions = {
    {"at", {"value", "difference"}},
    {"from", in_a_window},
    {"to", in_a_window},
    {"reference", {"difference"}},
    {"reference_run", {"difference"}},
    {"norm", {"difference", "agreement"}},
    {"says", {"exit"}},
};

class CheckReader {
public:
  CheckReader(deck::Reading& reading, const Case& owner, const std::string& folder, const Fields& fields)
      : reading_(reading), case_(owner), folder_(folder), fields_(fields) {}

  Check read();

private:
  void error(const Span& at, const std::string& message, std::vector<std::string> notes = {}) {
    reading_.diagnostics.error(at, message, std::move(notes));
  }
  bool is_given(const char* name) const { return fields_.is_given(name); }
  void need(const char* name, const std::string& with) {
    if (!is_given(name))
      error(fields_.at(), "missing entry '" + std::string(name) + "' of " + fields_.owner(), {"needed with " + with});
  }
  void refuse(const char* name, const std::string& with) {
    if (is_given(name))
      error(fields_.key_at(name), "'" + std::string(name) + "' of " + fields_.owner() + " does not go with " + with);
  }
  std::size_t run(const char* name);
  std::optional<Formula> formula(const Node& node);
  std::optional<Formula> formula(const Span& at, std::string_view text, const Node* node);
  void check_names(const Formula& formula, const Table* table, const Span& at);
  void read_measure(const std::string& measure);
  void read_difference();
  void read_reference();
  void read_window();
  void read_variation();
  std::optional<double> number(const char* name);
  void read_limit();

  deck::Reading& reading_;
  const Case& case_;
  const std::string& folder_;
  const Fields& fields_;
  Check check_;
};

std::size_t CheckReader::run(const char* name) {
  const auto wanted = fields_.text(name);
  if (!wanted) {
    if (std::string(name) == "run" && case_.runs.size() > 1)
      need("run", "several runs");
    return 0;
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < case_.runs.size(); ++i) {
    if (case_.runs[i].name == *wanted)
      return i;
    known.push_back(case_.runs[i].name);
  }
  error(span_of(*fields_.node(name)), "there is no run " + deck::quoted(*wanted), deck::notes_for(*wanted, known));
  return 0;
}

std::optional<Formula> CheckReader::formula(const Span& at, std::string_view text, const Node* node) {
  try {
    return Formula(std::string(text));
  } catch (const FormulaError& problem) {
    error(node != nullptr ? span_of(*node, problem.offset, 1) : at,
          deck::quoted(text) + " of " + fields_.owner() + " is not a formula", {problem.what()});
    return std::nullopt;
  }
}

std::optional<Formula> CheckReader::formula(const Node& node) {
  if (node.is_scalar())
    return formula(span_of(node), node.text, &node);
  error(span_of(node), "a formula of " + fields_.owner() + " is not a single value", {"expected a formula"});
  return std::nullopt;
}

/// Names of runs' columns are known only after the run; all others are known now.
void CheckReader::check_names(const Formula& formula, const Table* table, const Span& at) {
  try {
    const RowFormula bound(formula, table, case_.parameters);
  } catch (const SeriesError& problem) {
    error(at, problem.what());
  }
}

void CheckReader::read_reference() {
  if (is_given("reference_run"))
    check_.reference_run = run("reference_run");
  if (const auto file = fields_.text("reference")) {
    try {
      const std::string path = folder_ + "/" + *file;
      check_.reference = check_.of_impacts ? Table::read_impacts(path) : Table::read(path);
    } catch (const SeriesError& problem) {
      error(span_of(*fields_.node("reference")), problem.what());
    }
  }
}

void CheckReader::read_difference() {
  read_reference();
  const Node& node = *fields_.node("difference");
  std::vector<const Node*> points;
  if (node.is_list())
    for (const Member& member : node.members)
      points.push_back(member.value);
  else
    points.push_back(&node);
  for (const Node* point : points) {
    if (!point->is_map()) {
      error(span_of(*point), "'difference' of " + fields_.owner() + " is not a map",
            {"expected {formula of the run: formula of what is expected, ...}, or a list of such maps"});
      continue;
    }
    std::vector<Component>& components = check_.points.emplace_back();
    for (const Member& member : point->members) {
      const auto found = formula(member.key_at, member.key, nullptr);
      const auto expected = formula(*member.value);
      if (!found || !expected)
        continue;
      const bool reference_failed = is_given("reference") && !check_.reference;
      if (!check_.reference_run && !reference_failed)
        check_names(*expected, check_.reference ? &*check_.reference : nullptr, span_of(*member.value));
      components.push_back({*found, *expected});
    }
  }
}

void CheckReader::read_measure(const std::string& measure) {
  const auto& names = measure_names();
  check_.kind = static_cast<Kind>(std::find(names.begin(), names.end(), measure) - names.begin());
  for (const Companion& companion : companions)
    if (std::find(companion.measures.begin(), companion.measures.end(), measure) == companion.measures.end())
      refuse(companion.name, deck::quoted(measure));
  if (measure == "audit") {
    check_.figure = fields_.text("audit").value_or("");
  } else if (measure == "difference") {
    read_difference();
  } else if (measure == "exit") {
    check_.exit_code = fields_.integer("exit").value_or(0);
    check_.says = fields_.text("says").value_or("");
    for (const char* name : {"over", "expect", "slope", "ratio", "relative_to"})
      refuse(name, "'exit'");
  } else {
    const Node& node = *fields_.node(measure);
    std::vector<const Node*> formulas = {&node};
    if (measure == "agreement" && node.is_list()) {
      formulas.clear();
      for (const Member& member : node.members)
        formulas.push_back(member.value);
    }
    for (const Node* text : formulas)
      if (const auto quantity = formula(*text))
        check_.quantities.push_back(*quantity);
  }
  if (measure == "value")
    need("at", "'value'");
  if (measure == "agreement") {
    need("over", "'agreement'");
    refuse("ratio", "'agreement', which is zero for the first value");
  }
}

void CheckReader::read_window() {
  if (const auto at = fields_.number("at")) {
    check_.from = check_.to = *at;
    refuse("from", "'at'");
    refuse("to", "'at'");
    return;
  }
  check_.from = fields_.number("from").value_or(check_.from);
  check_.to = fields_.number("to").value_or(check_.to);
}

void CheckReader::read_variation() {
  if (!is_given("over")) {
    refuse("values", "a single run");
    refuse("slope", "a single run; give 'over' and 'values'");
    refuse("ratio", "a single run; give 'over' and 'values'");
    return;
  }
  check_.over = fields_.text("over").value_or("");
  need("values", "'over'");
  if (!is_given("values"))
    return;
  const Node& node = *fields_.node("values");
  if (!node.is_list() || node.members.size() < 2) {
    error(span_of(node), "'values' of " + fields_.owner() + " is not a list of two or more values");
    return;
  }
  if (is_given("ratio") && node.members.size() != 2) {
    error(span_of(node), "'values' of " + fields_.owner() + " has " + std::to_string(node.members.size()) + " values",
          {"expected two, the first over the second of which is the 'ratio'"});
    return;
  }
  deck::Field size = deck::field("values", deck::Type::number, "1", "").within(deck::above(0));
  for (const Member& member : node.members) {
    if (!member.value->is_scalar()) {
      error(span_of(*member.value), "one of the 'values' of " + fields_.owner() + " is not a single value");
      continue;
    }
    check_.values.emplace_back(member.value->text);
    if (is_given("slope"))
      check_.sizes.push_back(read_number(reading_, *member.value, {size, fields_.owner()}).value_or(1));
  }
}

/// The value of a formula of parameters; nothing when it is not given, or after an error.
std::optional<double> CheckReader::number(const char* name) {
  if (!is_given(name))
    return std::nullopt;
  const Node& node = *fields_.node(name);
  const auto text = formula(node);
  if (!text)
    return std::nullopt;
  check_names(*text, nullptr, span_of(node));
  if (reading_.diagnostics.has_errors())
    return std::nullopt;
  return RowFormula(*text, nullptr, case_.parameters).at_time(0);
}

void CheckReader::read_limit() {
  if (is_given("exit"))
    return;
  check_.relative_to = fields_.text("relative_to").value_or("");
  const std::optional<double> expect = number("expect"), ratio = number("ratio");
  if (is_given("at_most")) {
    check_.limit = fields_.number("at_most").value_or(0);
    refuse("expect", "'at_most'");
    refuse("slope", "'at_most'");
    refuse("ratio", "'at_most'");
    return;
  }
  check_.limit = fields_.number("within").value_or(0);
  if (is_given("slope")) {
    check_.is_slope = true;
    check_.expected = fields_.number("slope");
    check_.target = expect.value_or(0);
    return;
  }
  if (is_given("ratio")) {
    check_.is_ratio = true;
    check_.expected = ratio;
    check_.target = expect.value_or(0);
    return;
  }
  check_.expected = expect;
  if (is_given("within"))
    need("expect", "'within'");
}

Check CheckReader::read() {
  check_.because = fields_.text("because").value_or("");
  check_.norm = fields_.choice("norm") == "rms" ? Norm::rms : Norm::max;
  check_.run = run("run");
  check_.of_impacts = fields_.choice("table") == "impacts";
  check_.set = read_settings(reading_, fields_);
  for (const std::string& name : measure_names())
    if (fields_.is_given(name)) {
      read_measure(name);
      break;
    }
  read_window();
  read_variation();
  read_limit();
  return check_;
}

} // namespace

Check read_check(deck::Reading& reading, const Case& owner, const std::string& folder, const std::string& name,
                 const Node& node, const Span& at) {
  const Fields fields(reading, check_entry(), &node, at, "check " + deck::quoted(name));
  Check check;
  if (fields.is_map())
    check = CheckReader(reading, owner, folder, fields).read();
  check.name = name;
  check.where = location(at);
  return check;
}

} // namespace emmy::verify
