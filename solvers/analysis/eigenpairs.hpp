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

/// Asked now and then how to go on, with the number of eigenvalues found so far; false ends the search.
using GoOn = std::function<bool(Index found)>;

/// All of a symmetric matrix.
std::vector<Eigenpair> symmetric_eigenpairs(const MatX& A);

/// All of s² + C s + K, of pairs the one with Im s > 0.
std::vector<Eigenpair> quadratic_eigenpairs(const MatX& C, const MatX& K);

/// The `count` largest of a symmetric matrix that is known by its products with vectors; fewer if they do not converge.
std::vector<Eigenpair> largest_eigenpairs(const std::function<VecX(const VecX&)>& A, Index size, Index count,
                                          const GoOn& go_on = {});

/// The `count` nearest to zero of a real matrix of which (A - shift)^-1 is known by its products with vectors, and
/// their conjugates, of which only those with Im > 0 are given; fewer if they do not converge.
std::vector<Eigenpair> eigenpairs_near_zero(const std::function<VecX(const VecX&)>& inverse, Index size, Index count,
                                            double shift, const GoOn& go_on = {});

} // namespace emmy
