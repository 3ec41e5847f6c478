#pragma once
/// What the program does with a deck: check it, or run it and write its results.

#include "io/deck/reader.hpp"

#include <functional>
#include <iosfwd>
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
  int stops = 0;                          ///< how often it is stopped on the way, to go on from what a run is
  bool progress = false;                  ///< a line that is kept up to date on `err`
  std::vector<std::string> petsc_options; ///< for the log
  std::function<void()> before_solving;   ///< called once the input is known to be good: starting PETSc takes a while
  std::function<std::vector<std::string>()> unused_options; ///< of PETSc, asked for at the end
};

/// Runs a deck; the summary goes to `out`, errors and warnings to `err`. PETSc must be running, or be started
/// by `before_solving`.
ExitCode run_deck(const RunRequest& request, std::ostream& out, std::ostream& err);

/// Reads a deck, builds its model and says what it consists of.
ExitCode check_deck(const std::string& path, const std::vector<std::string>& overrides, std::ostream& out,
                    std::ostream& err);

} // namespace emmy
