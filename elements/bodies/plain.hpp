#pragma once
/// Vectors and matrices of Eigen as those of equations that are free of it, and back.

#include "core/pack.hpp"
#include "core/types.hpp"

namespace emmy {

inline V3<double> plain(const Vec3& a) {
  return {{a[0], a[1], a[2]}};
}
inline M3<double> plain(const Mat3& A) {
  M3<double> B;
  Eigen::Map<Mat3>(B.m) = A;
  return B;
}
inline Eigen::Map<const Vec3> of_eigen(const V3<double>& a) {
  return Eigen::Map<const Vec3>(a.x);
}
inline Eigen::Map<const Mat3> of_eigen(const M3<double>& A) {
  return Eigen::Map<const Mat3>(A.m);
}

} // namespace emmy
