#pragma once
/// frame_equations.hpp for one body and its port: base vectors with their maps, balance of moments and tangent,
/// [D11]-[D14]. Shared by the bodies whose orientation is a quaternion.

#include "core/connectivity.hpp"
#include "core/rotation.hpp"

#include <cmath>

namespace emmy::rotation_step {

/// Orientation, body to space, from the quaternion that starts at `first`.
inline Mat3 orientation(const VecX& values, Index first) {
  return from_wxyz(values.segment<4>(first)).toRotationMatrix();
}

inline Eigen::Map<const Mat3> base_vectors(const Vec12& q) {
  return Eigen::Map<const Mat3>(q.data() + 3);
}
inline Eigen::Map<Mat3> base_vectors(Vec12& q) {
  return Eigen::Map<Mat3>(q.data() + 3);
}

/// Base vectors at both ends of a step from the quaternion q_n, scalar first.
void place_base_vectors(const Vec4& q_n, const Vec3& Theta, PortMotion& m);

/// The same, and their three columns of the maps from `column` on, which must be there.
void move_base_vectors(const Vec4& q_n, const Vec3& Theta, Index column, PortMotion& m);

/// Derivative of P_bar^T r with respect to Theta at fixed r [F11]; the entries r_0 on the centre take no part.
Mat3 geometric(const Vec3& Theta, const PortMotion& m, Index column, const Vec12& r);

/// The body's own terms of the balance of moments [D11] and their tangent [D14]; J is about the point in which forces
/// without a moment act: the centre of mass, or a fixed point.
Vec3 residual(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h);
Mat3 tangent(const Mat3& J, const Vec3& Theta, double inv_h);

/// Size of the largest terms of residual().
Vec3 magnitude(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h);

/// The angle [rad] of the rotation by Theta.
inline double angle(const Vec3& Theta) {
  return 2 * std::atan(Theta.norm() / 2);
}

/// What the rows of residual() balance.
const char* row_name(Index i);

} // namespace emmy::rotation_step
