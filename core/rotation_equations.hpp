#pragma once
/// Rotations by a convected vector Theta, templated on the number: for one body or for four at once. Quaternions are
/// scalar first. The only source of the Cayley map [F1], [D12], in which all formulations turn, and of the exponential
/// one [E2], [C6].

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

/// p o q.
template <class T>
EMMY_INLINE void quaternion_product(const T* p, const T* q, T* product) {
  product[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  product[1] = p[1] * q[0] + p[0] * q[1] + p[2] * q[3] - p[3] * q[2];
  product[2] = p[2] * q[0] + p[0] * q[2] + p[3] * q[1] - p[1] * q[3];
  product[3] = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
}

/// Q^T a with the rotation Q of a unit quaternion: space to body.
template <class T>
EMMY_INLINE V3<T> to_body(const T* q, const V3<T>& a) {
  const V3<T> v{{q[1], q[2], q[3]}};
  const V3<T> across = 2.0 * cross(a, v);
  return a + q[0] * across + cross(across, v);
}

/// The quaternion q_n o cay(Theta), of length one [F1].
template <class T>
EMMY_INLINE void turn(const T* q_n, const V3<T>& Theta, T* q_n1) {
  const T along[4] = {T{} + 1, 0.5 * Theta[0], 0.5 * Theta[1], 0.5 * Theta[2]};
  quaternion_product(q_n, along, q_n1);
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

/// rot(Theta) = cay(Theta) [F1].
struct CayleyMap {
  /// rot(Theta) as a quaternion.
  template <class T>
  EMMY_INLINE static void quaternion(const V3<T>& Theta, T* q) {
    q[0] = 1 / square_root(1 + 0.25 * dot(Theta, Theta));
    for (int i = 0; i < 3; ++i)
      q[i + 1] = 0.5 * q[0] * Theta[i];
  }
  /// rot(Theta) - 1 as a quaternion, without the cancellation of a difference.
  template <class T>
  EMMY_INLINE static void turn_minus_one(const V3<T>& Theta, T* d) {
    const T quarter = 0.25 * dot(Theta, Theta), root = square_root(1 + quarter);
    const T factor = 0.5 / root;
    d[0] = -quarter / (root * (1 + root));
    for (int i = 0; i < 3; ++i)
      d[i + 1] = factor * Theta[i];
  }
  /// rot(-Theta) a = a - A^-T (Theta x a), since cay(-Theta) = A^-T A.
  template <class T>
  EMMY_INLINE static V3<T> turned_back(const V3<T>& Theta, const V3<T>& a) {
    const V3<T> across = cross(Theta, a);
    return a + (1 / (1 + 0.25 * dot(Theta, Theta))) * (0.5 * cross(Theta, across) - across);
  }
};

/// sin(t)/t, (1 - cos t)/t² and (t - sin t)/t³ by t²; near zero by series, whose terms are exact to rounding.
template <class T>
struct Trigonometry {
  T t2;
  static constexpr double small = 0.01;

  EMMY_INLINE T sine_ratio() const {
    return by([&]() EMMY_LAMBDA { return 1 - t2 / 6 * cube_series(); }, [&](T t) EMMY_LAMBDA { return sine(t) / t; });
  }
  EMMY_INLINE T versine() const {
    return by([&]() EMMY_LAMBDA { return 0.5 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56 * (1 - t2 / 90)))); },
              [&](T t) EMMY_LAMBDA {
                const T half = sine(0.5 * t);
                return 2 * half * half / (t * t);
              });
  }
  EMMY_INLINE T third() const {
    return by([&]() EMMY_LAMBDA { return cube_series() / 6; },
              [&](T t) EMMY_LAMBDA { return (t - sine(t)) / (t * t * t); });
  }

private:
  EMMY_INLINE T cube_series() const { return 1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)); }
  /// One of the two; packs need both.
  template <class Near, class Far>
  EMMY_INLINE T by(Near near, Far far) const {
    if constexpr (Lanes<T>::count == 1)
      return t2 < small ? near() : far(square_root(t2));
    else
      return t2 < small ? near() : far(square_root(t2 < small ? T{} + 1 : t2));
  }
};

/// rot(Theta) turns by |Theta| about Theta [E2].
struct ExponentialMap {
  template <class T>
  EMMY_INLINE static void quaternion(const V3<T>& Theta, T* q) {
    turn_minus_one(Theta, q);
    q[0] = 1 + q[0];
  }
  template <class T>
  EMMY_INLINE static void turn_minus_one(const V3<T>& Theta, T* d) {
    const Trigonometry<T> half{0.25 * dot(Theta, Theta)};
    const T factor = 0.5 * half.sine_ratio();
    d[0] = -half.versine() * half.t2;
    for (int i = 0; i < 3; ++i)
      d[i + 1] = factor * Theta[i];
  }
  template <class T>
  EMMY_INLINE static V3<T> turned_back(const V3<T>& Theta, const V3<T>& a) {
    const Trigonometry<T> of{dot(Theta, Theta)};
    const V3<T> across = cross(Theta, a);
    return a - of.sine_ratio() * across + of.versine() * cross(Theta, across);
  }
  /// skew(b) T(Theta) of [C6], b = rot(-Theta) a: how b changes with Theta.
  template <class T>
  EMMY_INLINE static M3<T> change_of_turned_back(const V3<T>& Theta, const V3<T>& b) {
    const Trigonometry<T> of{dot(Theta, Theta)};
    M3<T> tangent{};
    for (int i = 0; i < 3; ++i)
      tangent(i, i) = T{} + 1;
    tangent = plus_skew(tangent, -of.versine() * Theta) + cross(of.third() * Theta, plus_skew(M3<T>{}, Theta));
    return cross(b, tangent);
  }
};

} // namespace EMMY_ISA
} // namespace emmy
