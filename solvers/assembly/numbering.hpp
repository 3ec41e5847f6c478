#pragma once
/// Rows of the global equations, in the order of elimination (linear/elimination.hpp): so every other factorisation can
/// take them in their natural order.
///
/// Multipliers that are no unknowns are numbered behind all equations, so that their constraints can be looked at.

#include "solvers/linear/block_matrix.hpp"

#include <vector>

namespace emmy {

struct Numbering {
  Numbering(const Model& model, const BlockGraph& graph, const BlockMatrix& matrix);

  Index equations = 0; ///< rows of the system
  /// True if every multiplier is an unknown.
  bool has_all_multipliers() const {
    return static_cast<std::size_t>(equations) == row_of_unknown.size() + row_of_multiplier.size();
  }

  std::vector<Index> row_of_unknown;    ///< for each unknown in Step::z
  std::vector<Index> row_of_multiplier; ///< for each multiplier in Step::lambda
};

} // namespace emmy
