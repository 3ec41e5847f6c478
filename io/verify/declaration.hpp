#pragma once
/// What a verification case declares in its case.yaml: runs of decks, and checks of what comes out of them.
/// docs/verification.md describes the file for those who write one.

#include "io/deck/diagnostics.hpp"
#include "io/verify/formula.hpp"
#include "io/verify/measures.hpp"
#include "io/verify/series.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace emmy::verify {

/// Entries of a deck with the values they are given, as after `--set`.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct DeckRun {
  std::string name;
  std::string deck; ///< path
  Settings set;
};

/// What is measured, in the order of `measure_names()`.
enum class Kind {
  audit,
  value,
  difference,
  agreement,
  period,
  maximum,
  time_of_maximum,
  minimum,
  drift,
  rise,
  integral,
  exit
};

/// One component of a difference: a quantity of the run, and what it should be.
struct Component {
  Formula found;
  Formula expected;
};

struct Check {
  std::string name;
  std::string because; ///< why the limit is what it is
  deck::Location where;
  Kind kind = Kind::audit;
  std::size_t run = 0;     ///< index in Case::runs
  bool of_impacts = false; ///< columns are those of impacts.csv, rows are impacts by their number
  Settings set;            ///< on top of the run's

  std::string figure;                         ///< of the audit, "energy.max_relative_imbalance"
  std::vector<Formula> quantities;            ///< one; several of an agreement
  std::vector<std::vector<Component>> points; ///< of a difference; each gives a Euclidean distance
  std::optional<Table> reference;             ///< of a difference: columns for `expected`
  std::optional<std::size_t> reference_run;   ///< or those of another run
  Norm norm = Norm::max;
  double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity(); ///< [s]
  std::string relative_to; ///< figure of the audit that divides what was measured

  std::string over;                ///< entry of the deck that takes all `values`, one run each
  std::vector<std::string> values; ///< as in the deck
  std::vector<double> sizes;       ///< the same as numbers, for a slope
  bool is_slope = false;           ///< the order in `over` of the error | measured - target |
  bool is_ratio = false;           ///< the error measured - target at the first of two values over that at the second
  double target = 0;               ///< of a slope or a ratio

  std::optional<double> expected; ///< met to `limit`; without it the limit is an upper one
  double limit = 0;

  int exit_code = 0; ///< of Kind::exit
  std::string says;  ///< what the program must write then
};

struct Case {
  std::string name; ///< of the folder
  std::string title, source, because;
  Parameters parameters;
  std::vector<DeckRun> runs;
  std::vector<Check> checks;
};

/// Reads the case in a folder. Mistakes go to `diagnostics`; after an error the result must not be used.
Case read_case(const std::string& folder, deck::Diagnostics& diagnostics);

/// Same with the text of case.yaml at hand; `folder` is where its files are.
Case read_case_text(const std::string& folder, std::string text, deck::Diagnostics& diagnostics);

} // namespace emmy::verify
