#pragma once
/// What assembling the initial configuration did, for a person.

#include "solvers/analysis/initial_assembly.hpp"

#include <string>

namespace emmy {

/// How many iterations it took, whether a singular start had to be left, and of each body that was changed what was
/// typed beside what came of it.
std::string assembly_report(const AssemblyReport& assembly);

} // namespace emmy
