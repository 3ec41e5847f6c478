#pragma once
/// What can be asked of a model besides its motion: equilibrium, and vibrations about it.

#include "io/loading.hpp"
#include "io/run.hpp"
#include "io/text_file.hpp"

#include <iosfwd>
#include <string>

namespace emmy {

/// Where a computation writes to.
struct Desk {
  const std::string& directory;
  TextFile& log;
  std::ostream& out;
  std::ostream& err;
  bool progress = false; ///< a line that is kept up to date on `err`
};

/// Finds an equilibrium and writes it to history.csv, with its reactions. Ctrl-C ends it, and what follows, with
/// exit_failed and nothing but run.log written.
ExitCode run_static(const Loaded& m, const Desk& desk);

/// Finds an equilibrium and the vibrations about it, and writes modes.csv. PETSc must be running.
ExitCode run_modes(const Loaded& m, const Desk& desk);

} // namespace emmy
