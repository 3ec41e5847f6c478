#pragma once
/// Parts of the table that have a file of their own.

#include "io/deck/schema.hpp"

namespace emmy::deck {

/// An alternative of an entry: the common fields, then its own.
Entry alternative(const std::vector<Field>& common, std::string id, std::string doc, std::vector<Field> own);

Field repeat();  ///< of what may be repeated
Field scatter(); ///< of what has a position
Entry scatter_entry();
std::vector<Entry> chain_entries(); ///< chains, and their links
std::vector<Entry> joint_entries(); ///< joints, and what drives them
Entry force_entry();
std::vector<Entry> limit_entries();   ///< limits, and how they and joints are enforced
std::vector<Entry> contact_entries(); ///< contact, surfaces, materials
Field enforcement(const char* doc);   ///< of what has constraints
Entry integrator_entry();
std::vector<Entry> solver_entries();
std::vector<Entry> output_entries(); ///< output, checkpoints, audit

} // namespace emmy::deck
