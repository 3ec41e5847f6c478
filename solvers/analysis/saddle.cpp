#include "solvers/analysis/saddle.hpp"

#include <cmath>

namespace emmy {

namespace {

/// How much stiffer than A a condensed row is: the square root of what double precision can tell apart.
constexpr double contrast = 1e7;

/// A mass matrix that is not positive beyond this share of its diagonal belongs to bodies without mass in some
/// direction, such as laminae of points; they get a share that is too small to be noticed in the others.
constexpr double least_mass = 1e-9, added_mass = 1e-6;

} // namespace

bool Saddle::factor(const SparseMatrix& A, const SparseMatrix& G, const VecX& compliance, const VecX& scale,
                    double stiffness) {
  A_ = A;
  G_ = G;
  G_T_ = G.transpose();
  compliance_ = compliance;
  inverse_ = (compliance + scale / (contrast * stiffness)).cwiseInverse();
  const SparseMatrix H = A + SparseMatrix(G_T_ * inverse_.asDiagonal() * G_);
  llt_.compute(H);
  return llt_.info() == Eigen::Success;
}

void Saddle::solve(const VecX& a, const VecX& b, VecX& z, VecX& y) const {
  constexpr int solves = 5; // each gains six digits or more, unless the rows contradict one another
  z.setZero(a.size());
  y.setZero(b.size());
  for (int i = 0; i < solves; ++i) {
    const VecX left_a = a - A_ * z - G_T_ * y;
    const VecX left_b = b - G_ * z + compliance_.cwiseProduct(y);
    const VecX dz = llt_.solve(left_a + G_T_ * inverse_.cwiseProduct(left_b));
    z += dz;
    y += inverse_.cwiseProduct(G_ * dz - left_b);
  }
}

MassMetric::MassMetric(const Model& model, const State& state) : W(mass_matrix(model, state)) {
  diagonal = positive_mass_diagonal(model, W);
  const SparseMatrix D(diagonal.asDiagonal());
  if (Eigen::SimplicialLLT<SparseMatrix>(W - least_mass * D).info() != Eigen::Success)
    W += added_mass * D;
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
