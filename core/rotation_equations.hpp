#pragma once
/// Rotations by a convected Rodrigues vector Theta, templated on the number: for one body or for four at once.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Matrix of a unit quaternion (w, x, y, z).
template <class T>
EMMY_INLINE M3<T> rotation_matrix(const T* q) {
  const T x2 = 2 * q[1], y2 = 2 * q[2], z2 = 2 * q[3];
  const T wx = x2 * q[0], wy = y2 * q[0], wz = z2 * q[0];
  const T xx = x2 * q[1], xy = y2 * q[1], xz = z2 * q[1];
  const T yy = y2 * q[2], yz = z2 * q[2], zz = z2 * q[3];
  return {{1 - (yy + zz), xy + wz, xz - wy, xy - wz, 1 - (xx + zz), yz + wx, xz + wy, yz - wx, 1 - (xx + yy)}};
}

/// The quaternion q_n o cay(Theta), of length one [F1].
template <class T>
EMMY_INLINE void turn(const T* q_n, const V3<T>& Theta, T* q_n1) {
  const V3<T> v{{0.5 * Theta[0], 0.5 * Theta[1], 0.5 * Theta[2]}};
  q_n1[0] = q_n[0] - q_n[1] * v[0] - q_n[2] * v[1] - q_n[3] * v[2];
  q_n1[1] = q_n[1] + q_n[0] * v[0] + q_n[2] * v[2] - q_n[3] * v[1];
  q_n1[2] = q_n[2] + q_n[0] * v[1] + q_n[3] * v[0] - q_n[1] * v[2];
  q_n1[3] = q_n[3] + q_n[0] * v[2] + q_n[1] * v[1] - q_n[2] * v[0];
  const T scale = 1 / square_root(q_n1[0] * q_n1[0] + q_n1[1] * q_n1[1] + q_n1[2] * q_n1[2] + q_n1[3] * q_n1[3]);
  for (int i = 0; i < 4; ++i)
    q_n1[i] = scale * q_n1[i];
}

/// A^-1 with A = 1 - skew(Theta)/2, the half step of the Cayley map [D12]: the mean of Q_n and Q_n cay(Theta) is Q_n
/// A^-1.
template <class T>
EMMY_INLINE M3<T> half_turn_inverse(const V3<T>& Theta) {
  const T scale = 1 / (1 + 0.25 * dot(Theta, Theta));
  const V3<T> half = 0.5 * Theta;
  M3<T> outer;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      outer(i, j) = half[i] * half[j];
  for (int i = 0; i < 3; ++i)
    outer(i, i) = outer(i, i) + 1;
  return scale * plus_skew(outer, half);
}

} // namespace EMMY_ISA
} // namespace emmy
