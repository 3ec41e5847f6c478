#pragma once
/// Weights, applied forces and applied torques in natural variables. Their numbers are the components at the middle of
/// a step; what they do is -r . dq.

#include "core/natural_equations.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// A force on a point that does not turn: V = 1 point.
template <InstantPart Part>
struct SpaceForceEquations {
  static constexpr const char* name = Part == InstantPart::elastic ? "weight" : "force in space";
  static constexpr NaturalOn variables[] = {NaturalOn::point_of_first};
  static constexpr InstantPart instant = Part;
  template <class T>
  using Numbers = V3<T>; ///< the force [N]
  static constexpr TangentBlock couples(int, int) { return TangentBlock::none; }

  template <bool Tangent, class T>
  EMMY_INLINE static void natural(const NaturalStepOf<T, 1>&, const Numbers<T>& f, NaturalSystemOf<T, 1>& out) {
    out.r[0] = out.r[0] - f;
  }
};
using WeightEquations = SpaceForceEquations<InstantPart::elastic>;

/// A force that is fixed in a body: a point, and the force itself as a direction.
struct FollowerForceEquations {
  static constexpr const char* name = "follower force";
  static constexpr NaturalOn variables[] = {NaturalOn::point_of_first, NaturalOn::direction_of_first};
  static constexpr InstantPart instant = InstantPart::given;
  template <class T>
  struct Numbers {};
  static constexpr TangentBlock couples(int a, int b) {
    return a == 0 && b == 1 ? TangentBlock::diagonal : TangentBlock::none;
  }

  template <bool Tangent, class T>
  EMMY_INLINE static void natural(const NaturalStepOf<T, 2>& s, const Numbers<T>&, NaturalSystemOf<T, 2>& out) {
    out.r[0] = out.r[0] - s.q_m[1];
    if constexpr (Tangent)
      for (int i = 0; i < 3; ++i)
        out.k[0][1](i, i) = out.k[0][1](i, i) - 0.5; // the mean moves half as far
  }
};

/// A force with components along base vectors of a body that change with time: a point and three directions.
struct BodyForceEquations {
  static constexpr const char* name = "force in the body";
  static constexpr NaturalOn variables[] = {NaturalOn::point_of_first, NaturalOn::direction_of_first,
                                            NaturalOn::direction_of_first, NaturalOn::direction_of_first};
  static constexpr InstantPart instant = InstantPart::given;
  template <class T>
  using Numbers = V3<T>; ///< components [N]
  static constexpr TangentBlock couples(int a, int b) {
    return a == 0 && b > 0 ? TangentBlock::diagonal : TangentBlock::none;
  }

  template <bool Tangent, class T>
  EMMY_INLINE static void natural(const NaturalStepOf<T, 4>& s, const Numbers<T>& f, NaturalSystemOf<T, 4>& out) {
    for (int j = 0; j < 3; ++j) {
      out.r[0] = out.r[0] - f[j] * s.q_m[j + 1];
      if constexpr (Tangent)
        for (int i = 0; i < 3; ++i)
          out.k[0][j + 1](i, i) = out.k[0][j + 1](i, i) - 0.5 * f[j];
    }
  }
};

/// A torque m on the base vectors q_i of a body, spread as F_i = c x q_i with (tr B 1 - B) c = m [T17]; its components
/// are in space, or along the base vectors.
template <bool InBody>
struct TorqueEquations {
  static constexpr const char* name = InBody ? "torque in the body" : "torque in space";
  static constexpr NaturalOn variables[] = {NaturalOn::direction_of_first, NaturalOn::direction_of_first,
                                            NaturalOn::direction_of_first};
  static constexpr InstantPart instant = InstantPart::given;
  template <class T>
  using Numbers = V3<T>; ///< components [N m]
  static constexpr TangentBlock couples(int, int) { return TangentBlock::full; }

  template <bool Tangent, class T>
  EMMY_INLINE static void natural(const NaturalStepOf<T, 3>& s, const Numbers<T>& m, NaturalSystemOf<T, 3>& out) {
    const V3<T>* q = s.q_m;
    M3<T> S{}; // tr B 1 - B
    V3<T> total = m;
    if constexpr (InBody)
      total = m[0] * q[0] + m[1] * q[1] + m[2] * q[2];
    for (int i = 0; i < 3; ++i) {
      const T square = dot(q[i], q[i]);
      for (int a = 0; a < 3; ++a) {
        S(a, a) = S(a, a) + square;
        for (int b = 0; b < 3; ++b)
          S(a, b) = S(a, b) - q[i][a] * q[i][b];
      }
    }
    const M3<T> S_inverse = inverse(S);
    const V3<T> c = S_inverse * total;
    for (int i = 0; i < 3; ++i)
      out.r[i] = out.r[i] - cross(c, q[i]);
    if constexpr (Tangent)
      for (int j = 0; j < 3; ++j) {
        // dq_j changes S by 2 (q_j . dq_j) 1 - dq_j q_j^T - q_j dq_j^T, so dc = S^-1 (dm - dS c).
        const T along = InBody ? dot(q[j], c) + m[j] : dot(q[j], c);
        M3<T> change;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            change(a, b) = q[j][a] * c[b] - 2 * (c[a] * q[j][b]);
        for (int a = 0; a < 3; ++a)
          change(a, a) = change(a, a) + along;
        const M3<T> dc = S_inverse * change;
        for (int i = 0; i < 3; ++i)
          out.k[i][j] = out.k[i][j] + 0.5 * cross(q[i], dc); // -dc x q_i, half: the mean moves half as far
        out.k[j][j] = plus_skew(out.k[j][j], -0.5 * c);
      }
  }
};

} // namespace EMMY_ISA
} // namespace emmy
