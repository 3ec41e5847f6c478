#pragma once
/// Constraints that kernels evaluate without writing them into the matrix. Their values and their gradients by bodies
/// are handed over: to strategies of enforcement, which make forces of them, and to couplers, whose rows two pairs of
/// bodies share. Forces, and how they turn with the bodies, go the way of all elements, with the multipliers that
/// pull() has put here before.

#include "core/element.hpp"
#include "solvers/batches/batch_program.hpp"
#include "solvers/linear/block_matrix.hpp"

#include <vector>

namespace emmy {

class BatchRows {
public:
  /// Of a model with so many elements.
  explicit BatchRows(std::size_t elements) : first_part_(elements, -1) {}

  /// Adds an element, or one of the shares of its row, which follow each other; returns the number of this part.
  int add(std::size_t element, int multipliers);
  bool empty() const { return parts_.empty(); }
  /// True if the rows of an element, numbered as in the model, are here.
  bool has(std::size_t element) const { return first_part_[element] >= 0; }

  /// Asks for room in the matrix; to be said before it is allocated.
  void reserve(BlockMatrix& matrix);
  /// Says where the six unknowns of a body are among those of an element, and how far columns are apart in blocks whose
  /// rows are those of the body. A side of which nothing is said is the ground.
  void set_side(int part, int side, Index offset, int stride);

  /// Where kernels read multipliers and write values of a part; behind the last one there is room.
  int row(int part) const { return parts_[static_cast<std::size_t>(part)].row; }
  int row_of_nobody() const { return rows_; }
  /// Where they write the gradients.
  struct Blocks {
    int below_x, below_turn; ///< (multipliers, centre) and (multipliers, rotation)
    int right_x, right_turn; ///< (centre, multipliers) and (rotation, multipliers)
  };
  Blocks blocks(int part, int side, const BlockMatrix& matrix) const;
  /// An evaluation with these multipliers and values in place of those of the system.
  BatchEvaluation evaluation(const BatchEvaluation& e);

  /// Multipliers that an element pulls with, in the units of the iterate.
  void pull(std::size_t element, const double* mu);
  /// Adds the values of constraints as of the last evaluation.
  void add_values(std::size_t element, VectorRef phi) const;
  /// The same and, with the tangent, their gradients, to the equations of an element by itself.
  void add_to(std::size_t element, const BlockMatrix& matrix, LocalSystem& out) const;

private:
  struct Side {
    Index offset = -1; ///< of the ground
    int stride = 0;
  };
  struct Part {
    std::size_t element;
    int row, multipliers;
    int at; ///< its room, from where that of all begins
    Side side[2];
  };
  /// act(part) for all of an element.
  template <class Act>
  void each(std::size_t element, Act act) const;

  std::vector<Part> parts_;
  std::vector<int> first_part_; // of each element, -1: none
  int rows_ = 0;
  VecX pulled_, phi_;
};

} // namespace emmy
