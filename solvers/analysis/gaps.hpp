#pragma once
/// What is open in the constraints of a state, and the iteration of Gauss and Newton that closes it
/// (docs/theory/statics.md, assembly).

#include "solvers/analysis/saddle.hpp"

#include <string>
#include <vector>

namespace emmy {

/// Which constraints to close.
struct GapOptions {
  std::vector<bool> held; ///< unknowns that stay; none if empty
  bool elastic = false;   ///< also rigidity that springs provide
  VecX strains;           ///< what rigidity_rows() shall show with `elastic`, if not zero
  int max_iterations = 100;
  bool persistent = false; ///< where increments hardly bring the gaps down, tries rows that are soft
};

/// Constraints as an assembly sees them.
struct Gaps {
  SparseMatrix G;
  VecX phi, size; ///< values, and the largest terms in them
  std::vector<ConstraintRow> rows;

  bool closed() const; ///< to rounding
  double largest() const { return phi.size() > 0 ? phi.cwiseAbs().maxCoeff() : 0; }
  std::string name_of_largest(const VecX& gap) const;
  /// Root of the sum of squares, each with its weight.
  double misfit(const VecX& weight) const { return std::sqrt(phi.cwiseAbs2().dot(weight)); }
};

Gaps gaps_at(const Model& model, const State& state, const GapOptions& options);

/// Gradients of gaps, in which what is held has no part.
SparseMatrix free_columns(const GapOptions& options, const SparseMatrix& G);
/// Metric in which what is held is coupled with nothing.
SparseMatrix free_metric(const GapOptions& options, const MassMetric& metric);
/// Weights for Gaps::misfit(): gaps count by how far masses must move to close them.
VecX gap_weights(const GapOptions& options, const MassMetric& metric, const Gaps& gaps);
/// Smallest increments with G z = b, b as closely as the rows allow. Rows that are made soft, each by its scale, give
/// way instead of asking for long ways.
VecX smallest_move(const Gaps& gaps, const MassMetric& metric, const GapOptions& options, const VecX& b,
                   double softness = 0);

/// Largest angle by which a body turns [rad].
double largest_rotation(const Model& model, const State& state, const VecX& z);

/// How far Gauss and Newton came.
struct GapReport {
  bool closed = false;
  int iterations = 0;
  double gap = 0;
  std::string worst; ///< equation with the largest gap
};

/// Moves `state` along the smallest increments until the rows of linearise_statics() vanish at its multipliers. Rates
/// become zero.
GapReport close_gaps(const Model& model, const MassMetric& metric, const GapOptions& options, State& state);

} // namespace emmy
