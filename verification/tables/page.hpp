#pragma once
/// The page of tables: a text with {{names}} in the place of what was computed.

#include "verification/tables/findings.hpp"

namespace emmy::tables {

/// Three digits, 4.48e-3.
std::string number(double x);
/// As short as four digits allow.
std::string short_number(double x);

/// Replaces every {{name}}; throws std::runtime_error at a name that there is no table for.
std::string page(const std::string& text, const Studies& studies, const std::vector<Finding>& findings);

} // namespace emmy::tables
