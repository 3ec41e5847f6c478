#pragma once
/// A sparse matrix of small dense blocks, with the room for its factors: every address is fixed at setup.
///
/// Elements write into blocks of the matrix, A. The factorisation writes elsewhere: into the blocks that it changes,
/// which are copies or fill, the lower factors L and the inverses of the pivots. So A is still there to multiply with.
///
/// A block is stored column by column, columns padded to a multiple of four numbers, so that they can be worked on four
/// at a time; padding is zero. A diagonal block is its first three diagonal entries.

#include "solvers/linear/block_program.hpp"
#include "solvers/linear/elimination.hpp"

#include <memory>

namespace emmy {

struct BlockAddress {
  int at = -1; ///< offset in BlockMatrix::values(), -1: there is none
  int stride = 0;
  bool is_diagonal = false;
};

class BlockMatrix {
public:
  explicit BlockMatrix(const BlockGraph& graph);
  /// Another one of the same layout, with numbers of its own, all zero. To be asked for after allocate().
  std::unique_ptr<BlockMatrix> twin() const;

  Index rows() const { return rows_; }
  int row_of(int node) const { return row_of_[static_cast<std::size_t>(node)]; }
  /// Of nodes that may be solved elsewhere: the first ones.
  Index rows_elsewhere() const { return rows_elsewhere_; }

  /// Block of A where `row` and `column`, two nodes, are coupled.
  BlockAddress address(int row, int column) const;

  /// A block, if there is one, that its writer sets anew in every evaluation need not be zeroed; to be said before
  /// allocate().
  void set_written(int row, int column);
  /// Room for so many more numbers beside A, in whole packs, which are zero and whose writers are the only ones to look
  /// at them; returns where it begins, counted from reserved(). To be said before allocate().
  int reserve(int numbers);
  int reserved() const { return reserved_; }
  /// Fixes all addresses; before, there are none.
  void allocate();

  /// Room for a block that nobody reads, and the same as seen from the right side.
  int scratch() const { return scratch_; }
  int unused_slot() const { return scratch_ - work_; }

  /// What is left of A once the nodes that go first are eliminated: where the factorisation keeps a block of it, and
  /// where a node is in the right side.
  int factor_address(int row, int column) const;
  int slot_of(int node) const { return slot_of_[static_cast<std::size_t>(node)]; }
  double* right_side() { return values_ + work_; }
  /// Zeroes the right side of what is left, and what nobody reads, lest something not finite stays there.
  void clear_right_side();

  double* values() { return values_; }
  const double* values() const { return values_; }
  /// Zeroes all blocks of A that are summed.
  void clear();
  /// The same without the nodes that are solved elsewhere.
  void clear_here();

  /// Numbers of A: they are the first ones.
  Index stored() const { return stored_; }
  /// Row and column of the i-th of them, -1 for padding.
  void entries(std::vector<int>& row, std::vector<int>& column) const;

  /// For products with A.
  ProductProgram product() const { return product_from(0); }
  /// Without the rows of nodes that are solved elsewhere.
  ProductProgram product_here() const { return product_from(elsewhere_steps_); }
  /// For the kernels of the factorisation.
  BlockProgram program() { return program_from(0); }
  /// Without the nodes that are solved elsewhere.
  BlockProgram program_here() { return program_from(elsewhere_steps_); }
  /// Without those, and without the nodes that go first.
  BlockProgram program_of_rest() { return program_from(first_steps_); }
  /// Fills what the factorisation changes with the values of A.
  void start_factor();
  /// The same without the nodes that are solved elsewhere.
  void start_factor_here() { start_factor_from(here_); }
  /// Nor those that go first, whose blocks are most of them where bodies have many unknowns.
  void start_factor_of_rest() { start_factor_from(rest_); }

private:
  struct Block {
    int row, column; ///< nodes
    bool is_diagonal;
    bool is_original;        ///< of A; otherwise fill
    bool is_written = false; ///< set, not summed
    bool is_updated = false; ///< the factorisation changes it
    int at = -1, factor_at = -1;
  };
  /// Where the blocks of some nodes begin that lie behind all others, in regions of all.
  struct Behind {
    int written = 0, written_changed = 0, summed = 0, summed_changed = 0, fill = 0, copied = 0;
  };
  BlockMatrix(const BlockMatrix&) = default; // which shares numbers: for twin()
  void make_room();
  void start_factor_from(const Behind& nodes);

  BlockProgram program_from(int first) {
    return {values_,
            values_ + work_,
            steps_.data() + first,
            static_cast<int>(steps_.size()) - first,
            neighbours_.data(),
            targets_.data(),
            static_cast<std::size_t>(total_) * sizeof(double) > near_bytes};
  }
  ProductProgram product_from(int first) const {
    return {values_, product_rows_.data() + first, static_cast<int>(product_rows_.size()) - first,
            product_blocks_.data()};
  }
  /// A good second level of caches.
  static constexpr std::size_t near_bytes = 2 << 20;
  int find(int row, int column) const;
  int add(int row, int column, bool is_diagonal, bool is_original);
  void find_fill();
  void list_products();
  int size_of(const Block& block) const;
  int node_size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }

  std::shared_ptr<const Elimination> elimination_; // until allocate()
  std::vector<Block> blocks_;
  std::vector<std::vector<std::pair<int, int>>> blocks_of_row_; // column, block; sorted
  std::vector<int> row_of_, sizes_, slot_of_;
  std::vector<bool> diagonal_pivot_;
  Index rows_ = 0, rows_elsewhere_ = 0, stored_ = 0;
  int scratch_ = 0, work_ = 0;
  int reserved_ = 0, reserve_ = 0; // where reserved room begins, and how much it is
  int elsewhere_steps_ = 0;        // of nodes that are solved elsewhere
  int first_steps_ = 0;            // of these and of nodes that go first
  /// Where regions begin: A that is set and summed, each with what the factorisation changes at its end, then fill,
  /// copies of what it changes, and what else it needs.
  int written_changed_ = 0, summed_ = 0, summed_changed_ = 0, fill_ = 0, copied_ = 0;
  /// The same without blocks of nodes that are solved elsewhere, or nor of those that go first: in this order they lie
  /// at the front of each region.
  Behind here_, rest_;
  Index total_ = 0;
  std::vector<PivotStep> steps_;
  std::vector<PivotNeighbour> neighbours_;
  std::vector<int> targets_;
  std::vector<ProductRow> product_rows_;
  std::vector<ProductBlock> product_blocks_;
  std::shared_ptr<double> storage_;
  double* values_ = nullptr;
};

} // namespace emmy
