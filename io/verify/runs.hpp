#pragma once
/// Runs of decks for checks; what several checks ask for is run once.

#include "io/verify/declaration.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace emmy::verify {

struct RunResult {
  int exit_code = 0;
  std::string text;             ///< all that the run wrote to the terminal
  std::optional<Table> history; ///< nothing when the run did not get to write any
  std::optional<Table> impacts; ///< nothing where there were none
  nlohmann::json audit;         ///< null likewise
};

class Runs {
public:
  /// Results are written below `directory`, one folder a run, and removed after reading unless `keep`. Every run in
  /// time is stopped so often, and goes on.
  Runs(std::string directory, bool keep, int stops) : directory_(std::move(directory)), keep_(keep), stops_(stops) {}

  /// PETSc must be running. The reference stays valid.
  const RunResult& get(const DeckRun& run, const Settings& further);

  std::size_t count() const { return results_.size(); }

private:
  std::string directory_;
  bool keep_;
  int stops_;
  std::map<std::string, RunResult> results_; ///< by deck and settings
};

} // namespace emmy::verify
