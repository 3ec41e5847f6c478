#pragma once
/// One step of frame bodies, templated on the number: the equations of frame.hpp for one body or for four at once.
/// Forces and inertia are divided by s = 2 m / h², m the mean mass of a model, as the assembler wants them [S1].

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// A body at an iterate: what joints need to know of it, in the order in which it is kept.
template <class T>
struct FrameMotion {
  V3<T> dx;        ///< how far its centre has moved
  T unused = T{};  ///< makes it whole packs
  M3<T> Q_n1, Q_m; ///< orientation at the end of the step, mean of both ends
  M3<T> N_T;       ///< Q_n A^T: P_bar of a vector r is -skew(Q_m r) N_T [D13]
  M3<T> A_inverse; ///< D of a vector r is -Q_m skew(A^-1 r) [D12]
};

/// What joints add up on a body.
template <class T>
struct FrameLoads {
  V3<T> force;     ///< on its centre
  V3<T> moment;    ///< sum of q_m x r, space
  M3<T> stiffness; ///< derivative of the moment by Theta, without that of A
  T unused = T{};  ///< makes it whole packs
};

template <class T>
struct FrameInertia {
  T mass;         ///< relative to the mean mass
  M3<T> J;        ///< relative to the mean mass [m²]
  V3<T> weight;   ///< constant forces, with the sign of a residual [N]
  V3<T> unused{}; ///< makes it whole packs
};

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

/// Motion from the quaternion at the start.
template <class T>
EMMY_INLINE void move(const T* q_n, const V3<T>& dx, const V3<T>& Theta, FrameMotion<T>& m) {
  m.dx = dx;
  T q_n1[4];
  turn(q_n, Theta, q_n1);
  const M3<T> Q_n = rotation_matrix(q_n);
  m.Q_n1 = rotation_matrix(q_n1);
  m.Q_m = 0.5 * (Q_n + m.Q_n1);
  m.N_T = Q_n + 0.5 * times_skew(Q_n, Theta);
  const T scale = 1 / (1 + 0.25 * dot(Theta, Theta)); // [D12]
  const V3<T> half = 0.5 * Theta;
  M3<T> outer;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      outer(i, j) = half[i] * half[j];
  for (int i = 0; i < 3; ++i)
    outer(i, i) = outer(i, i) + 1;
  m.A_inverse = scale * plus_skew(outer, half);
}

/// Residual of a body with all that acts on it, and the tangent of its moments; `inv_s` turns its weight into the units
/// of the rest.
template <bool Tangent, class T>
EMMY_INLINE void balance(const FrameInertia<T>& body, double h, double inv_h, double inv_s, const V3<T>& dx,
                         const V3<T>& Theta, const V3<T>& v_n, const V3<T>& Omega_n, const M3<T>& N_T,
                         const M3<T>& A_inverse, const FrameLoads<T>& loads, V3<T>& r_x, V3<T>& r_turn, M3<T>& k_turn) {
  // [D11]; dx/h - v is also what the update of the rates adds, to the last bit.
  r_x = (h * body.mass) * (inv_h * dx - v_n) + loads.force + inv_s * body.weight;
  const V3<T> J_Theta = body.J * Theta;
  const V3<T> moment = transposed_times(N_T, loads.moment); // A n, n = Q_n^T moment
  r_turn = h * (body.J * (inv_h * Theta - Omega_n)) + 0.5 * cross(Theta, J_Theta) + moment;
  if constexpr (Tangent) { // [D14], [F11]
    const V3<T> n = A_inverse * moment;
    k_turn = body.J + 0.5 * cross(Theta, body.J) + transposed_times(N_T, loads.stiffness);
    k_turn = plus_skew(k_turn, 0.5 * (n - J_Theta));
  }
}

} // namespace EMMY_ISA
} // namespace emmy
