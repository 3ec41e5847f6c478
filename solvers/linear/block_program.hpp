#pragma once
/// What the numerical factorisation of a BlockMatrix walks through. Plain data: kernels that are compiled for certain
/// processors include nothing that others share with them.

namespace emmy {

/// Rows of the largest block.
inline constexpr int largest_block = 12;

/// Numbers from one column of a block to the next.
inline constexpr int stride_of(int rows) {
  return (rows + 3) / 4 * 4;
}

/// What is eliminated with one node, for the numerical factorisation.
struct PivotStep {
  int size;
  int row;        ///< of its first equation
  int slot;       ///< the same in BlockProgram::work, where every node begins a pack
  int pivot;      ///< where the pivot block is when its turn comes
  int inverse;    ///< where its inverse goes
  int first;      ///< in BlockProgram::neighbours
  int count;      ///< of the nodes behind it that it is coupled with
  int targets;    ///< in BlockProgram::targets: count x count, row by row
  bool diagonal;  ///< pivot and all couplings are diagonal
  bool all_three; ///< it and all of these have three rows
};

struct PivotNeighbour {
  int size;
  int slot;  ///< of its first equation in BlockProgram::work
  int below; ///< block (neighbour, pivot)
  int lower; ///< where L = below * pivot^-1 goes
  int right; ///< block (pivot, neighbour)
};

/// The whole of it.
struct BlockProgram {
  double* values;
  double* work; ///< right side and solution, padded
  const PivotStep* steps;
  int count;
  const PivotNeighbour* neighbours;
  /// Where L * right is subtracted; a diagonal block if negative, then at -1 - target.
  const int* targets;
  bool is_far; ///< the values are too many for the caches next to a core
};

/// Equations of one node, and the blocks of the matrix in them.
struct ProductRow {
  int row, size;
  int first, count; ///< in ProductProgram::blocks
};
struct ProductBlock {
  int at;
  int row, size; ///< of the node of its columns
  bool diagonal;
};
struct ProductProgram {
  const double* values;
  const ProductRow* rows;
  int count;
  const ProductBlock* blocks;
};

/// Where the right side of a solve is.
enum class RightSide {
  given, ///< in the vector
  split, ///< in the vector and, to be added, in BlockProgram::work
  ready  ///< in BlockProgram::work
};

/// One set of kernels: block LU in the given order, pivots inverted, without exchanging rows between blocks.
struct BlockKernels {
  void (*factorise)(const BlockProgram& program);
  /// b becomes A^-1 times the right side, and so does BlockProgram::work.
  void (*solve)(const BlockProgram& program, double* b, RightSide side);
  /// y = A x.
  void (*multiply)(const ProductProgram& program, const double* x, double* y);
};

} // namespace emmy
