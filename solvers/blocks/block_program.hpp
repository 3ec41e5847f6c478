#pragma once
/// What the numerical factorisation of a BlockMatrix walks through. Plain data: kernels that are compiled for certain
/// processors include nothing that others share with them.

namespace emmy {

/// Rows of the largest block.
inline constexpr int largest_block = 12;

/// Backward differences that start values are made of, the values themselves being the first: of increments, and of the
/// multipliers behind the last of them.
inline constexpr int most_differences = 6;
inline constexpr int multiplier_differences = 4;

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

/// Kernels on long vectors.
struct VectorKernels {
  /// Backward differences after a new value x: `kept` holds `known` of them, the value itself being the first, each of
  /// `rows` numbers that begin `stride` behind the last, and at most `most` are kept, which is most_differences or
  /// less. errors[k] becomes the sum of weight times square of the k-th.
  void (*difference)(const double* weight, const double* x, double* kept, long stride, long rows, int known, int most,
                     double* errors);
  /// x = sum of `kept` differences up to `order`, below most_differences, where `is_increment` is 1; order -1 leaves x
  /// as it is there. Elsewhere the sum up to the second one less the third, which tells parabolas and what changes its
  /// sign from step to step, or up to the first one if `trusted` is 0 and not 1.
  void (*extrapolate)(const double* kept, const double* is_increment, long stride, long rows, int order, double trusted,
                      double* x);
  /// Sums of weight * square, of squares of what has no weight (multipliers), and of squares of turns * x; the largest
  /// absolute values of the latter two.
  void (*measure)(const double* x, const double* weight, const double* turns, long rows, double* sizes);
  /// Sum and largest of inverse_weight * square, of f - weight * dx.
  void (*measure_balance)(const double* f, const double* dx, const double* weight, const double* inverse_weight,
                          long rows, double* sizes);
  /// x <- x - dx; returns the sum of weight * square of that.
  double (*advance)(double* x, const double* dx, const double* weight, long rows);
};

} // namespace emmy
