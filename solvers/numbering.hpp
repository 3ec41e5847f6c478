#pragma once
/// Order of the global equations: that in which a factorisation without pivoting eliminates them. Nodes are in reverse
/// Cuthill-McKee order of the graph of who touches whom, which keeps chains, trees and loops narrow.
///
/// The diagonal of a multiplier is zero until the bodies it acts on have been eliminated, so the multipliers of an
/// element follow the last of its nodes. If an element is all that still holds a body, it follows that body at once:
/// the pivot is then the joint's compliance of a free body or tree of bodies, which is never singular. Otherwise a hub
/// with many arms would couple all of its joints with one another.

#include "core/model.hpp"

#include <vector>

namespace emmy {

struct Numbering {
  explicit Numbering(const Model& model);

  std::vector<Index> row_of_unknown;    ///< for each unknown in Step::z
  std::vector<Index> row_of_multiplier; ///< for each multiplier in Step::lambda
};

} // namespace emmy
