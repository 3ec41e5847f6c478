#pragma once
/// `emmy verify`: runs cases with known answers and says how far emmy is from them.

#include "io/run.hpp"

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace emmy::verify {

struct Request {
  std::string cases;                    ///< directory of the cases; empty: those of the source tree
  std::vector<std::string> names;       ///< of the cases wanted; empty: all
  bool list = false;                    ///< only say which there are
  std::string output;                   ///< verification.json, or a directory for it; empty: here
  std::string keep;                     ///< directory for the results of the runs; empty: they are removed
  int stops = 0;                        ///< how often every run is stopped and continued on the way
  bool progress = false;                ///< a line that is kept up to date on `err`
  std::function<void()> before_running; ///< called once the declarations are good and before the first run
};

/// exit_ok only if every check passes; exit_bad_input for mistakes in declarations. PETSc must be running, or be
/// started by `before_running`.
ExitCode verify(const Request& request, std::ostream& out, std::ostream& err);

} // namespace emmy::verify
