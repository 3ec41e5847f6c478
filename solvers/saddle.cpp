#include "solvers/saddle.hpp"

#include <cmath>

namespace emmy {

namespace {

/// How much stiffer than A a condensed row is: the square root of what double precision can tell apart.
constexpr double contrast = 1e7;

/// Share of the diagonal that is added to the mass matrix, for bodies without mass in some direction.
constexpr double added_mass = 1e-6;

} // namespace

bool Saddle::factor(const SparseMatrix& A, const SparseMatrix& G, const VecX& compliance, const VecX& scale,
                    double stiffness) {
  G_ = G;
  G_T_ = G.transpose();
  softness_ = scale / (contrast * stiffness);
  inverse_ = (compliance + softness_).cwiseInverse();
  const SparseMatrix H = A + SparseMatrix(G_T_ * inverse_.asDiagonal() * G_);
  llt_.compute(H);
  return llt_.info() == Eigen::Success;
}

void Saddle::solve(const VecX& a, const VecX& b, VecX& z, VecX& y) const {
  constexpr int refinements = 4; // each gains six digits or more, unless the rows contradict one another
  y.setZero(b.size());
  for (int i = 0; i <= refinements; ++i) {
    const VecX target = b - softness_.cwiseProduct(y);
    z = llt_.solve(a + G_T_ * inverse_.cwiseProduct(target));
    y = inverse_.cwiseProduct(G_ * z - target);
  }
}

MassMetric::MassMetric(const Model& model, const State& state) : W(mass_matrix(model, state)) {
  diagonal = positive_mass_diagonal(model, W);
  for (Index i = 0; i < diagonal.size(); ++i)
    W.coeffRef(i, i) += added_mass * diagonal[i];
}

VecX MassMetric::row_scales(const SparseMatrix& G) const {
  VecX scale = VecX::Zero(G.rows());
  for (Index j = 0; j < G.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(G, j); it; ++it)
      scale[it.row()] += it.value() * it.value() / diagonal[j];
  // A row without gradient, such as a distance that happens to be zero, goes with the others.
  double least = HUGE_VAL;
  for (const double s : scale)
    least = s > 0 ? std::min(least, s) : least;
  return (scale.array() > 0).select(scale, std::isfinite(least) ? least : 1);
}

} // namespace emmy
