#include "io/verify/report.hpp"

#include "core/counted.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <cmath>

namespace emmy::verify {

namespace {

constexpr std::size_t got_width = 18;    ///< sign, 0. and 15 digits
constexpr std::size_t longest_text = 28; ///< of what a run is to say, as shown in the table

std::string padded(const std::string& text, std::size_t width) {
  const auto length = static_cast<std::size_t>(deck::character_count(text));
  return text + std::string(length < width ? width - length : 0, ' ');
}

/// As many digits as the limit can tell apart.
std::string number_text(double value, double limit) {
  if (!std::isfinite(value))
    return "-";
  const double size = std::max(std::abs(value), limit);
  if (limit == 0 || size == 0)
    return formatted("%.10g", value);
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(size / limit))) + 1, 2, 15);
  return formatted("%#.*g", digits, value);
}

std::string expected_text(const Check& check) {
  if (check.kind == Kind::exit && !check.says.empty())
    return "'" + (check.says.size() > longest_text ? check.says.substr(0, longest_text) + "..." : check.says) + "'";
  if (check.kind == Kind::exit)
    return formatted("exit code %d", check.exit_code);
  if (check.is_slope)
    return "slope " + number_text(*check.expected, check.limit);
  if (check.is_ratio)
    return "ratio " + number_text(*check.expected, check.limit);
  return check.expected ? number_text(*check.expected, check.limit) : "";
}

std::string limit_text(const Check& check) {
  if (check.kind == Kind::exit)
    return "";
  return formatted("%s %.3g", check.expected ? "±" : "≤", check.limit);
}

std::string got_text(const Row& row) {
  if (row.check->kind == Kind::exit)
    return formatted("exit code %.0f", row.outcome.got);
  if (row.check->expected)
    return number_text(row.outcome.got, row.check->limit);
  return std::isfinite(row.outcome.got) ? formatted("%.3g", row.outcome.got) : "-";
}

} // namespace

TableText::TableText(const std::vector<Case>& cases) {
  const auto widen = [](std::size_t& width, const std::string& text) {
    width = std::max(width, static_cast<std::size_t>(deck::character_count(text)));
  };
  for (const Case& c : cases)
    for (const Check& check : c.checks) {
      widen(name_, c.name);
      widen(quantity_, check.name);
      widen(expected_, expected_text(check));
      widen(limit_, limit_text(check));
    }
}

std::string TableText::line(const std::string& name, const std::string& quantity, const std::string& expected,
                            const std::string& got, const std::string& limit, const std::string& result) const {
  return padded(name, name_) + "  " + padded(quantity, quantity_) + "  " + padded(expected, expected_) + "  " +
         padded(got, got_width) + "  " + padded(limit, limit_) + "  " + result + "\n";
}

std::string TableText::header() const {
  const std::size_t width = name_ + quantity_ + expected_ + got_width + limit_ + 6 + 5 * 2;
  return line("case", "quantity", "expected", "got", "limit", "result") + std::string(width, '-') + "\n";
}

std::string TableText::row(const Row& row) const {
  const Check& check = *row.check;
  std::string text = line(row.owner->name, check.name, expected_text(check), got_text(row), limit_text(check),
                          row.outcome.passed ? "pass" : "FAIL");
  if (row.outcome.passed)
    return text;
  if (!row.outcome.message.empty())
    text += "    " + row.outcome.message + "\n";
  return text + formatted("    %s:%d: this limit, because ", check.where.file.c_str(), check.where.line) +
         check.because + "\n";
}

nlohmann::ordered_json report_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json report;
  const auto passed = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.outcome.passed; });
  report["passed"] = passed;
  report["failed"] = static_cast<long>(rows.size()) - passed;
  report["checks"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry;
    entry["case"] = row.owner->name;
    entry["quantity"] = row.check->name;
    entry["expected"] = nullptr;
    if (row.check->kind == Kind::exit)
      entry["expected"] = row.check->exit_code;
    else if (row.check->expected)
      entry["expected"] = *row.check->expected;
    entry["got"] = row.outcome.got; // null when not a number
    entry["limit"] = row.check->limit;
    entry["passed"] = row.outcome.passed;
    entry["because"] = row.check->because;
    if (!row.outcome.message.empty())
      entry["message"] = row.outcome.message;
    report["checks"].push_back(entry);
  }
  return report;
}

std::string list_text(const std::vector<Case>& cases) {
  std::size_t width = 0;
  for (const Case& c : cases)
    width = std::max(width, c.name.size());
  std::string text;
  for (const Case& c : cases)
    text += padded(c.name, width) + "  " + c.title + " (" + counted(c.checks.size(), "check", "checks") + ")\n";
  return text;
}

std::string closing_line(const std::vector<Row>& rows) {
  const auto passed = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.outcome.passed; });
  return formatted("%ld passed, %ld failed\n", static_cast<long>(passed),
                   static_cast<long>(rows.size()) - static_cast<long>(passed));
}

} // namespace emmy::verify
