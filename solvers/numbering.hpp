#pragma once
/// Order of the global equations: that in which a factorisation without pivoting eliminates them. Nodes are in reverse
/// Cuthill-McKee order of the graph of who touches whom, which keeps chains, trees and loops narrow.
///
/// The diagonal of a multiplier is zero until the bodies it acts on have been eliminated, so the multipliers of an
/// element follow the last of its nodes: five-row joints then stay at rounding. The exception is a hub, a body with
/// many joints: eliminated before them it would couple them all with one another. There a joint that is all that still
/// holds its other body follows that body at once; its pivot is the compliance of a free body or tree of bodies, which
/// is never singular, though it costs some digits that Newton regains.
///
/// Multipliers that are no unknowns are numbered behind all equations, so that their constraints can be looked at.

#include "solvers/constraints/constraint_set.hpp"

#include <vector>

namespace emmy {

struct Numbering {
  Numbering(const Model& model, const ConstraintSet& constraints);

  Index equations = 0; ///< rows of the system

  std::vector<Index> row_of_unknown;    ///< for each unknown in Step::z
  std::vector<Index> row_of_multiplier; ///< for each multiplier in Step::lambda
};

} // namespace emmy
