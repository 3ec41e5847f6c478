#pragma once
/// Texts for a person: what a model consists of, and what came of a run.

#include "io/deck/deck.hpp"
#include "io/model_builder.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/simulation.hpp"

#include <string>

namespace emmy {

/// Rows of long tables, and lists, are cut here; nobody reads on.
constexpr std::size_t longest_table = 30;

/// Head of every report: title, numbers of bodies, joints, unknowns and degrees of freedom.
std::string size_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis);

/// `emmy check`: bodies, joints, unknowns, freedom, violations, redundancy.
std::string model_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis);

/// Closing summary of a run with its conservation audit.
std::string run_report(const deck::Deck& deck, const BuiltModel& built, const ConstraintAnalysis& analysis,
                       const Simulation& simulation, double wall_seconds);

/// "1 degree of freedom", "4 degrees of freedom".
std::string degrees_of_freedom_text(long count);

/// "0.42 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

/// Zero instead of a number that is less than the rounding of numbers of this size: it means nothing, and 3e-201 N only
/// puzzles.
double without_rounding(double x, double size);

/// Sum of the masses of all bodies [kg].
double total_mass(const deck::Deck& deck);

/// printf into a string.
std::string formatted(const char* format, ...) __attribute__((format(printf, 1, 2)));

} // namespace emmy
