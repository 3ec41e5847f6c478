#include "contact/problem/body_graph.hpp"

#include <algorithm>

namespace emmy::contact {

bool BodyGraph::begin(const BodyForm& form) {
  const auto n = static_cast<Index>(form.inverse_mass.size());
  found_.clear();
  for (Index b = 0; b < n; ++b)
    found_.emplace_back(b, b);
  for (const PointContact& contact : form.contacts)
    if (const auto [a, b] = contact.body; a >= 0 && b >= 0 && a != b) {
      found_.emplace_back(a, b);
      found_.emplace_back(b, a);
    }
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  if (found_ == blocks_)
    return false;
  blocks_.swap(found_);
  first_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const Block& block : blocks_)
    ++first_[static_cast<std::size_t>(block.first) + 1];
  for (std::size_t b = 1; b < first_.size(); ++b)
    first_[b] += first_[b - 1];
  matrix_.resize(6 * n, 6 * n);
  matrix_.resizeNonZeros(36 * static_cast<Index>(blocks_.size()));
  int at = 0;
  for (Index column = 0; column < 6 * n; ++column) {
    matrix_.outerIndexPtr()[column] = at;
    const auto b = static_cast<std::size_t>(column / 6);
    for (Index k = first_[b]; k < first_[b + 1]; ++k)
      for (Index i = 0; i < 6; ++i)
        matrix_.innerIndexPtr()[at++] = static_cast<int>(6 * blocks_[static_cast<std::size_t>(k)].second + i);
  }
  matrix_.outerIndexPtr()[6 * n] = at;
  return true;
}

void BodyGraph::set_zero() {
  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
}

void BodyGraph::add(Index row_body, Index column_body, const Mat6& block) {
  const auto b = static_cast<std::size_t>(column_body);
  const auto begin = blocks_.begin() + first_[b], end = blocks_.begin() + first_[b + 1];
  const Index above = std::lower_bound(begin, end, Block(column_body, row_body)) - begin;
  for (Index c = 0; c < 6; ++c) {
    double* values = matrix_.valuePtr() + matrix_.outerIndexPtr()[6 * column_body + c] + 6 * above;
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(values) += block.col(c);
  }
}

} // namespace emmy::contact
