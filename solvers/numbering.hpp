#pragma once
/// Order of the global equations. A factorisation without pivoting meets the zero diagonal of a multiplier only after
/// the bodies it acts on have been eliminated, so the multipliers of an element follow the last of its nodes; nodes are
/// in reverse Cuthill-McKee order of the graph of who touches whom, which keeps chains, trees and loops narrow.

#include "core/model.hpp"

#include <vector>

namespace emmy {

struct Numbering {
  explicit Numbering(const Model& model);

  std::vector<Index> row_of_unknown;    ///< for each unknown in Step::z
  std::vector<Index> row_of_multiplier; ///< for each multiplier in Step::lambda
};

} // namespace emmy
