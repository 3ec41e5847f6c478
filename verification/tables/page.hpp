#pragma once
/// A page of tables: a text with {{names}} in the place of what was computed.

#include "verification/tables/study.hpp"

namespace emmy::tables {

/// Replaces every {{name}} by the study's table, {{findings}} by that of the findings; throws std::runtime_error at a
/// name that there is no table for.
std::string page(const std::string& text, const Study& study, const std::vector<Finding>& findings);

} // namespace emmy::tables
