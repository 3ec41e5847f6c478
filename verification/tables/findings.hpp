#pragma once
/// What the paper found, as statements that the runs must meet.

#include "verification/tables/studies.hpp"

namespace emmy::tables {

struct Finding {
  std::string statement;
  std::string found, expected; ///< in words, with figures
  bool holds = false;
};

std::vector<Finding> findings(const Studies& studies);

} // namespace emmy::tables
