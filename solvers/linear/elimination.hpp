#pragma once
/// The order in which the nodes of a block graph are eliminated, and what each of them is then coupled with.
///
/// Minimum degree, with one rule: the multipliers of a joint follow all its bodies (the strict rule). Their diagonal is
/// zero until then; afterwards it is how far the bodies give way to the joint, and joints of any number of rows stay at
/// rounding without pivoting between blocks. Bodies that only joints hold are so condensed on the joints.
///
/// The exception is a hub, a body with many joints: eliminated before them it would couple them all with one another.
/// There a joint may go before the hub if all its other bodies are gone and these, with all that was eliminated with
/// them, are free: an arm, or a tree or loop of bodies, that neither the ground nor a body still to come holds. A free
/// body gives way to all six forces and moments of a joint, so the pivot is singular only if the joint's own rows
/// repeat one another. Several joints may hold what is free, as long as all of them lead to the same hub. Forces in
/// them that it does not give way to are in balance on it, hence also on the hub, and no order would solve for them.
///
/// It must not be held elsewhere: a rod between two hubs, or one that stands on the ground, gives way to no force along
/// itself. The joint of a hub with the ground has nothing but the hub.

#include "solvers/linear/block_graph.hpp"

namespace emmy {

struct Elimination {
  explicit Elimination(const BlockGraph& graph);

  std::vector<int> order;               ///< nodes
  std::vector<int> position;            ///< of each node in the order
  std::vector<std::vector<int>> behind; ///< for each position: nodes it is coupled with when its turn comes, in order
};

} // namespace emmy
