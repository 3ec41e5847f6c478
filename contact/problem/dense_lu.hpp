#pragma once
/// LU factors with partial pivoting in room that only grows.

#include "core/types.hpp"

#include <vector>

namespace emmy::contact {

class DenseLU {
public:
  /// Room for a matrix of n rows, to be filled before `factor`.
  Eigen::Map<MatX> matrix(Index n);
  /// Returns false if the matrix is singular.
  bool factor();
  /// b becomes x.
  void solve(Eigen::Map<VecX> b) const;

private:
  Index n_ = 0;
  std::vector<double> a_;
  std::vector<Index> pivot_; ///< row that changed places with each
};

} // namespace emmy::contact
