#pragma once
/// One step of a director body, templated on the number: the only source of these equations, for one body or for four
/// at once; director.hpp explains the symbols. Rows of forces may be divided by any number: then so are inertia and
/// loads.
///
/// f and other lists of three vectors, one for each base vector, are matrices with these as columns. W w = (w x q_i)
/// are the rigid motions of the mean base vectors, W^T f = sum of q_i x f_i, S = W^T W = tr(B) 1 - B [T17].

#include "core/mean_rule.hpp"

namespace emmy {
inline namespace EMMY_ISA {

template <class T>
EMMY_INLINE M3<T> skew_of(const V3<T>& a) {
  return plus_skew(M3<T>{}, a);
}
/// Sum of q_i x f_i.
template <class T>
EMMY_INLINE V3<T> moment_of(const M3<T>& Q, const M3<T>& f) {
  return cross(column(Q, 0), column(f, 0)) + cross(column(Q, 1), column(f, 1)) + cross(column(Q, 2), column(f, 2));
}
template <class T>
EMMY_INLINE M3<T> symmetric_part(const M3<T>& A) {
  M3<T> B;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      B(i, j) = 0.5 * (A(i, j) + A(j, i));
  return B;
}

/// Omega of base vectors that move with rates Q_dot [D1].
template <class T>
EMMY_INLINE V3<T> convected_spin(const M3<T>& Q, const M3<T>& Q_dot) {
  const M3<T> W = transposed_times(Q, Q_dot);
  return {{0.5 * (W(2, 1) - W(1, 2)), 0.5 * (W(0, 2) - W(2, 0)), 0.5 * (W(1, 0) - W(0, 1))}};
}

/// Half of Q^T Q - 1: the conditions of [D2] as a symmetric matrix.
template <class T>
EMMY_INLINE M3<T> strain(const M3<T>& Q) {
  M3<T> E = transposed_times(Q, Q);
  for (int i = 0; i < 3; ++i)
    E(i, i) = E(i, i) - 1;
  return 0.5 * E;
}

/// Base vectors over one step.
template <class T>
struct DirectorStep {
  M3<T> Q_n, dQ, Q_n1, Q_m, S_inverse;
  V3<T> psi; ///< rotation that fits dQ best: exact where dQ keeps the base vectors orthonormal
};
template <class T>
EMMY_INLINE DirectorStep<T> director_step(const M3<T>& Q_n, const M3<T>& dQ) {
  DirectorStep<T> d{Q_n, dQ, Q_n + dQ, Q_n + 0.5 * dQ, {}, {}};
  M3<T> S; // [T17]
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      S(i, j) = -(d.Q_m(i, 0) * d.Q_m(j, 0) + d.Q_m(i, 1) * d.Q_m(j, 1) + d.Q_m(i, 2) * d.Q_m(j, 2));
  const T trace = -(S(0, 0) + S(1, 1) + S(2, 2));
  for (int i = 0; i < 3; ++i)
    S(i, i) = S(i, i) + trace;
  d.S_inverse = inverse(S);
  d.psi = d.S_inverse * moment_of(d.Q_m, dQ);
  return d;
}

/// psi in the axes of the body at the start: what the mean rule takes for its turn [F2].
template <class T>
EMMY_INLINE V3<T> convected_turn(const DirectorStep<T>& d) {
  return transposed_times(d.Q_n, d.psi);
}

/// Derivative of S w by the i-th base vector at the end, for given w.
template <class T>
EMMY_INLINE M3<T> spread_change(const DirectorStep<T>& d, const V3<T>& w, int i) {
  const V3<T> q = column(d.Q_m, i);
  return 0.5 * plus_skew(cross(q, skew_of(w)), cross(q, w));
}

/// Forces W S^-1 m on the base vectors: a moment m spread on them, y = S^-1 m [D7].
template <class T>
EMMY_INLINE M3<T> spread(const DirectorStep<T>& d, const V3<T>& y) {
  return cross(y, d.Q_m);
}
/// Their derivative by the base vectors at the end, block (i, j) at i + 3 j; dm[j] is that of the moment by the j-th.
template <class T>
EMMY_INLINE void spread_derivative(const DirectorStep<T>& d, const V3<T>& y, const M3<T>* dm, M3<T>* k) {
  for (int j = 0; j < 3; ++j) {
    const M3<T> dy = d.S_inverse * (dm[j] + (-1.0) * spread_change(d, y, j));
    for (int i = 0; i < 3; ++i)
      k[i + 3 * j] = -1.0 * cross(column(d.Q_m, i), dy);
    k[4 * j] = plus_skew(k[4 * j], 0.5 * y);
  }
}

/// Moments on a body and what keeps it rigid: its equations are spread(y) + alpha Q_m E = 0 [D9]. The two parts are
/// perpendicular to each other, so that both vanish.
template <class T>
struct DirectorBalance {
  V3<T> gain, L_n; ///< half of what the convected momentum gains, and that at the start
  V3<T> moment;    ///< of inertia and of forces on the base vectors
  V3<T> y;
  M3<T> E; ///< strain at the end, by increments
  T alpha;
  M3<T> r; ///< the equations
};
/// `rate` is 2/h; f are forces of others on the base vectors.
template <class T>
EMMY_INLINE DirectorBalance<T> director_balance(const DirectorStep<T>& d, const M3<T>& J, const V3<T>& Omega_n,
                                                double inv_h, double rate, const M3<T>& f) {
  DirectorBalance<T> b;
  b.gain = J * half_gain(Omega_n, convected_turn(d), inv_h);
  b.L_n = J * Omega_n;
  b.moment = rate * (d.Q_n1 * b.gain + 0.5 * (d.dQ * b.L_n)) + moment_of(d.Q_m, f); // (l_n1 - l_n)/h [D9]
  b.y = d.S_inverse * b.moment;
  b.E = strain(d.Q_n) + symmetric_part(transposed_times(d.Q_m, d.dQ));
  b.alpha = (0.5 * inv_h * rate) * (J(0, 0) + J(1, 1) + J(2, 2));
  b.r = spread(d, b.y) + b.alpha * (d.Q_m * b.E); // [D9]
  return b;
}

/// Derivative of the moment by the base vectors at the end, dm[j] by the j-th.
template <class T>
EMMY_INLINE void moment_derivative(const DirectorStep<T>& d, const DirectorBalance<T>& b, const M3<T>& J, double inv_h,
                                   double rate, const M3<T>& f, M3<T>* dm) {
  M3<T> J_Q_n; // J Q_n^T
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      J_Q_n(i, j) = J(i, 0) * d.Q_n(j, 0) + J(i, 1) * d.Q_n(j, 1) + J(i, 2) * d.Q_n(j, 2);
  const M3<T> of_psi = (inv_h * rate) * (d.Q_n1 * (J_Q_n * d.S_inverse)); // by S psi
  for (int j = 0; j < 3; ++j) {
    const M3<T> d_psi = plus_skew((-1.0) * spread_change(d, d.psi, j), column(d.Q_n, j)); // S psi = W^T dQ
    dm[j] = plus_skew(of_psi * d_psi, -0.5 * column(f, j));
    const T turned = rate * (b.gain[j] + 0.5 * b.L_n[j]);
    for (int i = 0; i < 3; ++i)
      dm[j](i, i) = dm[j](i, i) + turned;
  }
}

/// Derivative of the equations, block (i, j) at i + 3 j.
template <class T>
EMMY_INLINE void director_tangent(const DirectorStep<T>& d, const DirectorBalance<T>& b, const M3<T>* dm, M3<T>* k) {
  spread_derivative(d, b.y, dm, k);
  const T half = 0.5 * b.alpha;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      M3<T>& block = k[i + 3 * j];
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          T sum = d.Q_m(r, j) * d.Q_n1(c, i);
          if (r == c)
            sum = sum + b.E(i, j);
          if (i == j)
            sum = sum + d.Q_m(r, 0) * d.Q_n1(c, 0) + d.Q_m(r, 1) * d.Q_n1(c, 1) + d.Q_m(r, 2) * d.Q_n1(c, 2);
          block(r, c) = block(r, c) + half * sum;
        }
    }
}

/// Convected angular velocity at the end, by the mean rule [F2].
template <class T>
EMMY_INLINE V3<T> spin_at_end(const DirectorStep<T>& d, const V3<T>& Omega_n, double inv_h) {
  return rate_at_end(Omega_n, convected_turn(d), inv_h);
}

} // namespace EMMY_ISA
} // namespace emmy
