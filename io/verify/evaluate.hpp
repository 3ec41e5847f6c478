#pragma once
/// Checks carried out.

#include "io/verify/runs.hpp"

#include <string>

namespace emmy::verify {

struct Outcome {
  bool passed = false;
  double got = 0;      ///< what was measured
  std::string message; ///< why there is nothing to compare; otherwise empty
};

/// Runs what the check needs and compares. Nothing that goes wrong on the way is an exception: it fails the check.
Outcome evaluate(const Case& owner, const Check& check, Runs& runs);

} // namespace emmy::verify
