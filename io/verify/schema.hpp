#pragma once
/// The entries of a case.yaml, in the terms of the deck's own tables: reading and messages come from there.

#include "io/deck/schema.hpp"

namespace emmy::verify {

const deck::Entry& case_entry();
const deck::Entry& run_entry();
const deck::Entry& check_entry();

/// The fields of a check that name what is measured; exactly one is given.
const std::vector<std::string>& measure_names();

} // namespace emmy::verify
