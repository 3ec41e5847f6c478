#pragma once
/// Eigenvalues by SLEPc, for matrices of Eigen. PETSc must be running.

#include "core/types.hpp"

#include <complex>
#include <functional>
#include <vector>

namespace emmy {

struct Eigenpair {
  std::complex<double> value;
  Eigen::VectorXcd vector;
};

/// All of a symmetric matrix.
std::vector<Eigenpair> symmetric_eigenpairs(const MatX& A);

/// All of s² + C s + K, of pairs the one with Im s > 0.
std::vector<Eigenpair> quadratic_eigenpairs(const MatX& C, const MatX& K);

/// The `count` largest of a symmetric matrix that is known by its products with vectors; fewer if they do not converge.
std::vector<Eigenpair> largest_eigenpairs(const std::function<VecX(const VecX&)>& A, Index size, Index count);

} // namespace emmy
