#pragma once
/// `emmy run --estimate`: how accurate a run is, by repeating it with half the step and with a quarter of it.
///
///   p = log2(d / d'),  e = d / (1 - d'/d),   d = max |u_h - u_{h/2}|,  d' = max |u_{h/2} - u_{h/4}| [S14]

#include "io/analyses.hpp"
#include "io/interrupt.hpp"
#include "io/trajectory.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// What came of one measure [S14].
struct Accuracy {
  double difference = 0;       ///< d
  double finer = 0;            ///< d'
  bool is_present = false;     ///< the model has something of the kind
  bool is_rounding = false;    ///< d is what rounding leaves
  std::optional<double> order; ///< p, where d' is more than rounding
  std::optional<double> error; ///< e, of the run itself
};

struct Estimate {
  double step = 0; ///< of the run itself [s]
  std::size_t instants = 0;
  std::array<Accuracy, measures> of;
  std::vector<std::string> doubts; ///< why it means nothing, or not all of it; a sentence each
  std::string failure;             ///< why there is no estimate
};

/// What runs are expected to show.
struct Scheme {
  int order = 2;                 ///< of positions in smooth motion
  std::vector<double> stages{1}; ///< of a step, which round each
  double mass = 0;               ///< of the heaviest body [kg]: rounding of velocities times it is that of impulses
};

/// Compares runs with steps h, h/2 and h/4 in which `events` happened that spoil the comparison, a sentence each.
Estimate compare(const Trajectory& run, const Trajectory& half, const Trajectory& quarter, double h,
                 const Scheme& scheme, const std::vector<std::string>& events);

/// One line for a person, and one for each doubt.
std::string estimate_text(const Estimate& estimate);
/// The key `estimate` of audit.json.
nlohmann::ordered_json estimate_json(const Estimate& estimate);

/// Repeats a run that has ended, with shorter steps and without files. Nothing if interrupted.
std::optional<Estimate> estimate_accuracy(const Loaded& m, const Trajectory& run, const Outcome& outcome,
                                          const Sampling& sampling, const Interrupt& interrupt, bool progress,
                                          std::ostream& err);

} // namespace emmy
