#pragma once
/// Where the centre and the rotation of a frame body are in the block graph and in the matrix: two blocks, or one.

#include "solvers/linear/block_graph.hpp"
#include "solvers/linear/block_matrix.hpp"

namespace emmy {

/// Three unknowns of a body.
struct BodyPart {
  int node;
  int offset; ///< of the first of them in the node
};

class BodyBlocks {
public:
  BodyBlocks(const BlockGraph& graph, std::size_t model_node)
      : first_(graph.first_node[model_node]), is_one_(graph.nodes[static_cast<std::size_t>(first_)].size == 6) {}

  BodyPart centre() const { return {first_, 0}; }
  BodyPart rotation() const { return is_one_ ? BodyPart{first_, 3} : BodyPart{first_ + 1, 0}; }
  std::vector<int> nodes() const { return is_one_ ? std::vector<int>{first_} : std::vector<int>{first_, first_ + 1}; }
  /// From one column to the next of blocks whose rows are those of the body.
  int stride() const { return stride_of(is_one_ ? 6 : 3); }

private:
  int first_;
  bool is_one_;
};

/// Address of the block that two parts share. It is room that nobody reads if they are not coupled, or coupled by a
/// diagonal alone, which is written in its own way.
inline int address_of(const BlockMatrix& matrix, const BodyPart& row, const BodyPart& column) {
  const BlockAddress at = matrix.address(row.node, column.node);
  return at.at < 0 || at.is_diagonal ? matrix.scratch() : at.at + column.offset * at.stride + row.offset;
}

} // namespace emmy
