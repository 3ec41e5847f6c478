#pragma once
/// The audit of a run: what was conserved, to how many digits, and at what cost. audit.json keeps its keys from version
/// to version.

#include "io/deck/deck.hpp"
#include "io/director_monitor.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/simulation.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace emmy {

/// Why a run ended before its end, by failure or by interruption; empty if it did not.
std::string early_end(const Simulation& simulation);

/// `has_strain`: some body can be strained.
nlohmann::ordered_json audit_json(const Simulation& simulation, const ConstraintAnalysis& analysis, bool has_strain,
                                  const DirectorMonitor& directors, double wall_seconds);

/// What the audit finds fault with.
struct Verdict {
  std::vector<std::string> findings; ///< a sentence each
  bool fail = false;                 ///< the deck wants the program to fail
};

Verdict judge(const Ledger& ledger, const deck::Deck& deck);

} // namespace emmy
