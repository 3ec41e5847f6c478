#pragma once
/// The audit of a run: what was conserved, to how many digits, and at what cost. audit.json keeps its keys from version
/// to version.

#include "io/deck/deck.hpp"
#include "solvers/simulation.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace emmy {

nlohmann::ordered_json audit_json(const Simulation& simulation, double wall_seconds);

/// One sentence for each limit of the deck that the run exceeded.
std::vector<std::string> exceeded_limits(const Ledger& ledger, const deck::Audit& limits);

} // namespace emmy
