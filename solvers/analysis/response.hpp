#pragma once
/// Low modes of a model by how it gives way to forces (docs/theory/statics.md, vibrations).

#include "solvers/analysis/saddle.hpp"

#include <cmath>

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

/// Stiffness of a motion, x^T K x + l^T F l, and the rounding of the terms that cancel in it.
struct MotionStiffness {
  double value = 0, rounding = 0;
  bool is_none() const { return std::abs(value) <= rounding; }
};

/// Of the motion x with the reactions l. `largest` is the stiffness of the model per mass [1/s²], `imbalance` what the
/// balance of forces leaves over, relative to them: geometric stiffness is known to that.
MotionStiffness stiffness_of(const VecX& x, const VecX& l, const Model& model, const Statics& s,
                             const MassMetric& metric, double largest, double imbalance);

/// The response with dampers, as a matrix for vectors (x, s x) with the eigenvalues 1/(s - shift): the linear form of
/// (M s² + C s + K) x + G^T l = 0, G x = F l with symmetric K and C, shifted and inverted.
class DampedResponse {
public:
  /// `shift` [1/s] is raised until the model resists every motion. `free` are motions without stiffness and damping,
  /// of mass one, which are left out: each would be a double s = 0.
  DampedResponse(const Statics& s, const SparseMatrix& C, const MassMetric& metric, double stiffness, double shift,
                 MatX free);

  double shift() const { return shift_; }
  Index size() const { return 2 * mass_.rows(); }
  VecX operator*(const VecX& w) const;
  /// Displacements in a vector.
  Eigen::VectorXcd shape(const Eigen::VectorXcd& w) const;

private:
  VecX without_free(const VecX& x) const { return x - free_ * (free_.transpose() * (mass_ * x)); }

  SparseMatrix mass_, C_;
  VecX scale_; // displacements times their square root of mass are of one unit
  MatX free_;
  Saddle saddle_;
  double shift_ = 0;
  Index rows_ = 0;
};

} // namespace emmy
