#pragma once
/// What was published, as statements that the runs must meet.

#include <string>
#include <vector>

namespace emmy::tables {

struct Finding {
  std::string statement;
  std::string found, expected; ///< in words, with figures
  bool holds = false;
};

class FindingList {
public:
  void near(const std::string& statement, double found, double expected, double within, int digits = 4);
  void at_most(const std::string& statement, double found, double limit);
  void at_least(const std::string& statement, double found, double limit);
  std::vector<Finding> take() { return std::move(findings_); }

private:
  void add(const std::string& statement, double found, int digits, const std::string& expected, bool holds);
  std::vector<Finding> findings_;
};

} // namespace emmy::tables
