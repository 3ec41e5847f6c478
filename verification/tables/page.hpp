#pragma once
/// A page of tables: a text with {{names}} in the place of what was computed.

#include "verification/tables/findings.hpp"

#include <functional>

namespace emmy::tables {

/// The table of a name; throws std::runtime_error if there is none.
using Tables = std::function<std::string(const std::string& name)>;

/// Replaces every {{name}} by its table, {{findings}} by that of the findings.
std::string page(const std::string& text, const Tables& tables, const std::vector<Finding>& findings);

/// Text of a file; throws std::runtime_error if it cannot be read.
std::string read(const std::string& path);

} // namespace emmy::tables
