#pragma once
/// The table of checks for a person, and verification.json for programs.

#include "io/verify/evaluate.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace emmy::verify {

struct Row {
  const Case* owner = nullptr;
  const Check* check = nullptr;
  Outcome outcome;
};

/// Formats rows one by one; the widths are those of all checks of all cases.
class TableText {
public:
  explicit TableText(const std::vector<Case>& cases);
  std::string header() const;
  std::string row(const Row& row) const; ///< a failed check also says why, and why its limit is what it is

private:
  std::string line(const std::string& name, const std::string& quantity, const std::string& expected,
                   const std::string& got, const std::string& limit, const std::string& result) const;
  std::size_t name_ = 4, quantity_ = 8, expected_ = 8, limit_ = 5;
};

nlohmann::ordered_json report_json(const std::vector<Row>& rows);

/// What `--list` prints.
std::string list_text(const std::vector<Case>& cases);

/// "2 passed, 0 failed"
std::string closing_line(const std::vector<Row>& rows);

} // namespace emmy::verify
