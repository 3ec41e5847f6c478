#pragma once
/// What is said of the rotations of a run: how far bodies turn in a step, and how much their angles lag [F13].

#include "io/deck/deck.hpp"
#include "solvers/watches/turn_watch.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace emmy {

/// How bodies turn by the integrator of a deck.
TurnLaw turn_law(const deck::Deck& deck);

/// A warning, and a line for the summary, if bodies turn too far in a step; else empty.
std::string turn_warning(const TurnWatch::Findings& found);
std::string turn_line(const TurnWatch::Findings& found);

/// The key `rotation` of audit.json; null where nothing turned.
nlohmann::ordered_json turn_json(const TurnWatch::Findings& found);

} // namespace emmy
