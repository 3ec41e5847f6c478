#pragma once
/// An element of natural equations on frames, templated on the element and on the number: its equations in the shifts
/// of centres and the turns of bodies. Forces from outside need not be equal and opposite, so each body has its own.
///
/// A natural variable is q_a = [x +] Q w_a. What acts on it, r_a, is a force on the centre if it is a point, and the
/// moment (Q_m w_a) x r_a in space: the way to the unknowns, A Q_n^T, comes with the balance of the body, as in
/// frame_port.hpp. With M_a = sum of k_ab D_b over the variables of a body, D_b = -Q_m skew(A^-1 w_b) [D12], the force
/// changes by M_a and the moment by (Q_m w_a) x M_a with the turn of that body.

#include "core/natural_equations.hpp"
#include "core/unroll.hpp"
#include "elements/bodies/ball_side.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Whatever an element has of this is set, the rest is left as it is. First index: the body that is acted on.
template <class T, class E>
struct FrameNaturalSystem {
  static constexpr int bodies = NaturalShape<E>::bodies();
  V3<T> force[bodies];            ///< on its centre
  V3<T> moment[bodies];           ///< in space
  M3<T> k_xx[bodies][bodies];     ///< derivative of the force by the shift of a centre
  M3<T> k_x_turn[bodies][bodies]; ///< and by Theta
  M3<T> k_turn_x[bodies][bodies]; ///< of the moment by the shift of a centre
  M3<T> k_turn[bodies][bodies];   ///< and by Theta
};

/// A B, if A is a diagonal or full.
template <TangentBlock Block, class T>
EMMY_INLINE M3<T> times(const M3<T>& A, const M3<T>& B) {
  if constexpr (Block == TangentBlock::full) {
    return A * B;
  } else {
    M3<T> C;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        C(i, j) = A(i, i) * B(i, j);
    return C;
  }
}

template <bool Tangent, class E, class T>
EMMY_INLINE void evaluate_natural(const FrameMotion<T> (&body)[NaturalShape<E>::bodies()], const T* vectors,
                                  const typename E::template Numbers<T>& p, double inv_h, double inv_s,
                                  FrameNaturalSystem<T, E>& out) {
  using S = NaturalShape<E>;
  constexpr int V = S::variables, bodies = S::bodies();
  M3<T> Q_m[bodies];
  for (int s = 0; s < bodies; ++s) {
    Q_m[s] = body[s].Q_m();
    out.force[s] = out.moment[s] = {};
  }
  if constexpr (Tangent)
    for (int s = 0; s < bodies; ++s)
      for (int by = 0; by < bodies; ++by)
        out.k_xx[s][by] = out.k_x_turn[s][by] = out.k_turn_x[s][by] = out.k_turn[s][by] = {};

  NaturalStepOf<T, V> step;
  NaturalSystemOf<T, V> system{};
  V3<T> arm[V];
  M3<T> minus_D_of[V];
  step.inv_h = inv_h;
  unroll<V>([&](auto index) EMMY_LAMBDA {
    constexpr int a = decltype(index)::value, s = S::side(a);
    const V3<T> w{{vectors[3 * a], vectors[3 * a + 1], vectors[3 * a + 2]}};
    arm[a] = Q_m[s] * w;
    step.q_n[a] = body[s].Q_n * w;
    step.q_n1[a] = body[s].Q_n1 * w;
    step.q_m[a] = arm[a];
    if constexpr (S::is_point(a)) {
      step.q_n[a] = body[s].x_n + (body[s].remainder + step.q_n[a]);
      step.q_n1[a] = body[s].x_n + (body[s].remainder + (body[s].dx + step.q_n1[a]));
      step.q_m[a] = body[s].x_n + (body[s].remainder + (0.5 * body[s].dx + arm[a]));
    }
    if constexpr (Tangent)
      minus_D_of[a] = minus_D(Q_m[s], body[s].A_inverse * w);
  });
  E::template natural<Tangent>(step, p, system);

  unroll<V>([&](auto index) EMMY_LAMBDA {
    constexpr int a = decltype(index)::value, s = S::side(a);
    const V3<T> r = inv_s * system.r[a];
    if constexpr (S::is_point(a))
      out.force[s] = out.force[s] + r;
    out.moment[s] = out.moment[s] + cross(arm[a], r);
    if constexpr (Tangent) {
      out.k_turn[s][s] = out.k_turn[s][s] + moment_stiffness(r, minus_D_of[a]);
      unroll<bodies>([&](auto mover) EMMY_LAMBDA {
        constexpr int by = decltype(mover)::value;
        M3<T> shift{}, minus_turn{}; // sums of k and of k D
        unroll<V>([&](auto other) EMMY_LAMBDA {
          constexpr int b = decltype(other)::value;
          if constexpr (S::side(b) == by && E::couples(a, b) != TangentBlock::none) {
            static_assert(E::couples(a, b) == TangentBlock::full || !S::is_point(a) || !S::is_point(b),
                          "the blocks of two centres are stored whole");
            const M3<T> k = inv_s * system.k[a][b];
            minus_turn = minus_turn + times<E::couples(a, b)>(k, minus_D_of[b]);
            if constexpr (S::is_point(b))
              shift = shift + k;
          }
        });
        if constexpr (S::couples(s, by, false, false))
          out.k_turn[s][by] = out.k_turn[s][by] + cross(-1.0 * arm[a], minus_turn);
        if constexpr (S::couples(s, by, false, true))
          out.k_turn_x[s][by] = out.k_turn_x[s][by] + cross(arm[a], shift);
        if constexpr (S::is_point(a) && S::couples(s, by, true, false))
          out.k_x_turn[s][by] = out.k_x_turn[s][by] + -1.0 * minus_turn;
        if constexpr (S::is_point(a) && S::couples(s, by, true, true))
          out.k_xx[s][by] = out.k_xx[s][by] + shift;
      });
    }
  });
}

} // namespace EMMY_ISA
} // namespace emmy
