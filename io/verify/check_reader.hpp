#pragma once
/// One check of a case.yaml.

#include "io/deck/fields.hpp"
#include "io/verify/declaration.hpp"

namespace emmy::verify {

/// Reads the check `name` of the case; `folder` is where its files are. Mistakes are reported.
Check read_check(deck::Reading& reading, const Case& owner, const std::string& folder, const std::string& name,
                 const deck::Node& node, const deck::Span& at);

/// Entries of a deck with their values, of a run or a check.
Settings read_settings(deck::Reading& reading, const deck::Fields& fields);

} // namespace emmy::verify
