#include "solvers/multiplier_solve.hpp"

#include <Eigen/OrderingMethods>

#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// Relative size of the regularisation [E11]: rows that repeat others converge in one iteration, rows that nearly do in
/// a few.
constexpr double regularisation = 1e-6;
} // namespace

MultiplierSolve::MultiplierSolve(int rows, const SymmetricPattern& pattern)
    : rows_(rows), matrix_(rows, rows), g_(Vector::Zero(rows)), permuted_(rows), change_(rows) {
  using Triplet = Eigen::Triplet<double>;
  std::vector<Triplet> both;
  for (const auto& [i, j] : pattern) {
    both.emplace_back(i, j, 1.0);
    both.emplace_back(j, i, 1.0);
  }
  Eigen::SparseMatrix<double> whole(rows, rows);
  whole.setFromTriplets(both.begin(), both.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  if (rows > 0)
    Eigen::AMDOrdering<int>()(whole, inverse); // new place -> row
  place_.resize(static_cast<std::size_t>(rows));
  for (int k = 0; k < rows; ++k)
    place_[static_cast<std::size_t>(inverse.indices()[k])] = k;

  const auto places = [&](const std::pair<int, int>& entry) {
    const int a = place_[static_cast<std::size_t>(entry.first)], b = place_[static_cast<std::size_t>(entry.second)];
    return std::pair(std::min(a, b), std::max(a, b));
  };
  std::vector<Triplet> upper;
  for (const auto& entry : pattern)
    upper.emplace_back(places(entry).first, places(entry).second, 1.0);
  matrix_.setFromTriplets(upper.begin(), upper.end());
  const auto find = [&](int row, int column) {
    const int *first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column],
              *last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - matrix_.innerIndexPtr());
  };
  for (const auto& entry : pattern)
    slot_.push_back(find(places(entry).first, places(entry).second));
  for (int k = 0; k < rows; ++k)
    diagonal_.push_back(find(k, k));
  factor_.analyzePattern(matrix_);
}

void MultiplierSolve::clear() {
  std::fill(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros(), 0.0);
}

bool MultiplierSolve::factor() {
  for (const int d : diagonal_) {
    double& value = matrix_.valuePtr()[d];
    value += value > 0 ? regularisation * value : 1; // a row without any effect
  }
  if (!std::isfinite(Eigen::Map<const Vector>(matrix_.valuePtr(), matrix_.nonZeros()).sum()))
    return false;
  factor_.refactor(matrix_);
  return factor_.info() == Eigen::Success;
}

MultiplierSolve::Report MultiplierSolve::judge(const Vector& size) const {
  Report report;
  for (int i = 0; i < rows_; ++i) {
    const double relative = std::abs(g_[i]) / (std::numeric_limits<double>::epsilon() * size[i]);
    if (!(relative <= report.largest)) {
      report.largest = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
      report.worst = i;
    }
  }
  return report;
}

} // namespace emmy
