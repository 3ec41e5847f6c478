#pragma once
/// What the ledger asks of a body at an instant, templated on the number: the only source of these equations, for one
/// body or for four at once.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Linear in the masses: where these are relative to another one, so is this.
template <class T>
struct BodyMomenta {
  T kinetic;
  V3<T> linear, angular; ///< the latter about the origin
};

/// Of a body that moves with v, its centre being in x, and has the momentum p and, about its centre, pi. L is pi in any
/// axes, and Omega how it turns in the same ones.
template <class T>
EMMY_INLINE BodyMomenta<T> momenta_of(const V3<T>& x, const V3<T>& p, const V3<T>& v, const V3<T>& pi, const V3<T>& L,
                                      const V3<T>& Omega) {
  return {0.5 * (dot(p, v) + dot(L, Omega)), p, cross(x, p) + pi};
}

/// Of a body with centre x and orientation Q that moves with v and turns with Omega, convected [D3].
template <class T>
EMMY_INLINE BodyMomenta<T> rigid_momenta(T mass, const M3<T>& J, const V3<T>& x, const M3<T>& Q, const V3<T>& v,
                                         const V3<T>& Omega) {
  const V3<T> L = J * Omega;
  return momenta_of<T>(x, mass * v, v, Q * L, L, Omega);
}

/// Of a body that turns about the point X_p, fixed in space, with J about it; its centre moves with v [F12].
template <class T>
EMMY_INLINE BodyMomenta<T> pivoted_momenta(T mass, const M3<T>& J, const V3<T>& X_p, const M3<T>& Q, const V3<T>& v,
                                           const V3<T>& Omega) {
  const V3<T> p = mass * v, L = J * Omega;
  return {0.5 * dot(L, Omega), p, cross(X_p, p) + Q * L};
}

template <class T>
EMMY_INLINE BodyMomenta<T> point_momenta(T mass, const V3<T>& x, const V3<T>& v) {
  const V3<T> p = mass * v;
  return {0.5 * dot(p, v), p, cross(x, p)};
}

/// Without branches, for packs as well.
template <class T>
EMMY_INLINE T larger(T a, T b) {
  return a > b ? a : b;
}

/// Largest entry of Q^T Q - 1, twice the e of [D2].
template <class T>
EMMY_INLINE T rigidity_violation(const M3<T>& Q) {
  T largest{};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i <= j; ++i) {
      T entry = Q(0, i) * Q(0, j) + Q(1, i) * Q(1, j) + Q(2, i) * Q(2, j);
      if (i == j)
        entry = entry - 1;
      largest = larger(largest, larger(entry, -entry));
    }
  return largest;
}

template <class T>
EMMY_INLINE T determinant(const M3<T>& A) {
  return A(0, 0) * (A(1, 1) * A(2, 2) - A(2, 1) * A(1, 2)) + A(1, 0) * (A(2, 1) * A(0, 2) - A(0, 1) * A(2, 2)) +
         A(2, 0) * (A(0, 1) * A(1, 2) - A(1, 1) * A(0, 2));
}

} // namespace EMMY_ISA
} // namespace emmy
