#include "solvers/batches/batch_rows.hpp"

#include <algorithm>

namespace emmy {

namespace {

/// Numbers behind the last row that kernels may read and write.
constexpr int room_behind = 12;
/// A column of a block whose rows are those of a body, at most.
constexpr int longest_column = stride_of(6);

/// Room for a block of multipliers by three unknowns, and of three unknowns by multipliers.
constexpr int below_room(int multipliers) {
  return 3 * stride_of(multipliers);
}
constexpr int right_room(int multipliers) {
  return longest_column * multipliers;
}
constexpr int side_room(int multipliers) {
  return 2 * (below_room(multipliers) + right_room(multipliers));
}

} // namespace

int BatchRows::add(std::size_t element, int multipliers) {
  const auto part = static_cast<int>(parts_.size());
  if (first_part_[element] < 0)
    first_part_[element] = part;
  parts_.push_back({element, rows_, multipliers, 0, {}});
  rows_ += multipliers;
  return part;
}

void BatchRows::reserve(BlockMatrix& matrix) {
  for (Part& part : parts_)
    part.at = matrix.reserve(2 * side_room(part.multipliers));
  pulled_.setZero(rows_ + room_behind);
  phi_.setZero(rows_ + room_behind);
}

void BatchRows::set_side(int part, int side, Index offset, int stride) {
  parts_[static_cast<std::size_t>(part)].side[side] = {offset, stride};
}

BatchRows::Blocks BatchRows::blocks(int part, int side, const BlockMatrix& matrix) const {
  const Part& of = parts_[static_cast<std::size_t>(part)];
  const int below_x = matrix.reserved() + of.at + side * side_room(of.multipliers);
  const int below_turn = below_x + below_room(of.multipliers), right_x = below_turn + below_room(of.multipliers);
  return {below_x, below_turn, right_x, right_x + right_room(of.multipliers)};
}

BatchEvaluation BatchRows::evaluation(const BatchEvaluation& e) {
  BatchEvaluation own = e;
  own.x = pulled_.data();
  own.f = phi_.data();
  return own;
}

template <class Act>
void BatchRows::each(std::size_t element, Act act) const {
  for (auto part = static_cast<std::size_t>(first_part_[element]);
       part < parts_.size() && parts_[part].element == element; ++part)
    act(parts_[part]);
}

void BatchRows::pull(std::size_t element, const double* mu) {
  each(element, [&](const Part& part) { std::copy(mu, mu + part.multipliers, pulled_.data() + part.row); });
}

void BatchRows::add_values(std::size_t element, VectorRef phi) const {
  each(element, [&](const Part& part) { phi += phi_.segment(part.row, part.multipliers); });
}

void BatchRows::add_to(std::size_t element, const BlockMatrix& matrix, LocalSystem& out) const {
  each(element, [&](const Part& part) {
    const Index m = part.multipliers, nz = out.r.size() - m;
    out.r.tail(m) += phi_.segment(part.row, m);
    if (!out.tangent)
      return;
    for (int s = 0; s < 2; ++s) {
      const auto& [offset, stride] = part.side[s];
      if (offset < 0)
        continue;
      const Blocks at = blocks(static_cast<int>(&part - parts_.data()), s, matrix);
      const auto add = [&](int below, int right, Index column) {
        const double *G = matrix.values() + below, *G_bar = matrix.values() + right;
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < 3; ++j) {
            out.k(nz + i, column + j) += G[i + j * stride_of(part.multipliers)];
            out.k(column + j, nz + i) += G_bar[j + i * stride];
          }
      };
      add(at.below_x, at.right_x, offset);
      add(at.below_turn, at.right_turn, offset + 3);
    }
  });
}

} // namespace emmy
