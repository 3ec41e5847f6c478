#pragma once
/// The vectors of an element of measures between two frames over one step, and the values of its measures, templated on
/// the element and on the number.

#include "core/measures.hpp"
#include "elements/bodies/ball_side.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Three numbers for each end of a vector, and three more for a span: the coordinates of its ends on the ground, which
/// are subtracted from those of centres before anything else is added.
template <class E>
inline constexpr int vector_numbers = [] {
  int numbers = 0;
  for (const On on : E::vectors)
    numbers += is_span(on) ? 9 : 3;
  return numbers;
}();
template <class E>
constexpr int first_number(int vector) {
  int numbers = 0;
  for (int i = 0; i < vector; ++i)
    numbers += is_span(E::vectors[i]) ? 9 : 3;
  return numbers;
}

/// The vectors of an element in a step.
template <class T, class E>
struct FrameVectors {
  static constexpr int count = Shape<E>::vectors;
  V3<T> n[count], n1[count], m[count];
  V3<T> arm[2][count]; ///< part that turns with a body, at the mean
  V3<T> c[2][count];   ///< A^-1 w of ball_side.hpp
};

template <bool Tangent, bool Start, class E, class T>
EMMY_INLINE void place_vectors(const FrameMotion<T> (&body)[2], const M3<T> (&Q_m)[2], const T* numbers,
                               FrameVectors<T, E>& v) {
  unroll<Shape<E>::vectors>([&](auto index) EMMY_LAMBDA {
    constexpr int i = decltype(index)::value;
    const T* w = numbers + first_number<E>(i);
    if constexpr (E::vectors[i] == On::span) {
      const V3<T> a{{-w[0], -w[1], -w[2]}}, b{{w[3], w[4], w[5]}}, offset{{w[6], w[7], w[8]}};
      const V3<T> base = ((body[1].x_n - body[0].x_n) - offset) + (body[1].remainder - body[0].remainder);
      v.arm[0][i] = Q_m[0] * a;
      v.arm[1][i] = Q_m[1] * b;
      v.n1[i] = base + ((body[1].dx + body[1].Q_n1 * b) - (body[0].dx - body[0].Q_n1 * a));
      if constexpr (Start) {
        v.n[i] = base + (body[1].Q_n * b + body[0].Q_n * a);
        v.m[i] = 0.5 * (v.n[i] + v.n1[i]);
      } else if constexpr (Shape<E>::moves_centres()) {
        v.m[i] = base + (0.5 * (body[1].dx - body[0].dx) + (v.arm[1][i] + v.arm[0][i]));
      }
      if constexpr (Tangent) {
        v.c[0][i] = body[0].A_inverse * a;
        v.c[1][i] = body[1].A_inverse * b;
      }
    } else {
      constexpr int s = E::vectors[i] == On::first ? 0 : 1;
      const V3<T> along{{w[0], w[1], w[2]}};
      v.arm[s][i] = v.m[i] = Q_m[s] * along;
      v.n1[i] = body[s].Q_n1 * along;
      if constexpr (Start)
        v.n[i] = body[s].Q_n * along;
      if constexpr (Tangent)
        v.c[s][i] = body[s].A_inverse * along;
    }
  });
}

/// A body at an instant.
template <class T>
struct PlacedFrame {
  V3<T> x, remainder; ///< its centre, and what rounding took from that
  M3<T> Q;
  T unused{}; ///< makes it whole packs
};

/// The same vectors where nothing moves: both ends of the step are one instant.
template <class E, class T>
EMMY_INLINE void place_vectors_at_instant(const PlacedFrame<T> (&body)[2], const T* numbers, FrameVectors<T, E>& v) {
  unroll<Shape<E>::vectors>([&](auto index) EMMY_LAMBDA {
    constexpr int i = decltype(index)::value;
    const T* w = numbers + first_number<E>(i);
    if constexpr (E::vectors[i] == On::span) {
      const V3<T> offset{{w[6], w[7], w[8]}};
      v.c[0][i] = {{-w[0], -w[1], -w[2]}};
      v.c[1][i] = {{w[3], w[4], w[5]}};
      for (int s = 0; s < 2; ++s)
        v.arm[s][i] = body[s].Q * v.c[s][i];
      const V3<T> base = ((body[1].x - body[0].x) - offset) + (body[1].remainder - body[0].remainder);
      v.m[i] = base + (v.arm[1][i] + v.arm[0][i]);
    } else {
      constexpr int s = E::vectors[i] == On::first ? 0 : 1;
      v.c[s][i] = {{w[0], w[1], w[2]}};
      v.arm[s][i] = v.m[i] = body[s].Q * v.c[s][i];
    }
    v.n[i] = v.n1[i] = v.m[i];
  });
}

/// Sum of factor (u . v) at one end of the step.
template <class E, class T>
EMMY_INLINE void measure(const V3<T>* at, VN<T, E::rows>& y) {
  for (int i = 0; i < E::rows; ++i)
    y[i] = T{};
  unroll<Shape<E>::terms>([&](auto index) EMMY_LAMBDA {
    constexpr Term term = E::terms[decltype(index)::value];
    if constexpr (term.v == itself) {
      for (int i = 0; i < 3; ++i)
        y[term.row + i] = term.factor * at[term.u][i];
    } else {
      y[term.row] = y[term.row] + term.factor * dot(at[term.u], at[term.v]);
    }
  });
}

/// Change over the step by the discrete gradient [D15].
template <class E, class T>
EMMY_INLINE void measure_change(const FrameVectors<T, E>& v, VN<T, E::rows>& d) {
  for (int i = 0; i < E::rows; ++i)
    d[i] = T{};
  unroll<Shape<E>::terms>([&](auto index) EMMY_LAMBDA {
    constexpr Term term = E::terms[decltype(index)::value];
    static_assert(term.v != itself, "a span that coincides has multipliers");
    const V3<T> du = v.n1[term.u] - v.n[term.u], dv = v.n1[term.v] - v.n[term.v];
    d[term.row] = d[term.row] + term.factor * (dot(du, v.m[term.v]) + dot(v.m[term.u], dv));
  });
}

/// Values and rates of what a joint keeps at zero, at the end of a step with the rates of bodies (v, Q_dot).
template <class E, class T>
EMMY_INLINE void constraint_rates(const FrameVectors<T, E>& v, const T (&rates)[2][12], const T* vectors,
                                  const typename E::template Numbers<T>& p, const MeasureStep<T, E::rows>& y, T* phi,
                                  T* phi_dot) {
  V3<T> v_dot[Shape<E>::vectors];
  const auto turned = [&](int s, const T* w) EMMY_LAMBDA {
    M3<T> Q_dot;
    for (int i = 0; i < 9; ++i)
      Q_dot.m[i] = rates[s][3 + i];
    return Q_dot * V3<T>{{w[0], w[1], w[2]}};
  };
  unroll<Shape<E>::vectors>([&](auto index) EMMY_LAMBDA {
    constexpr int i = decltype(index)::value;
    const T* w = vectors + first_number<E>(i);
    if constexpr (E::vectors[i] == On::span) {
      v_dot[i] = turned(1, w + 3) - turned(0, w);
      for (int k = 0; k < 3; ++k)
        v_dot[i][k] = v_dot[i][k] + (rates[1][k] - rates[0][k]);
    } else {
      v_dot[i] = turned(E::vectors[i] == On::first ? 0 : 1, w);
    }
  });
  VN<T, E::rows> y_dot{};
  unroll<Shape<E>::terms>([&](auto index) EMMY_LAMBDA {
    constexpr Term term = E::terms[decltype(index)::value];
    if constexpr (term.v == itself)
      for (int k = 0; k < 3; ++k)
        y_dot[term.row + k] = term.factor * v_dot[term.u][k];
    else
      y_dot[term.row] =
          y_dot[term.row] + term.factor * (dot(v_dot[term.u], v.n1[term.v]) + dot(v.n1[term.u], v_dot[term.v]));
  });
  if constexpr (has_functions<E>) {
    const T none[multipliers_of<E>] = {}; // slopes, which nobody asks for, need them
    Constraint<T, multipliers_of<E>, E::rows> constraint;
    E::template constrain<true>(y, p, none, constraint);
    for (int r = 0; r < multipliers_of<E>; ++r) {
      phi[r] = constraint.phi[r];
      phi_dot[r] = constraint.phi_t[r];
      for (int i = 0; i < E::rows; ++i)
        phi_dot[r] = phi_dot[r] + constraint.g[r][i] * y_dot[i];
    }
  } else {
    for (int r = 0; r < multipliers_of<E>; ++r) {
      phi[r] = y.n1[r];
      phi_dot[r] = y_dot[r];
    }
  }
}

} // namespace EMMY_ISA
} // namespace emmy
