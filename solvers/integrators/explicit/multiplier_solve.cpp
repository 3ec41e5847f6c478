#include "solvers/integrators/explicit/multiplier_solve.hpp"

#include <Eigen/OrderingMethods>

#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// Relative size of the regularisation [E11]: rows that repeat others converge in one iteration, rows that nearly do in
/// a few.
constexpr double regularisation = 1e-6;
/// The same relative to what a row could do: next to nothing for a row that does something, all for one that does not.
constexpr double least = 1e-9;
} // namespace

MultiplierSolve::MultiplierSolve(int rows, const SymmetricPattern& pattern)
    : rows_(rows), matrix_(rows, rows), added_(Vector::Zero(rows)), g_(Vector::Zero(rows)), permuted_(rows),
      change_(rows) {
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

bool MultiplierSolve::factor(const Vector& natural) {
  for (int i = 0; i < rows_; ++i) {
    const int place = place_[static_cast<std::size_t>(i)];
    double& value = matrix_.valuePtr()[diagonal_[static_cast<std::size_t>(place)]];
    added_[place] = regularisation * value + least * natural[i];
    if (value + added_[place] == 0)
      added_[place] = 1; // a row without any effect
    value += added_[place];
  }
  if (!std::isfinite(Eigen::Map<const Vector>(matrix_.valuePtr(), matrix_.nonZeros()).sum()))
    return false;
  factor_.refactor(matrix_);
  return factor_.info() == Eigen::Success;
}

void MultiplierSolve::apply_matrix() {
  change_ = added_.cwiseProduct(permuted_);
  g_.noalias() = matrix_.selfadjointView<Eigen::Upper>() * permuted_;
  permuted_ = g_ - change_;
}

MultiplierSolve::Report MultiplierSolve::judge(const Vector& lambda, double stiffness, const Vector& size) const {
  Report report;
  for (int i = 0; i < rows_; ++i) {
    const auto place = static_cast<std::size_t>(place_[static_cast<std::size_t>(i)]);
    const double reaction = stiffness * matrix_.valuePtr()[diagonal_[place]] * std::abs(lambda[i]);
    const double rounding = std::numeric_limits<double>::epsilon() * (size[i] + reaction);
    // Where all terms vanish, so must their sum.
    const double relative = g_[i] == 0 ? 0 : std::abs(g_[i]) / std::max(rounding, std::numeric_limits<double>::min());
    if (!(relative <= report.largest)) {
      report.largest = relative;
      report.worst = i;
    }
    report.finite = report.finite && std::isfinite(g_[i]);
  }
  return report;
}

} // namespace emmy
