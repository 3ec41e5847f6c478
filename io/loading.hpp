#pragma once
/// From a deck on disk to a model that can be run.

#include "io/deck/deck.hpp"
#include "io/file_mark.hpp"
#include "io/model_builder.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/critical_step.hpp"
#include "solvers/analysis/initial_assembly.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// How long a step of higher order may be with the dampers of a model, and why [S17].
struct LongestStep {
  double step = 0;     ///< [s]
  std::string element; ///< the damper with the largest part
  double rate = 0;     ///< at which dampers take velocities at the start [1/s]
};

/// A deck that has been read, with its model.
struct Loaded {
  deck::Deck deck;
  BuiltModel built;
  std::vector<ReferredFile> files;        ///< that were read beside the deck
  ConstraintAnalysis analysis;            ///< of the initial state, once assembled
  std::optional<AssemblyReport> assembly; ///< if the deck asks for it
  std::optional<CriticalStep> critical;   ///< of an explicit integrator
  std::optional<LongestStep> longest;     ///< of a step of higher order with dampers
};

/// Reads a deck and builds its model; says on `err` what is wrong, and returns nothing then. What is doubtful only,
/// such as a start beyond a limit, is said too.
std::optional<Loaded> load(const std::string& path, const std::vector<std::string>& overrides, std::ostream& err);

/// The same of a text at hand; `name` stands for the file, in messages and for what the deck refers to.
std::optional<Loaded> load_text(const std::string& name, const std::string& text,
                                const std::vector<std::string>& overrides, std::ostream& err);

/// What keeps a model from being run; empty if nothing does.
std::string refusal(const Loaded& m);

} // namespace emmy
