#pragma once
/// What the benchmarks found: tables for the page, figures for programs, and promises that were kept or not.

#include "verification/tables/findings.hpp"
#include "verification/tables/text.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace emmy::benchmark {

class Report {
public:
  /// Keeps a table under the name that the page knows it by, and prints it under a title.
  void add(const std::string& name, const std::string& title, const tables::Row& header,
           const std::vector<tables::Row>& rows);
  /// Throws std::runtime_error if there is none of this name.
  std::string table(const std::string& name) const;

  tables::FindingList promises;
  nlohmann::json figures;

private:
  std::map<std::string, std::string> tables_;
};

// --- numbers as they stand in the tables

std::string microseconds(double seconds); ///< three digits, in µs
std::string milliseconds(double seconds); ///< three digits, in ms
std::string percent(double part);
std::string power_of_ten(double x); ///< one digit: 3e-13
std::string ratio(double x);        ///< three digits
inline const char* const nothing = "–";

} // namespace emmy::benchmark
