#include "contact/problem/dense_lu.hpp"

namespace emmy::contact {

Eigen::Map<MatX> DenseLU::matrix(Index n) {
  n_ = n;
  a_.resize(static_cast<std::size_t>(n * n));
  return {a_.data(), n, n};
}

bool DenseLU::factor() {
  Eigen::Map<MatX> a(a_.data(), n_, n_);
  pivot_.resize(static_cast<std::size_t>(n_));
  for (Index k = 0; k < n_; ++k) {
    Index row = 0;
    const double largest = a.col(k).tail(n_ - k).cwiseAbs().maxCoeff(&row);
    if (!(largest > 0)) // nor a number that is none
      return false;
    row += k;
    pivot_[static_cast<std::size_t>(k)] = row;
    a.row(k).swap(a.row(row));
    const Index left = n_ - k - 1;
    auto below = a.col(k).tail(left);
    below /= a(k, k);
    for (Index j = k + 1; j < n_; ++j)
      if (a(k, j) != 0) // bodies that do not touch
        a.col(j).tail(left) -= a(k, j) * below;
  }
  return true;
}

void DenseLU::solve(Eigen::Map<VecX> b) const {
  const Eigen::Map<const MatX> a(a_.data(), n_, n_);
  for (Index k = 0; k < n_; ++k)
    std::swap(b[k], b[pivot_[static_cast<std::size_t>(k)]]);
  a.triangularView<Eigen::UnitLower>().solveInPlace(b);
  a.triangularView<Eigen::Upper>().solveInPlace(b);
}

} // namespace emmy::contact
