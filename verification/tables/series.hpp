#pragma once
/// Columns over time for the figures, as CSV files.

#include "verification/tables/studies.hpp"

namespace emmy::tables {

/// Writes all of them to an existing directory; throws std::runtime_error if it cannot.
void write_series(const Studies& studies, const std::string& directory);

} // namespace emmy::tables
