#pragma once
/// Solves A x = b for symmetric positive semidefinite A with about unit diagonal, and says where that has no solution.

#include "core/types.hpp"

#include <vector>

namespace emmy::contact {

class PivotedCholesky {
public:
  /// Room for a matrix of n rows, to be filled before `factor`. Its lower triangle is read.
  Eigen::Map<MatX> matrix(Index n);
  void factor();
  /// The solution of least length, of the part of A x = b that has one. `null` is a direction in which A does nothing
  /// and b . null > 0, as far as b is out of reach; zero otherwise.
  void solve(const std::vector<double>& b, std::vector<double>& x, std::vector<double>& null);

private:
  Eigen::Map<MatX> held() { return {a_.data(), n_, n_}; }

  Index n_ = 0, rank_ = 0;
  std::vector<double> a_;        ///< L below its diagonal: A[order] = L L^T, of which the first `rank_` columns count
  std::vector<Index> order_;     ///< row of A at each row of L
  std::vector<double> X_, gram_; ///< A null vector is (-X t, t) in the order of L; 1 + X^T X
  std::vector<double> work_, t_;
};

} // namespace emmy::contact
