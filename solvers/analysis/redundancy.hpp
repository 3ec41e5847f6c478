#pragma once
/// How dependent constraints are solved: the proximal block of Newton's method, set up for one model
/// (docs/theory/redundancy.md).

#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/newton/newton.hpp"

namespace emmy {

/// The block for the unknown multipliers of a model that starts from `state` and takes steps of h [s]. It is always on
/// if `analysis` found redundant rows among them; otherwise it waits for steps that fail, near singular configurations.
/// Rows that disagree by the position violation of the start call for a stronger block [S6]. Where bodies have unknowns
/// that deform them, rows that repeat others at the start are left out instead.
Proximal proximal_block(const Model& model, const State& state, const ConstraintAnalysis& analysis, double h);

} // namespace emmy
