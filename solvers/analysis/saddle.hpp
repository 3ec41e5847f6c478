#pragma once
/// Linear systems with constraints, A z + G^T y = a, G z - F y = b, that tolerate dependent rows and say whether A is
/// positive definite where G z = 0 (docs/theory/statics.md, condensation).

#include "solvers/assembly/linearisation.hpp"

#include <Eigen/SparseCholesky>

namespace emmy {

/// Condenses the rows with a compliance E = F + s much smaller than that of A, H = A + G^T E^-1 G, and takes the added
/// softness s back by refinement, so that the answer does not depend on it. H is positive definite if and only if A is
/// where the rows leave it free, which Cholesky's factorisation finds out on the way.
class Saddle {
public:
  /// `compliance` is the diagonal of F; `scale` says how far each row gives way, G_i D^-1 G_i^T, where A is of the size
  /// of `stiffness` D. Returns false if A is not positive definite where G z = 0.
  bool factor(const SparseMatrix& A, const SparseMatrix& G, const VecX& compliance, const VecX& scale,
              double stiffness);

  void solve(const VecX& a, const VecX& b, VecX& z, VecX& y) const;

private:
  SparseMatrix A_, G_, G_T_;
  VecX compliance_, inverse_; // F, 1/E
  Eigen::SimplicialLLT<SparseMatrix> llt_;
};

/// K without what is not symmetric in it: rounding, and forces without potential.
inline SparseMatrix symmetric(const SparseMatrix& K) {
  return (K + SparseMatrix(K.transpose())) / 2;
}

/// What measures and weighs the motions of a model: the mass matrix, made positive definite where bodies have no mass.
struct MassMetric {
  explicit MassMetric(const Model& model, const State& state);

  /// G_i D^-1 G_i^T for every row, D the diagonal; never zero.
  VecX row_scales(const SparseMatrix& G) const;

  SparseMatrix W;
  VecX diagonal;
};

} // namespace emmy
