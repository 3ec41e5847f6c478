#pragma once
/// A deck run in time: the simulation, what looks at it, and what is written.

#include "io/analyses.hpp"
#include "io/checkpoint/restart.hpp"

namespace emmy {

/// From its beginning, or from a checkpoint.
ExitCode run_transient(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart);

} // namespace emmy
