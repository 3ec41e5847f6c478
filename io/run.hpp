#pragma once
/// What the program does with a deck: check it, or run it and write its results.

#include "io/deck/reader.hpp"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// How the program ends; documented in `emmy --help` and README.md.
enum ExitCode { exit_ok = 0, exit_failed = 1, exit_bad_input = 2, exit_not_converged = 3, exit_audit = 4 };

struct RunRequest {
  std::string deck;                       ///< path
  std::vector<std::string> overrides;     ///< --set
  std::string directory;                  ///< of the results; empty: deck name + ".out"
  bool force = false;                     ///< write into a directory that has something in it
  bool estimate = false;                  ///< repeat the run with shorter steps and say how accurate it is
  std::string restart;                    ///< directory whose run goes on; `deck` may then be empty
  bool checkpoints = true;                ///< write them, as the deck says
  std::optional<double> stop_at;          ///< [s]: stops after the step that gets there, as if interrupted
  std::optional<double> stop_at_part;     ///< the same, as part of its steps
  bool progress = false;                  ///< a line that is kept up to date on `err`
  std::vector<std::string> petsc_options; ///< for the log
  /// Called with options of PETSc once the input is known to be good: starting it takes a while.
  std::function<void(const std::vector<std::string>&)> before_solving;
  std::function<std::vector<std::string>()> unused_options; ///< of PETSc, asked for at the end
};

/// Runs a deck, or goes on with a run; the summary goes to `out`, errors and warnings to `err`. PETSc must be running,
/// or be started by `before_solving`.
ExitCode run_deck(RunRequest request, std::ostream& out, std::ostream& err);

/// Reads a deck, builds its model and says what it consists of; or which channels its results may have.
ExitCode check_deck(const std::string& path, const std::vector<std::string>& overrides, bool only_channels,
                    std::ostream& out, std::ostream& err);

} // namespace emmy
