#pragma once
/// Multipliers of constraints by the regularised iteration [E11] (docs/theory/explicit_rotation.md):
///   lambda <- lambda + (S + e diag S)^-1 g(lambda)
/// with a symmetric positive semidefinite matrix S that approximates -dg/dlambda. The regularisation e admits rows that
/// repeat one another, changes the way to the solution but not the solution, and leads from zero to the smallest
/// multipliers.

#include "solvers/enforcement/multiplier_iteration.hpp"

#include <Eigen/SparseCholesky>

#include <limits>
#include <utility>
#include <vector>

namespace emmy {

/// Where a symmetric matrix may be non-zero: pairs (row, column), each pair of rows once.
using SymmetricPattern = std::vector<std::pair<int, int>>;

class MultiplierSolve {
public:
  using Vector = Eigen::VectorXd;

  /// `pattern` must hold the diagonal. Orders the rows for little fill, once.
  MultiplierSolve(int rows, const SymmetricPattern& pattern);

  int rows() const { return rows_; }

  /// The matrix is filled entry by entry, in the order of the pattern, and then factored; nothing is allocated.
  void clear();
  double& entry(std::size_t i) { return matrix_.valuePtr()[slot_[i]]; }
  /// `natural` is what the diagonal would be if a row did what its terms can do: rows that fall far short of it say
  /// nothing here. False if the matrix is not finite.
  bool factor(const Vector& natural);

  struct Report {
    bool converged = false;
    int iterations = 0;
    double largest = 0; ///< of |g|, in units of its rounding, at the end
    bool finite = true; ///< g was a number
    int worst = -1;     ///< row of it
  };

  /// Solves g(lambda) = 0. `residual(lambda, g)` computes g. `size` is the size of the terms that are summed in each
  /// entry of g, beside those of lambda: no iteration can get below their rounding. `residual` may change it. The
  /// factored matrix times `stiffness` is -dg/dlambda.
  template <class Residual>
  Report solve(Vector& lambda, double stiffness, const Vector& size, int max_iterations, Residual residual);

private:
  /// Eigen's factorisation without the copy of the matrix that it makes for its own ordering.
  class Factor : public Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>> {
  public:
    void refactor(const Eigen::SparseMatrix<double>& upper) { this->template factorize_preordered<true>(upper); }
  };

  /// permuted_ <- S permuted_ without the regularisation; change_ <- B permuted_.
  void apply_matrix();
  void apply_inverse() { change_ = factor_.solve(permuted_); }
  Report judge(const Vector& lambda, double stiffness, const Vector& size) const;

  int rows_;
  Eigen::SparseMatrix<double> matrix_; // upper triangle, permuted
  std::vector<int> slot_;              // of each entry of the pattern in the matrix
  std::vector<int> diagonal_;          // of each row
  std::vector<int> place_;             // of each row after the permutation
  Factor factor_;
  Vector added_; // to the diagonal
  Vector g_, permuted_, change_;
};

template <class Residual>
MultiplierSolve::Report MultiplierSolve::solve(Vector& lambda, double stiffness, const Vector& size, int max_iterations,
                                               Residual residual) {
  // Some roundings of the terms are as good as zero; where the iteration cannot get there, it may stop at its floor.
  constexpr double wanted = 2, floor = 500; // in units of rounding
  Report report;
  double last = std::numeric_limits<double>::infinity();
  const auto permute = [&](const Vector& from) {
    for (int r = 0; r < rows_; ++r)
      permuted_[place_[static_cast<std::size_t>(r)]] = from[r];
  };
  if (!lambda.isZero(0)) { // of a start from elsewhere, what does something here
    permute(lambda);
    apply_matrix();
    apply_inverse();
    for (int r = 0; r < rows_; ++r)
      lambda[r] = change_[place_[static_cast<std::size_t>(r)]];
  }
  const auto judge_residual = [&](int i) {
    residual(static_cast<const Vector&>(lambda), g_);
    report = judge(lambda, stiffness, size);
    report.iterations = i;
    const bool stalled = report.largest > last / 2;
    last = report.largest;
    report.converged = report.largest <= wanted || (stalled && report.largest <= floor);
    return report.converged ? Judgement::converged : report.finite ? Judgement::go_on : Judgement::failed;
  };
  iterate_multipliers(max_iterations, judge_residual, [&] {
    permute(g_);
    apply_inverse();
    permuted_ = change_;
    apply_matrix();
    apply_inverse();
    for (int r = 0; r < rows_; ++r)
      lambda[r] += change_[place_[static_cast<std::size_t>(r)]] / stiffness;
  });
  return report;
}

} // namespace emmy
