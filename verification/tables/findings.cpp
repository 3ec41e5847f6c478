#include "verification/tables/findings.hpp"

#include "verification/tables/text.hpp"

#include <cmath>

namespace emmy::tables {

void FindingList::near(const std::string& statement, double found, double expected, double within, int digits) {
  add(statement, found, digits, short_number(expected, digits) + " ± " + short_number(within),
      std::abs(found - expected) <= within);
}

void FindingList::at_most(const std::string& statement, double found, double limit) {
  add(statement, found, 4, "≤ " + short_number(limit), found <= limit);
}

void FindingList::at_least(const std::string& statement, double found, double limit) {
  add(statement, found, 4, "≥ " + short_number(limit), found >= limit);
}

void FindingList::add(const std::string& statement, double found, int digits, const std::string& expected, bool holds) {
  findings_.push_back({statement, short_number(found, digits), expected, holds}); // not a number never holds
}

} // namespace emmy::tables
