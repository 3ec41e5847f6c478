#pragma once
/// A deck run in time: the simulation, what looks at it, and what is written.

#include "io/analyses.hpp"

namespace emmy {

ExitCode run_transient(const Loaded& m, const Desk& desk, const RunRequest& request);

} // namespace emmy
