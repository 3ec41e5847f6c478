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

/// Of a body with centre x and orientation Q that moves with v and turns with Omega, convected [D3].
template <class T>
EMMY_INLINE BodyMomenta<T> rigid_momenta(T mass, const M3<T>& J, const V3<T>& x, const M3<T>& Q, const V3<T>& v,
                                         const V3<T>& Omega) {
  const V3<T> p = mass * v, L = J * Omega;
  return {0.5 * (dot(p, v) + dot(L, Omega)), p, cross(x, p) + Q * L};
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
