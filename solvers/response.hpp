#pragma once
/// Low modes of a model by how it gives way to forces (docs/theory/statics.md, vibrations).

#include "solvers/saddle.hpp"

namespace emmy {

/// Response to forces of the stiffened model, x = (K + shift M)^-1 f along the constraints, seen by vectors whose
/// scalar product is the mass: a symmetric matrix with the eigenvalues 1/(omega² + shift), the largest for the lowest.
class Response {
public:
  /// `stiffness` is the largest of the model per mass [1/s²]; `shift` is raised until the model resists every motion.
  Response(const Statics& s, const MassMetric& metric, double stiffness, double shift);

  double shift() const { return shift_; }
  Index size() const { return mass_.rows(); }

  /// Displacements and reactions for a vector.
  void solve(const VecX& v, VecX& x, VecX& l) const;
  VecX operator*(const VecX& v) const;

private:
  Eigen::SimplicialLLT<SparseMatrix> mass_;
  Saddle saddle_;
  double shift_ = 0;
  Index rows_ = 0;
};

} // namespace emmy
