#pragma once
/// A vector that turns with a frame over one step, and a side of a ball joint that is made of one, templated on the
/// number: the only source of these equations, for ports, elements of measures and bodies that are eliminated.
///
///   w       a vector of the body, in its axes
///   arm     Q_m w, at the mean of the step
///   c       A^-1 w: the derivative of Q_n1 w by Theta is D = -Q_m skew(c) [D12]
///   f       a force on the vector; its moment in space is arm x f, and P_bar^T f = N_T^T (arm x f) [D13]

#include "elements/bodies/frame_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// -D of a vector, or of a sum of vectors [D12].
template <class T>
EMMY_INLINE M3<T> minus_D(const M3<T>& Q_m, const V3<T>& c) {
  return times_skew(Q_m, c);
}

/// -P_bar of a vector, skew(arm) N_T [D13]; its transpose, P_bar^T; and M P_bar^T, from M N_T^T.
template <class T>
EMMY_INLINE M3<T> minus_P_bar(const M3<T>& N_T, const V3<T>& arm) {
  return cross(arm, N_T);
}
template <class T>
EMMY_INLINE M3<T> P_bar_transposed(const M3<T>& N_T, const V3<T>& arm) {
  return transposed_times_skew(N_T, arm);
}
template <class T>
EMMY_INLINE M3<T> times_P_bar_transposed(const M3<T>& M_times_N, const V3<T>& arm) {
  return times_skew(M_times_N, arm);
}

/// Derivative by Theta of the moment of a given force on a vector: the mean moves half as far as the end.
template <class T>
EMMY_INLINE M3<T> moment_stiffness(const V3<T>& f, const M3<T>& minus_D_of_vector) {
  return cross(0.5 * f, minus_D_of_vector);
}

/// A point of a body that coincides with one of another body.
template <class T>
class BallSide {
public:
  /// `r` is the point in the axes of the body times `sign`, which says on which side of the joint the body is.
  EMMY_INLINE BallSide(const T& sign, const V3<T>& r) : sign_(sign), r_(r) {}

  /// What the body has in the gap, but for where its centre is or was.
  EMMY_INLINE V3<T> gap(const V3<T>& dx, const M3<T>& Q) const { return sign_ * dx + Q * r_; }
  /// And in its rate, with Omega convected [E1].
  EMMY_INLINE V3<T> speed(const V3<T>& v, const M3<T>& Q, const V3<T>& Omega) const {
    return sign_ * v + Q * cross(Omega, r_);
  }

  EMMY_INLINE V3<T> arm(const M3<T>& Q_m) const { return Q_m * r_; }
  /// -G of the rotation.
  EMMY_INLINE M3<T> minus_G(const M3<T>& Q_m, const M3<T>& A_inverse) const { return minus_D(Q_m, A_inverse * r_); }

  /// What the multipliers do to the body; without the tangent nobody asks for stiffness.
  template <bool Tangent>
  EMMY_INLINE FrameLoads<T> loads(const V3<T>& arm, const M3<T>& minus_G, const V3<T>& mu) const {
    FrameLoads<T> own;
    own.force = sign_ * mu;
    own.moment = cross(arm, mu);
    if constexpr (Tangent)
      own.stiffness = moment_stiffness(mu, minus_G);
    return own;
  }

private:
  T sign_;
  V3<T> r_;
};

} // namespace EMMY_ISA
} // namespace emmy
