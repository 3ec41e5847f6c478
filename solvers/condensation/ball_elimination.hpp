#pragma once
/// A frame that is eliminated onto what holds it by points: the rotation by K^-1, the centre by 1/mass. Of every point,
/// -G = -D of the rotation and U = K^-1 P_bar^T are known.

#include "core/pack.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// K^-1 r of a body.
template <class T>
struct FrameSolution {
  V3<T> turn, shift;

  /// phi - G K^-1 r of a point.
  EMMY_INLINE V3<T> reduce(const V3<T>& phi, const T& sign, const M3<T>& minus_G) const {
    return phi + minus_G * turn - sign * shift;
  }
};

/// What forces change of a solution.
template <class T>
class FrameExpansion {
public:
  EMMY_INLINE explicit FrameExpansion(const FrameSolution<T>& without) : solution_(without), pull_{} {}

  EMMY_INLINE void take_force(const T& sign, const M3<T>& U, const V3<T>& mu) {
    solution_.turn = solution_.turn - U * mu;
    pull_ = pull_ + sign * mu;
  }
  EMMY_INLINE void take_moment(const M3<T>& U, const V3<T>& nu) { solution_.turn = solution_.turn - U * nu; }
  /// Loads that turn with the body: the derivative by its turn of their force on the centre. After all others.
  EMMY_INLINE void take_turn(const M3<T>& turning) { pull_ = pull_ + turning * solution_.turn; }
  EMMY_INLINE FrameSolution<T> solution(const T& inverse_mass) const {
    return {solution_.turn, solution_.shift - inverse_mass * pull_};
  }

private:
  FrameSolution<T> solution_;
  V3<T> pull_; // on the centre
};

/// Column j of -G K^-1 G_bar^T, by points p and q of a body; U is that column of q.
template <class T>
EMMY_INLINE V3<T> response_column(const M3<T>& minus_G_p, const V3<T>& U_q, int j, const T& centres) {
  V3<T> column = minus_G_p * U_q;
  column[j] = column[j] - centres;
  return column;
}
/// What the centre has in it, the same in every direction.
template <class T>
EMMY_INLINE T response_of_centre(const T& sign_p, const T& sign_q, const T& inverse_mass) {
  return sign_p * sign_q * inverse_mass;
}

} // namespace EMMY_ISA
} // namespace emmy
