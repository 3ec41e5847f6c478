#include "verification/tables/findings.hpp"

#include "verification/tables/text.hpp"

#include <cmath>

namespace emmy::tables {

void FindingList::near(const std::string& statement, double found, double expected, double within) {
  add(statement, found, short_number(expected) + " ± " + short_number(within), std::abs(found - expected) <= within);
}

void FindingList::at_most(const std::string& statement, double found, double limit) {
  add(statement, found, "≤ " + short_number(limit), found <= limit);
}

void FindingList::at_least(const std::string& statement, double found, double limit) {
  add(statement, found, "≥ " + short_number(limit), found >= limit);
}

void FindingList::add(const std::string& statement, double found, const std::string& expected, bool holds) {
  findings_.push_back({statement, short_number(found), expected, holds}); // not a number never holds
}

} // namespace emmy::tables
