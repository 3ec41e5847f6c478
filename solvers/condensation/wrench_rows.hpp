#pragma once
/// Moments that a joint of perpendicular directions transmits between two frames: the only place where the elimination
/// onto wrenches meets the equations of joints.

#include "elements/bodies/frame_port.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// As many of the three rows as a joint has perpendicular directions.
template <class T>
struct MomentRows {
  T phi[3];
  V3<T> m;       ///< moment on the first body, in space; its negative acts on the second
  V3<T> c[3];    ///< m of a unit multiplier
  V3<T> G[2][3]; ///< rows of the derivative of phi by Theta of either body
  M3<T> k[2];    ///< derivative of m by Theta, for given multipliers
};

/// Of joints E whose first three rows are a coincidence; `mu` are the multipliers behind those.
template <bool Tangent, class E, class T>
EMMY_INLINE void find_moments(const FrameMotion<T> (&bodies)[2], const T* vectors, const T* mu, MomentRows<T>& out) {
  static_assert(Shape<E>::coincidence() == 0 && !has_functions<E> && !Shape<E>::moves_centres());
  constexpr int dots = E::multipliers - 3;
  T multipliers[E::multipliers] = {}; // without a force, which has no part in the moment
  for (int i = 0; i < dots; ++i)
    multipliers[3 + i] = mu[i];
  FramePairSystem<T, E> system;
  evaluate<Tangent, E>(bodies, vectors, typename E::template Numbers<T>{}, static_cast<const T*>(nullptr), multipliers,
                       0, 0, system);
  out.m = system.moment[0];
  for (int i = 0; i < dots; ++i)
    out.phi[i] = system.phi[3 + i];
  if constexpr (Tangent) {
    for (int i = 0; i < dots; ++i) {
      out.c[i] = system.rows.G_bar[0][3 + i];
      for (int s = 0; s < 2; ++s)
        out.G[s][i] = system.rows.G[s][3 + i];
    }
    out.k[0] = -1.0 * system.k_other[1]; // of the opposite moment
    out.k[1] = system.k_other[0];
  }
}

} // namespace EMMY_ISA
} // namespace emmy
