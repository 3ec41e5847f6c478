#pragma once
/// Going on with a run from its newest checkpoint: what is read from the directory of its results, and what has to fit.

#include "io/checkpoint/checkpoint.hpp"
#include "io/loading.hpp"
#include "io/run.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// What is run, for its checkpoints. PETSc must be running.
RunIdentity identity_of(const Loaded& m, const RunRequest& request);

/// A run that is about to go on.
struct Restart {
  Checkpoint checkpoint;
  std::string directory; ///< of the results that it goes on from
  bool in_place = false; ///< and to which it adds
  RunIdentity identity;  ///< of the run as it goes on: with what the restart sets, and where the deck is now
};

/// Whether a restart adds to the results that it goes on from.
bool goes_on_in_place(const RunRequest& request);

/// Finds the newest checkpoint and holds it against what is asked for; says on `err` why it cannot be used, and returns
/// nothing then. `request` gets what it leaves open: deck, directory, options of PETSc.
std::optional<Restart> prepare_restart(RunRequest& request, std::ostream& err);

/// Loads the model of the checkpoint; nothing after an error.
std::optional<Loaded> load_again(const Restart& restart, std::ostream& err);

/// A run that goes on beyond its end has no use for rows that were written only because it ended.
void forget_end(Restart& restart, const Loaded& m);

/// Why the run cannot go on with this model, or add to the files that are there; empty if it can. Nothing has been
/// touched until then. PETSc must be running.
std::string misfit(const Restart& restart, const Loaded& m);

/// Why results may differ from those of a run that was never stopped; empty if they do not.
std::string doubt(const Restart& restart);

} // namespace emmy
