#pragma once
/// Sparse matrix of 6 x 6 blocks on bodies that contacts couple.

#include "contact/problem/compliance.hpp"

#include <Eigen/SparseCore>

#include <utility>

namespace emmy::contact {

using Mat6 = Eigen::Matrix<double, 6, 6>;

class BodyGraph {
public:
  /// Returns whether the pattern is another than before.
  bool begin(const BodyForm& form);
  void set_zero();
  void add(Index row_body, Index column_body, const Mat6& block);

  const Eigen::SparseMatrix<double>& matrix() const { return matrix_; }

private:
  using Block = std::pair<Index, Index>; ///< body of the columns, body of the rows

  std::vector<Block> blocks_, found_; ///< sorted
  std::vector<Index> first_;          ///< block of each body's columns
  Eigen::SparseMatrix<double> matrix_;
};

} // namespace emmy::contact
