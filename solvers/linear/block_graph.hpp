#pragma once
/// The block graph of a model: its nodes are what is eliminated at once, the centre of a body, its rotation, the
/// multipliers of a joint; two of them are connected if an element couples them. Found once, from the patterns of the
/// elements.

#include "solvers/enforcement/constraint_set.hpp"
#include "solvers/linear/block_program.hpp"

#include <vector>

namespace emmy {

struct BlockNode {
  int size = 0;
  bool is_multiplier = false;
  /// The ground holds it: part of a body that is fixed without a joint, or a joint of the ground.
  bool is_supported = false;
  bool goes_first = false; ///< eliminated before all that do not
  /// May be solved elsewhere, since nothing couples it with nodes that are not: eliminated before all others.
  bool is_elsewhere = false;
};

/// What constraints act on: a body of a joint, or a point or vector of a body that its own constraints keep rigid.
struct ConstraintSide {
  std::vector<int> nodes; ///< none: the ground
  /// Every row acts on other sides as well, and those can give way to it without this one.
  bool is_dispensable = false;
};

/// Where a stretch of the unknowns and multipliers of an element lives in the graph.
struct ElementSlice {
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

/// How the centre and the rotation of a frame are eliminated.
enum class FrameShape {
  apart,   ///< two blocks, which nothing but inertia, multipliers and turns of forces couples with anything
  coupled, ///< two blocks, to which constraints without multipliers add
  whole    ///< one block
};

struct BlockGraph {
  BlockGraph() = default; ///< of nothing yet
  BlockGraph(const Model& model, const ConstraintSet& constraints);

  std::vector<BlockNode> nodes;
  std::vector<std::vector<ElementSlice>> slices_of; ///< for each element of the model
  std::vector<Coupling> couplings;                  ///< each pair once; of every node with itself, too
  std::vector<int> first_node;                      ///< of each node of the model: its first one here
  std::vector<FrameShape> shapes;                   ///< of each node of the model that is a frame
  std::vector<int> multiplier_node;                 ///< for each element, -1: none
  std::vector<std::vector<ConstraintSide>> sides;   ///< of each node that is the multipliers of an element
};

/// Where an element may write, with what its strategy does: entries of all unknowns and those multipliers that are
/// unknowns of the system.
Pattern equations_pattern(const Element& element, const ConstraintStrategy* strategy);

} // namespace emmy
