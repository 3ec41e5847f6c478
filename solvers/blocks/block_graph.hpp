#pragma once
/// The block graph of a model: its nodes are what is eliminated at once, the centre of a body, its rotation, the
/// multipliers of a joint; two of them are connected if an element couples them. Found once, from the patterns of the
/// elements.

#include "solvers/blocks/block_program.hpp"
#include "solvers/constraints/constraint_set.hpp"

#include <vector>

namespace emmy {

struct BlockNode {
  int size = 0;
  bool is_multiplier = false;
  bool goes_first = false; ///< eliminated before all that do not
};

/// Where a stretch of the unknowns and multipliers of an element lives in the graph.
struct ElementPart {
  int node = 0;
  int offset = 0; ///< of the first of them in the element
  int size = 0;   ///< all of the node
};

/// Two nodes that an element couples.
struct Coupling {
  int a = 0, b = 0; ///< a <= b; a == b is the diagonal
  /// Only the first three unknowns of one and the other are coupled, each with its own: as where two points coincide.
  bool is_diagonal = false;
};

struct BlockGraph {
  BlockGraph(const Model& model, const ConstraintSet& constraints);

  std::vector<BlockNode> nodes;
  std::vector<std::vector<ElementPart>> parts_of; ///< for each element of the model
  std::vector<Coupling> couplings;                ///< each pair once; of every node with itself, too
  std::vector<int> first_node;                    ///< of each node of the model: its first one here
  std::vector<int> multiplier_node;               ///< for each element, -1: none
};

/// Where an element may write, with what its strategy does: entries of all unknowns and those multipliers that are
/// unknowns of the system.
Pattern equations_pattern(const Element& element, const ConstraintStrategy* strategy);

} // namespace emmy
