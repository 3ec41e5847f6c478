#pragma once
/// Closes the gaps of a start from which gradients lead nowhere (docs/theory/statics.md, singular starts): bars that
/// lie in line and would have to bend, points that coincide and should be apart. There the iteration of Gauss and
/// Newton stops with gaps that remain, as it does at joints that contradict one another; what tells them apart is
/// whether the gaps fall when bodies are moved a little.

#include "solvers/analysis/gaps.hpp"

namespace emmy {

struct SearchReport {
  GapReport gaps;       ///< of the state that was found; its iterations are those of all attempts
  double first_gap = 0; ///< what the iteration from the start left
  int attempts = 0;     ///< others that followed
  std::string tried;    ///< what they were, for a person; empty if there were none
};

/// Like close_gaps(), but bodies are moved away from where it gives up, and it is done again: along the direction in
/// which the sum of squares of the gaps falls most, as long as it does, then from the start by seeded moves of all
/// bodies, larger and larger. The same start gives the same bits. If nothing closes the gaps, `state` is where they are
/// smallest of all places that were seen, in the sense of least squares.
SearchReport search_closed(const Model& model, const MassMetric& metric, const GapOptions& options, State& state);

} // namespace emmy
