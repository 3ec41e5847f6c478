#pragma once
/// What eliminations of bodies with affine ports have in common: their numbers, their right sides.

#include "core/pack.hpp"
#include "solvers/condensation/affine_program.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// A body over one step, divided by s and in masses relative to the mean mass.
template <class T>
struct AffineBody {
  T mass, inverse_mass;
  M3<T> inertia;
  V3<T> weight;
  T compliance, at_end; ///< of a tetra; the former times s
  V3<T> q_n[4], z[4], v[4];
  T e_n[affine_springs], sigma[affine_springs]; ///< of a tetra

  M3<T> Q_n() const { return columns(q_n + 1); }
  M3<T> dQ() const { return columns(z + 1); }
  M3<T> Q_dot() const { return columns(v + 1); }
  static M3<T> columns(const V3<T>* of) {
    return {{of[0][0], of[0][1], of[0][2], of[1][0], of[1][1], of[1][2], of[2][0], of[2][1], of[2][2]}};
  }
};

/// A right side of its equations, or their residual: on centre and base vectors, and of the rows of springs.
template <class T>
struct AffineRightSide {
  V3<T> f[4];
  T g[affine_springs];
};

/// A side of a joint: weights of centre and base vectors in the constraint.
template <class T>
struct AffinePort {
  T sign;
  V3<T> arm; ///< times sign

  /// What these vectors of the body have in the joint.
  EMMY_INLINE V3<T> of(const V3<T>& centre, const V3<T>* base) const {
    return sign * centre + arm[0] * base[0] + arm[1] * base[1] + arm[2] * base[2];
  }
  EMMY_INLINE V3<T> of(const V3<T>* q) const { return of(q[0], q + 1); }
  /// Forces on them by forces in the joint.
  EMMY_INLINE void add_forces(const V3<T>& mu, V3<T>* f) const {
    f[0] = f[0] + sign * mu;
    for (int i = 0; i < 3; ++i)
      f[1 + i] = f[1 + i] + arm[i] * mu;
  }
};

} // namespace EMMY_ISA
} // namespace emmy
