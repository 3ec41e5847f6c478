#pragma once
/// One step of whatever turns by a convected Rodrigues vector Theta, templated on the number: rotation [D11]-[D14],
/// balance of forces and moments, and where a step ends. The only source of these equations, for one body or for four
/// at once; frame.hpp explains the symbols.

#include "core/mean_rule.hpp"
#include "core/rotation_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// A body at an iterate: what elements need to know of it, in the order in which it is kept.
template <class T>
struct FrameMotion {
  V3<T> dx;             ///< how far its centre has moved
  V3<T> x_n, remainder; ///< where it was, and what rounding took from that
  V3<T> unused{};       ///< makes it whole packs
  M3<T> Q_n, Q_n1;      ///< orientation at the ends of the step
  M3<T> N_T;            ///< Q_n A^T, of P_bar [D13]
  M3<T> A_inverse;      ///< of D [D12]; ball_side.hpp has both

  M3<T> Q_m() const { return 0.5 * (Q_n + Q_n1); }
};

/// What elements add up on a body.
template <class T>
struct FrameLoads {
  V3<T> force;     ///< on its centre
  V3<T> moment;    ///< sum of q_m x r, space
  M3<T> stiffness; ///< derivative of the moment by Theta, without that of A
  T unused = T{};  ///< makes it whole packs

  /// Without the tangent stiffness is left as it is.
  template <bool Tangent>
  EMMY_INLINE void add(const FrameLoads& more) {
    force = force + more.force;
    moment = moment + more.moment;
    if constexpr (Tangent)
      stiffness = stiffness + more.stiffness;
  }
};

template <class T>
struct FrameInertia {
  T mass;         ///< relative to the mean mass
  M3<T> J;        ///< relative to the mean mass [m²]
  V3<T> weight;   ///< constant forces, with the sign of a residual [N]
  V3<T> unused{}; ///< makes it whole packs
};

/// Q_n A^T, A^T = 1 + skew(Theta)/2.
template <class T>
EMMY_INLINE M3<T> times_A_transposed(const M3<T>& Q_n, const V3<T>& Theta) {
  return Q_n + 0.5 * times_skew(Q_n, Theta);
}

/// Rotation from the quaternion at the start: the very configuration that will be stored, so that rounding telescopes
/// over the steps instead of adding up.
template <class T>
EMMY_INLINE void move_rotation(const T* q_n, const V3<T>& Theta, FrameMotion<T>& m) {
  T q_n1[4];
  turn(q_n, Theta, q_n1);
  m.Q_n = rotation_matrix(q_n);
  m.Q_n1 = rotation_matrix(q_n1);
  m.N_T = times_A_transposed(m.Q_n, Theta);
  m.A_inverse = half_turn_inverse(Theta);
}

/// Balances of forces and moments are a * (inertia times change of rate) + b * (terms of second order).
struct BalanceScales {
  double rate, square;
};

/// Terms of the moments of inertia and `moment`, the sum of what acts, already times A Q_n^T [D11]. The stiffness of
/// what acts is that of FrameLoads.
template <bool Tangent, class T>
EMMY_INLINE void balance_moments(const M3<T>& J, const BalanceScales& scales, double inv_h, const V3<T>& Theta,
                                 const V3<T>& Omega_n, const M3<T>& N_T, const M3<T>& A_inverse, const V3<T>& moment,
                                 const M3<T>& stiffness, V3<T>& r_turn, M3<T>& k_turn) {
  const V3<T> J_Theta = scales.square * (J * Theta);
  r_turn = scales.rate * (J * half_gain(Omega_n, Theta, inv_h)) + 0.5 * cross(Theta, J_Theta) + moment;
  if constexpr (Tangent) { // [D14], [F11]
    const V3<T> n = A_inverse * moment;
    k_turn = scales.square * (J + 0.5 * cross(Theta, J)) + transposed_times(N_T, stiffness);
    k_turn = plus_skew(k_turn, 0.5 * (n - J_Theta));
  }
}

/// Inertia of a centre, with the scale BalanceScales::rate [D11].
template <class T>
EMMY_INLINE V3<T> balance_of_forces(T mass, double rate, double inv_h, const V3<T>& dx, const V3<T>& v_n) {
  return (rate * mass) * half_gain(v_n, dx, inv_h);
}

/// Residual of a body with all that acts on it, and the tangent of its moments, divided by s = 2 m / h², m the mean
/// mass of a model [S1]; `inv_s` turns its weight into these units.
template <bool Tangent, class T>
EMMY_INLINE void balance(const FrameInertia<T>& body, double h, double inv_h, double inv_s, const V3<T>& dx,
                         const V3<T>& Theta, const V3<T>& v_n, const V3<T>& Omega_n, const M3<T>& N_T,
                         const M3<T>& A_inverse, const FrameLoads<T>& loads, V3<T>& r_x, V3<T>& r_turn, M3<T>& k_turn) {
  r_x = balance_of_forces(body.mass, h, inv_h, dx, v_n) + loads.force + inv_s * body.weight;
  balance_moments<Tangent>(body.J, {h, 1}, inv_h, Theta, Omega_n, N_T, A_inverse,
                           transposed_times(N_T, loads.moment), // A n, n = Q_n^T moment
                           loads.stiffness, r_turn, k_turn);
}

} // namespace EMMY_ISA
} // namespace emmy
