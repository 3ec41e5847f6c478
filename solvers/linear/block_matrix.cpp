#include "solvers/linear/block_matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>

namespace emmy {

namespace {

constexpr std::size_t alignment = 64; // a line of the cache, and whole packs

auto column_less(int column) {
  return [column](const std::pair<int, int>& entry) { return entry.first < column; };
}

} // namespace

BlockMatrix::BlockMatrix(const BlockGraph& graph)
    : elimination_(std::make_shared<const Elimination>(graph)), blocks_of_row_(graph.nodes.size()),
      row_of_(graph.nodes.size()), diagonal_pivot_(graph.nodes.size(), false) {
  for (const int node : elimination_->order) {
    row_of_[static_cast<std::size_t>(node)] = static_cast<int>(rows_);
    rows_ += graph.nodes[static_cast<std::size_t>(node)].size;
  }
  for (const BlockNode& node : graph.nodes) {
    sizes_.push_back(node.size);
    rows_elsewhere_ += node.is_elsewhere ? node.size : 0;
    elsewhere_steps_ += node.is_elsewhere ? 1 : 0;
    first_steps_ += node.is_elsewhere || node.goes_first ? 1 : 0;
  }
  for (const Coupling& c : graph.couplings) {
    add(c.a, c.b, c.is_diagonal, true);
    if (c.a != c.b)
      add(c.b, c.a, c.is_diagonal, true);
  }
  find_fill();
}

int BlockMatrix::find(int row, int column) const {
  const auto& list = blocks_of_row_[static_cast<std::size_t>(row)];
  const auto found = std::partition_point(list.begin(), list.end(), column_less(column));
  return found != list.end() && found->first == column ? found->second : -1;
}

int BlockMatrix::add(int row, int column, bool is_diagonal, bool is_original) {
  auto& list = blocks_of_row_[static_cast<std::size_t>(row)];
  const auto place = std::partition_point(list.begin(), list.end(), column_less(column));
  const auto block = static_cast<int>(blocks_.size());
  list.insert(place, {column, block});
  blocks_.push_back({row, column, is_diagonal, is_original});
  return block;
}

/// What the elimination changes or creates, and which blocks stay diagonal in it.
void BlockMatrix::find_fill() {
  const auto block = [&](int row, int column) -> Block& {
    return blocks_[static_cast<std::size_t>(find(row, column))];
  };
  for (std::size_t p = 0; p < elimination_->order.size(); ++p) {
    const int node = elimination_->order[p];
    const auto& behind = elimination_->behind[p];
    bool diagonal = block(node, node).is_diagonal;
    for (const int j : behind)
      diagonal = diagonal && block(node, j).is_diagonal && block(j, node).is_diagonal;
    diagonal_pivot_[static_cast<std::size_t>(node)] = diagonal;
    if (!diagonal) {
      block(node, node).is_diagonal = false;
      for (const int j : behind)
        block(node, j).is_diagonal = block(j, node).is_diagonal = false;
    }
    for (const int i : behind)
      for (const int j : behind) {
        int target = find(i, j);
        if (target < 0)
          target = add(i, j, diagonal, false);
        Block& changed = blocks_[static_cast<std::size_t>(target)];
        changed.is_updated = true;
        changed.is_diagonal = changed.is_diagonal && diagonal;
      }
  }
}

void BlockMatrix::set_written(int row, int column) {
  if (const int found = find(row, column); found >= 0)
    blocks_[static_cast<std::size_t>(found)].is_written = true;
}

int BlockMatrix::reserve(int numbers) {
  const int at = reserve_;
  reserve_ += (numbers + 3) / 4 * 4;
  return at;
}

int BlockMatrix::size_of(const Block& block) const {
  return block.is_diagonal
             ? 4
             : stride_of(sizes_[static_cast<std::size_t>(block.row)]) * sizes_[static_cast<std::size_t>(block.column)];
}

void BlockMatrix::allocate() {
  int next = 0;
  const auto place = [&](int size) {
    if (next > std::numeric_limits<int>::max() - size)
      throw std::length_error("the factors of the model take more than 16 GiB");
    const int at = next;
    next += size;
    return at;
  };
  const auto goes_first = [&](int node) {
    return elimination_->position[static_cast<std::size_t>(node)] < first_steps_;
  };
  const auto is_elsewhere = [&](int node) {
    return elimination_->position[static_cast<std::size_t>(node)] < elsewhere_steps_;
  };
  // Blocks of nodes that go first, then the others; says where these begin, and where those that are not elsewhere do.
  const auto each = [&](auto&& wanted, auto&& act, int Behind::*region) {
    here_.*region = next;
    for (const bool of_rest : {false, true}) {
      rest_.*region = next;
      // In the order of elimination, so that what is used together lies together.
      for (const int node : elimination_->order)
        for (const auto& entry : blocks_of_row_[static_cast<std::size_t>(node)])
          if (Block& block = blocks_[static_cast<std::size_t>(entry.second)];
              wanted(block) && of_rest == !(goes_first(block.row) || goes_first(block.column))) {
            act(block);
            if (is_elsewhere(node)) // as are all in its row
              here_.*region = next;
          }
    }
  };
  const auto original = [&](bool written, bool changed, int Behind::*region) {
    each([&](const Block& b) { return b.is_original && b.is_written == written && b.is_updated == changed; },
         [&](Block& b) { b.at = b.factor_at = place(size_of(b)); }, region);
  };
  original(true, false, &Behind::written);
  written_changed_ = next;
  original(true, true, &Behind::written_changed);
  summed_ = next;
  original(false, false, &Behind::summed);
  summed_changed_ = next;
  original(false, true, &Behind::summed_changed);
  stored_ = fill_ = next;
  const auto of_factor = [&](Block& b) { b.factor_at = place(size_of(b)); };
  each([](const Block& b) { return !b.is_original; }, of_factor, &Behind::fill);
  copied_ = next;
  for (const bool written : {true, false}) // in the same order, to be copied at once
    each([&](const Block& b) { return b.is_original && b.is_updated && b.is_written == written; }, of_factor,
         &Behind::copied);

  const auto factor_at = [&](int row, int column) {
    const Block& block = blocks_[static_cast<std::size_t>(find(row, column))];
    return block.is_diagonal ? -1 - block.factor_at : block.factor_at;
  };
  const auto plain = [](int at) { return at < 0 ? -1 - at : at; };
  slot_of_.resize(sizes_.size());
  int slots = 0;
  for (const int node : elimination_->order) {
    slot_of_[static_cast<std::size_t>(node)] = slots;
    slots += stride_of(node_size(node));
  }
  for (std::size_t p = 0; p < elimination_->order.size(); ++p) {
    const int node = elimination_->order[p], size = node_size(node);
    const auto& behind = elimination_->behind[p];
    const bool diagonal = diagonal_pivot_[static_cast<std::size_t>(node)];
    PivotStep step{size,
                   row_of(node),
                   slot_of(node),
                   plain(factor_at(node, node)),
                   place(diagonal ? 4 : stride_of(size) * size),
                   static_cast<int>(neighbours_.size()),
                   static_cast<int>(behind.size()),
                   static_cast<int>(targets_.size()),
                   diagonal,
                   size == 3};
    for (const int j : behind) {
      step.all_three = step.all_three && node_size(j) == 3;
      neighbours_.push_back({node_size(j), slot_of(j), plain(factor_at(j, node)),
                             place(diagonal ? 4 : stride_of(node_size(j)) * size), plain(factor_at(node, j))});
    }
    for (const int i : behind)
      for (const int j : behind)
        targets_.push_back(factor_at(i, j));
    steps_.push_back(step);
  }
  reserved_ = place(reserve_);
  work_ = place(slots);
  scratch_ = place(stride_of(largest_block) * largest_block);
  total_ = next;
  make_room();
  list_products();
  elimination_.reset();
}

void BlockMatrix::make_room() {
  const std::size_t bytes = (static_cast<std::size_t>(total_) * sizeof(double) / alignment + 1) * alignment;
  storage_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)), std::free);
  if (storage_ == nullptr)
    throw std::bad_alloc();
  values_ = storage_.get();
  std::fill(values_, values_ + bytes / sizeof(double), 0.0);
}

std::unique_ptr<BlockMatrix> BlockMatrix::twin() const {
  std::unique_ptr<BlockMatrix> other(new BlockMatrix(*this));
  other->make_room();
  return other;
}

void BlockMatrix::list_products() {
  for (const int node : elimination_->order) {
    const auto first = static_cast<int>(product_blocks_.size());
    for (const auto& [column, number] : blocks_of_row_[static_cast<std::size_t>(node)])
      if (const Block& block = blocks_[static_cast<std::size_t>(number)]; block.is_original)
        product_blocks_.push_back({block.at, row_of(column), node_size(column), block.is_diagonal});
    product_rows_.push_back({row_of(node), node_size(node), first, static_cast<int>(product_blocks_.size()) - first});
  }
}

BlockAddress BlockMatrix::address(int row, int column) const {
  const int found = find(row, column);
  if (found < 0)
    return {};
  const Block& block = blocks_[static_cast<std::size_t>(found)];
  return {block.at, stride_of(sizes_[static_cast<std::size_t>(row)]), block.is_diagonal};
}

int BlockMatrix::factor_address(int row, int column) const {
  return blocks_[static_cast<std::size_t>(find(row, column))].factor_at;
}

void BlockMatrix::clear_right_side() {
  const auto first = static_cast<std::size_t>(first_steps_);
  std::fill(first < steps_.size() ? values_ + work_ + steps_[first].slot : values_ + scratch_, values_ + total_, 0.0);
}

void BlockMatrix::clear() {
  std::fill(values_ + summed_, values_ + stored_, 0.0);
}

void BlockMatrix::clear_here() {
  std::fill(values_ + here_.summed, values_ + summed_changed_, 0.0);
  std::fill(values_ + here_.summed_changed, values_ + stored_, 0.0);
}

void BlockMatrix::start_factor() {
  std::fill(values_ + fill_, values_ + copied_, 0.0);
  double* to = std::copy(values_ + written_changed_, values_ + summed_, values_ + copied_);
  std::copy(values_ + summed_changed_, values_ + fill_, to);
}

void BlockMatrix::start_factor_from(const Behind& nodes) {
  std::fill(values_ + nodes.fill, values_ + copied_, 0.0);
  double* to = values_ + copied_ + (nodes.written_changed - written_changed_);
  to = std::copy(values_ + nodes.written_changed, values_ + summed_, to);
  std::copy(values_ + nodes.summed_changed, values_ + fill_, to + (nodes.summed_changed - summed_changed_));
}

void BlockMatrix::entries(std::vector<int>& row, std::vector<int>& column) const {
  row.assign(static_cast<std::size_t>(stored_), -1);
  column = row;
  for (const Block& block : blocks_) {
    if (!block.is_original)
      continue;
    const int r = row_of(block.row), c = row_of(block.column);
    const int rows = sizes_[static_cast<std::size_t>(block.row)],
              columns = sizes_[static_cast<std::size_t>(block.column)];
    const auto put = [&](int at, int i, int j) {
      row[static_cast<std::size_t>(at)] = r + i;
      column[static_cast<std::size_t>(at)] = c + j;
    };
    if (block.is_diagonal)
      for (int k = 0; k < 3; ++k)
        put(block.at + k, k, k);
    else
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i)
          put(block.at + i + j * stride_of(rows), i, j);
  }
}

} // namespace emmy
