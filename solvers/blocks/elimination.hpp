#pragma once
/// The order in which the nodes of a block graph are eliminated, and what each of them is then coupled with.
///
/// Minimum degree, with one rule: the multipliers of a joint follow all its bodies (the strict rule). Their diagonal is
/// zero until then; afterwards it is how far the bodies give way to the joint, and joints of any number of rows stay at
/// rounding without pivoting between blocks. Bodies that only joints hold are so condensed on the joints.
///
/// The exception is a hub, a body with many joints: eliminated before them it would couple them all with one another.
/// There a joint that is all that still holds what hangs on it may go before the hub; its pivot is the compliance of a
/// free body or tree of bodies, which is not singular unless its own rows repeat one another, though it costs some
/// digits that Newton regains.

#include "solvers/blocks/block_graph.hpp"

namespace emmy {

struct Elimination {
  explicit Elimination(const BlockGraph& graph);

  std::vector<int> order;               ///< nodes
  std::vector<int> position;            ///< of each node in the order
  std::vector<std::vector<int>> behind; ///< for each position: nodes it is coupled with when its turn comes, in order
};

} // namespace emmy
