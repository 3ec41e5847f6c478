#pragma once
/// Springs and inertia of a spring tetrahedron over one step, templated on the number: the only source of these
/// equations, for one body or for four at once; spring_tetra.hpp explains the symbols.
///
/// Rows of forces may be divided by any number, here and in the stiffness of springs: then so are multipliers.

#include "elements/bodies/momenta.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Base vectors that a standard spring leads from and to [T8]; -1 is the centre.
struct SpringEnds {
  int from, to;
};
inline constexpr int standard_spring_count = 6;
inline constexpr SpringEnds standard_spring_ends[standard_spring_count] = {{-1, 0}, {-1, 1}, {-1, 2},
                                                                           {0, 1},  {0, 2},  {1, 2}};

/// A vector from its start to its end, of which d_n and dd are known.
template <class T>
struct SpringStretch {
  V3<T> d_n1, d_m;
  T L_n, L_n1;
  T l;    ///< sum of lengths
  T gain; ///< L_n1 - L_n, from dd and not from two lengths [T13]
};
template <class T>
EMMY_INLINE SpringStretch<T> stretch(const V3<T>& d_n, const V3<T>& dd) {
  SpringStretch<T> t;
  t.d_n1 = d_n + dd;
  t.d_m = d_n + 0.5 * dd;
  t.L_n = square_root(dot(d_n, d_n));
  t.L_n1 = square_root(dot(t.d_n1, t.d_n1));
  t.l = t.L_n + t.L_n1;
  t.gain = dot(dd, 2 * d_n + dd) / t.l; // [T13]
  return t;
}

/// The force of a spring is S d_m, and S changes with the length at the end.
template <class T>
struct SpringPull {
  T S, dS_dL;
};
/// From lengths.
template <class T>
EMMY_INLINE SpringPull<T> closed_form_pull(const SpringStretch<T>& t, T k, T L0) {
  return {k * (1 - 2 * L0 / t.l), 2 * k * L0 / (t.l * t.l)}; // [T10], [T12]
}
/// From the elongation that is remembered of the start.
template <class T>
EMMY_INLINE SpringPull<T> increment_pull(const SpringStretch<T>& t, T k, T e_n) {
  const T S = k * (2 * e_n + t.gain) / t.l;
  return {S, (k - S) / t.l}; // [T13]
}
/// From the mean force, an unknown.
template <class T>
EMMY_INLINE SpringPull<T> mixed_pull(const SpringStretch<T>& t, T sigma) {
  const T S = 2 * sigma / t.l; // [T14]
  return {S, -S / t.l};        // [T15]
}

/// The row of a mixed spring asks for the elongation where it ends, `at_end` = 1, if the body is rigid: of the mean,
/// errors within a tolerance would alternate and grow, e_n1 = 2 c - e_n. At 1/2 it is the law of the spring [T14].
template <class T>
EMMY_INLINE T length_row(const SpringStretch<T>& t, T at_end, T e_n, T sigma, T compliance) {
  return e_n + at_end * t.gain - sigma * compliance;
}
/// Derivative of the row by d_n1, and of the force S d_m by sigma [T15].
template <class T>
EMMY_INLINE V3<T> length_row_gradient(const SpringStretch<T>& t, T at_end) {
  return (at_end / t.L_n1) * t.d_n1;
}
template <class T>
EMMY_INLINE V3<T> unit_pull(const SpringStretch<T>& t) {
  return (2 / t.l) * t.d_m;
}

/// Forces of inertia on centre and base vectors: `rate` is 2/h, b what their rates gain by half, z/h - rates [T11].
template <class T>
EMMY_INLINE void inertia_forces(T mass, const M3<T>& E, double rate, const V3<T>* b, V3<T>* r) {
  r[0] = (rate * mass) * b[0];
  for (int i = 0; i < 3; ++i)
    r[1 + i] = rate * (E(i, 0) * b[1] + E(i, 1) * b[2] + E(i, 2) * b[3]);
}

/// With q and v centre and base vectors, and their rates.
template <class T>
EMMY_INLINE BodyMomenta<T> tetra_momenta(T mass, const M3<T>& E, const V3<T>* q, const V3<T>* v) {
  V3<T> p[4]; // conjugate to them [T2]
  inertia_forces(mass, E, 1, v, p);
  BodyMomenta<T> of{dot(p[0], v[0]), p[0], cross(q[0], p[0])};
  for (int i = 1; i < 4; ++i) {
    of.kinetic = of.kinetic + dot(p[i], v[i]);
    of.angular = of.angular + cross(q[i], p[i]);
  }
  of.kinetic = 0.5 * of.kinetic;
  return of;
}

/// Energy of a spring with elongation e [T8].
template <class T>
EMMY_INLINE T spring_energy(T k, T e) {
  return 0.5 * k * e * e;
}

} // namespace EMMY_ISA
} // namespace emmy
