#pragma once
/// One step of a free rigid body with its momenta as the state, templated on the number and on the map of rotations.
///
/// [C5] is the balance of moments [D11] of frame_equations.hpp: with the Cayley map, cay(Theta) = A^-1 A^T, the moment
/// of the step being what the angular momentum gains, h n = a - a_n, and a_n = J W,
///   A^T [J (2 Theta/h - W) - rot(-Theta) a] = 2 [J (Theta/h - W) + Theta x J Theta / (2h)] - A (a - a_n).
/// In momenta it is a fixed point that needs no matrix, and holds for every map.
///
///   a_n, a   Q_n^T pi_n, Q_n^T pi_n1    angular momenta at the ends of the step, axes of the body at its start
///   W        J^-1 a_n                   angular velocity at the start, body components

#include "core/lossless_sum.hpp"
#include "elements/bodies/frame_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Displacement of the centre by the momenta at both ends [C2].
template <class T>
EMMY_INLINE V3<T> free_shift(T inverse_mass, const V3<T>& p_n, const V3<T>& p_n1, double h) {
  return inverse_mass * increment_between(p_n, p_n1, h);
}

/// A sweep of the fixed point [C6]: the mean rule, with the angular velocity at the end that belongs to Theta.
template <class Map, class T>
EMMY_INLINE V3<T> free_turn(const M3<T>& J_inverse, const V3<T>& W, const V3<T>& a, double h, const V3<T>& Theta) {
  return increment_between(W, J_inverse * Map::turned_back(Theta, a), h);
}

/// Residual of [C5] and Newton's matrix, times h/2. By the Cayley map they are [D11] and [D14], with time counted in
/// steps: h times the rounded 1/h would be off by the same in every step, and energy drift with it.
template <class T>
EMMY_INLINE void balance_momenta(CayleyMap, const M3<T>& J, const V3<T>& W, const V3<T>& a_n, const V3<T>& a, double h,
                                 const V3<T>& Theta, V3<T>& r, M3<T>& K) {
  const V3<T> acting = (-0.5 * h) * (a - a_n);
  const V3<T> moment = acting - 0.5 * cross(Theta, acting); // A times it
  const M3<T> nothing{};                                    // it does not turn with the body
  balance_moments<true>(J, {1, 1}, 1, Theta, h * W, nothing, half_turn_inverse(Theta), moment, nothing, r, K);
}
template <class T>
EMMY_INLINE void balance_momenta(ExponentialMap, const M3<T>& J, const V3<T>& W, const V3<T>&, const V3<T>& a, double h,
                                 const V3<T>& Theta, V3<T>& r, M3<T>& K) {
  const V3<T> b = ExponentialMap::turned_back(Theta, a);
  r = J * (Theta - (0.5 * h) * W) - (0.5 * h) * b;
  K = J + (-0.5 * h) * ExponentialMap::change_of_turned_back(Theta, b); // [C6]
}

/// Turns the quaternion q, a sum that keeps what it loses. The part along q keeps its length at one; it does not change
/// the rotation.
template <class Map, class T>
EMMY_INLINE void add_turn(const V3<T>& Theta, T* q, T* lost) {
  T minus_one[4], increment[4];
  Map::turn_minus_one(Theta, minus_one);
  quaternion_product(q, minus_one, increment);
  const T longer = 0.5 * (1 - (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
  for (int i = 0; i < 4; ++i)
    add_without_loss<T>(increment[i] + longer * q[i], q[i], lost[i]);
}

} // namespace EMMY_ISA
} // namespace emmy
