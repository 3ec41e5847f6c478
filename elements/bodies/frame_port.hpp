#pragma once
/// An element of measures between two frames, templated on the element and on the number: its equations in the relative
/// shift of the two centres and in the turns of the two bodies. Forces on the centres are equal and opposite, so nine
/// columns and rows do for twelve.
///
/// A vector v_i of the element is moved by its bodies, v_i = sum over sides of Q w_i + relative shift of a span; what
/// acts on it is f_i = sum of F factor (the other vector at the mean). Moments are those in space, sum of (Q_m w_i) x
/// f_i: their way to the unknowns, A Q_n^T, is the same for all that acts on a body and comes with its balance.

#include "elements/bodies/frame_vectors.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// Rows of measures, or of multipliers.
template <class T, int Rows>
struct FrameRows {
  V3<T> G_x[Rows];      ///< derivative by the relative shift at the end of the step
  V3<T> G[2][Rows];     ///< and by Theta
  V3<T> G_bar_x[Rows];  ///< discrete derivative: what a unit force of the row is on the centres
  V3<T> G_bar[2][Rows]; ///< and its moments, in space
};

/// Equations of an element between two frames: whatever it has of this is set, the rest is left as it is.
template <class T, class E>
struct FramePairSystem {
  static constexpr int multipliers = multipliers_of<E> > 0 ? multipliers_of<E> : 1;
  V3<T> force;       ///< on the centre of the second; its negative acts on the first
  V3<T> moment[2];   ///< in space
  M3<T> k_own[2];    ///< derivative of the moment by Theta of the same body
  M3<T> k_other[2];  ///< and of the other one
  M3<T> k_xx;        ///< derivative of the force by the relative shift
  M3<T> k_x_turn[2]; ///< of the force by Theta
  M3<T> k_turn_x[2]; ///< of the moment by the relative shift
  T length;          ///< of a span that is multiplied with itself: the shortest in the step
  T phi[multipliers];
  FrameRows<T, multipliers> rows; ///< of phi
};

/// Rows of measures that are products; a coincidence has its own.
template <class E, class T>
EMMY_INLINE void find_rows(const FrameVectors<T, E>& v, const M3<T> (&Q_m)[2], FrameRows<T, E::rows>& rows) {
  unroll<E::rows>([&](auto index) EMMY_LAMBDA {
    constexpr int row = decltype(index)::value;
    if constexpr (!Shape<E>::coincides(row)) {
      rows.G_bar_x[row] = rows.G_x[row] = {};
      for (int s = 0; s < 2; ++s)
        rows.G_bar[s][row] = rows.G[s][row] = {};
    }
  });
  unroll<Shape<E>::vectors>([&](auto vector) EMMY_LAMBDA {
    constexpr int i = decltype(vector)::value;
    unroll<E::rows>([&](auto index) EMMY_LAMBDA {
      constexpr int row = decltype(index)::value;
      if constexpr (Shape<E>::is_in(i, row)) {
        V3<T> by_n1{}, by_m{}; // derivative of the row by the vector
        unroll<Shape<E>::terms>([&](auto number) EMMY_LAMBDA {
          constexpr Term term = E::terms[decltype(number)::value];
          if constexpr (term.v != itself && term.row == row && term.u == i) {
            by_m = by_m + term.factor * v.m[term.v];
            by_n1 = by_n1 + term.factor * v.n1[term.v];
          }
          if constexpr (term.v != itself && term.row == row && term.v == i) {
            by_m = by_m + term.factor * v.m[term.u];
            by_n1 = by_n1 + term.factor * v.n1[term.u];
          }
        });
        if constexpr (is_span(E::vectors[i])) {
          rows.G_bar_x[row] = rows.G_bar_x[row] + by_m;
          rows.G_x[row] = rows.G_x[row] + by_n1;
        }
        unroll<2>([&](auto side) EMMY_LAMBDA {
          constexpr int s = decltype(side)::value;
          if constexpr (Shape<E>::is_on(i, s)) {
            rows.G_bar[s][row] = rows.G_bar[s][row] + cross(v.arm[s][i], by_m);
            // D^T g = c x Q_m^T g
            rows.G[s][row] = rows.G[s][row] + cross(v.c[s][i], transposed_times(Q_m[s], by_n1));
          }
        });
      }
    });
  });
}

/// Change of the force on vector i where others move: the sum of h D of all that it is multiplied with, side by side D
/// of the sum of h c, and then one product for each.
template <int i, class E, class T>
EMMY_INLINE void add_change_of_forces(const FrameVectors<T, E>& v, const M3<T> (&Q_m)[2], const T* F,
                                      FramePairSystem<T, E>& out) {
  using S = Shape<E>;
  unroll<2>([&](auto mover) EMMY_LAMBDA {
    constexpr int by = decltype(mover)::value; // whose turn
    constexpr bool moves = [] {
      for (int j = 0; j < S::vectors; ++j)
        if (S::are_paired(i, j) && S::is_on(j, by))
          return true;
      return false;
    }();
    if constexpr (moves) {
      V3<T> sum{};
      unroll<S::terms>([&](auto number) EMMY_LAMBDA {
        constexpr Term term = E::terms[decltype(number)::value];
        if constexpr (term.v != itself && term.u == i && S::is_on(term.v, by))
          sum = sum + (0.5 * term.factor * F[term.row]) * v.c[by][term.v];
        if constexpr (term.v != itself && term.v == i && S::is_on(term.u, by))
          sum = sum + (0.5 * term.factor * F[term.row]) * v.c[by][term.u];
      });
      const M3<T> minus_change = minus_D(Q_m[by], sum);
      if constexpr (is_span(E::vectors[i]))
        out.k_x_turn[by] = out.k_x_turn[by] + -1.0 * minus_change;
      unroll<2>([&](auto side) EMMY_LAMBDA {
        constexpr int s = decltype(side)::value;
        if constexpr (S::is_on(i, s)) {
          M3<T>& k = s == by ? out.k_own[s] : out.k_other[s];
          k = k + cross(-1.0 * v.arm[s][i], minus_change);
        }
      });
    }
  });
  // A span moves with the relative shift, too.
  T h{};
  unroll<S::terms>([&](auto number) EMMY_LAMBDA {
    constexpr Term term = E::terms[decltype(number)::value];
    if constexpr (term.v != itself && term.u == i && is_span(E::vectors[term.v]))
      h = h + 0.5 * term.factor * F[term.row];
    if constexpr (term.v != itself && term.v == i && is_span(E::vectors[term.u]))
      h = h + 0.5 * term.factor * F[term.row];
  });
  constexpr bool is_with_span = [] {
    for (int j = 0; j < S::vectors; ++j)
      if (S::are_paired(i, j) && is_span(E::vectors[j]))
        return true;
    return false;
  }();
  if constexpr (is_with_span) {
    if constexpr (is_span(E::vectors[i]))
      for (int k = 0; k < 3; ++k)
        out.k_xx(k, k) = out.k_xx(k, k) + h;
    unroll<2>([&](auto side) EMMY_LAMBDA {
      constexpr int s = decltype(side)::value;
      if constexpr (S::is_on(i, s))
        out.k_turn_x[s] = plus_skew(out.k_turn_x[s], h * v.arm[s][i]);
    });
  }
}

/// Force and moments of F on the rows, and how they change with the vectors at fixed F.
template <bool Tangent, class E, class T>
EMMY_INLINE void apply_forces(const FrameVectors<T, E>& v, const M3<T> (&Q_m)[2], const T* F,
                              FramePairSystem<T, E>& out) {
  using S = Shape<E>;
  out.force = {};
  for (int s = 0; s < 2; ++s) {
    out.moment[s] = {};
    if constexpr (Tangent) {
      out.k_own[s] = {};
      if constexpr (S::has_products())
        out.k_other[s] = {};
      if constexpr (S::moves_centres())
        out.k_x_turn[s] = out.k_turn_x[s] = {};
    }
  }
  if constexpr (Tangent && S::moves_centres())
    out.k_xx = {};
  unroll<S::vectors>([&](auto vector) EMMY_LAMBDA {
    constexpr int i = decltype(vector)::value;
    V3<T> f{};
    unroll<S::terms>([&](auto number) EMMY_LAMBDA {
      constexpr Term term = E::terms[decltype(number)::value];
      if constexpr (term.u == i) {
        if constexpr (term.v == itself)
          f = f + term.factor * V3<T>{{F[term.row], F[term.row + 1], F[term.row + 2]}};
        else
          f = f + (term.factor * F[term.row]) * v.m[term.v];
      }
      if constexpr (term.v == i)
        f = f + (term.factor * F[term.row]) * v.m[term.u];
    });
    if constexpr (is_span(E::vectors[i]))
      out.force = out.force + f;
    unroll<2>([&](auto side) EMMY_LAMBDA {
      constexpr int s = decltype(side)::value;
      if constexpr (S::is_on(i, s)) {
        out.moment[s] = out.moment[s] + cross(v.arm[s][i], f);
        if constexpr (Tangent)
          out.k_own[s] = out.k_own[s] + moment_stiffness(f, minus_D(Q_m[s], v.c[s][i]));
      }
    });
    if constexpr (Tangent)
      add_change_of_forces<i>(v, Q_m, F, out);
  });
}

/// a b^T
template <class T>
EMMY_INLINE void add_outer(const V3<T>& a, const V3<T>& b, M3<T>& k) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      k(i, j) = k(i, j) + a[i] * b[j];
}

/// G_bar^T slope G.
template <class E, class T>
EMMY_INLINE void add_slope(const FrameRows<T, E::rows>& rows, const MN<T, E::rows>& slope, FramePairSystem<T, E>& out) {
  using S = Shape<E>;
  unroll<E::rows>([&](auto index) EMMY_LAMBDA {
    constexpr int i = decltype(index)::value;
    V3<T> x{}, turn[2] = {}; // row i of slope G
    for (int j = 0; j < E::rows; ++j) {
      if constexpr (S::moves_centres())
        x = x + slope(i, j) * rows.G_x[j];
      for (int s = 0; s < 2; ++s)
        turn[s] = turn[s] + slope(i, j) * rows.G[s][j];
    }
    if constexpr (S::moves_centres())
      add_outer(rows.G_bar_x[i], x, out.k_xx);
    for (int s = 0; s < 2; ++s) {
      if constexpr (S::moves_centres()) {
        add_outer(rows.G_bar_x[i], turn[s], out.k_x_turn[s]);
        add_outer(rows.G_bar[s][i], x, out.k_turn_x[s]);
      }
      add_outer(rows.G_bar[s][i], turn[s], out.k_own[s]);
      add_outer(rows.G_bar[s][i], turn[1 - s], out.k_other[s]);
    }
  });
}

/// Rows of the three equations of a coincidence: G = D, G_bar = P_bar without N_T.
template <class E, class T>
EMMY_INLINE void set_coincidence(const FrameVectors<T, E>& v, const M3<T> (&Q_m)[2], FrameRows<T, E::rows>& out) {
  constexpr int row = Shape<E>::coincidence(), span = Shape<E>::coinciding_span();
  for (int s = 0; s < 2; ++s) {
    const M3<T> minus_G = minus_D(Q_m[s], v.c[s][span]);
    const V3<T>& arm = v.arm[s][span];
    for (int i = 0; i < 3; ++i)
      out.G[s][row + i] = V3<T>{{-minus_G(i, 0), -minus_G(i, 1), -minus_G(i, 2)}};
    // arm x e_i
    out.G_bar[s][row] = V3<T>{{T{}, arm[2], -arm[1]}};
    out.G_bar[s][row + 1] = V3<T>{{-arm[2], T{}, arm[0]}};
    out.G_bar[s][row + 2] = V3<T>{{arm[1], -arm[0], T{}}};
  }
}

/// Rows of functions of measures: those of the measures, times the derivatives of the functions.
template <class E, class T>
EMMY_INLINE void combine_rows(const FrameRows<T, E::rows>& rows, const Constraint<T, multipliers_of<E>, E::rows>& of,
                              FrameRows<T, multipliers_of<E>>& out) {
  for (int r = 0; r < multipliers_of<E>; ++r) {
    out.G_x[r] = out.G_bar_x[r] = {};
    for (int s = 0; s < 2; ++s)
      out.G[s][r] = out.G_bar[s][r] = {};
    for (int i = 0; i < E::rows; ++i) {
      out.G_x[r] = out.G_x[r] + of.g[r][i] * rows.G_x[i];
      out.G_bar_x[r] = out.G_bar_x[r] + of.g_bar[r][i] * rows.G_bar_x[i];
      for (int s = 0; s < 2; ++s) {
        out.G[s][r] = out.G[s][r] + of.g[r][i] * rows.G[s][i];
        out.G_bar[s][r] = out.G_bar[s][r] + of.g_bar[r][i] * rows.G_bar[s][i];
      }
    }
  }
}

/// All equations of an element. `mu` are its multipliers, divided by s like all forces [S1]; `inv_s` does that to what
/// it responds with.
template <bool Tangent, class E, class T>
EMMY_INLINE void evaluate(const FrameMotion<T> (&body)[2], const T* vectors, const typename E::template Numbers<T>& p,
                          const T* memory, const T* mu, double inv_h, double inv_s, FramePairSystem<T, E>& out) {
  constexpr bool is_plain_joint = multipliers_of < E >> 0 && !has_functions<E>;
  const M3<T> Q_m[2] = {body[0].Q_m(), body[1].Q_m()};
  FrameVectors<T, E> v;
  place_vectors<Tangent, !is_plain_joint>(body, Q_m, vectors, v);
  MeasureStep<T, E::rows> y;
  measure<E>(v.n1, y.n1);
  if constexpr (is_plain_joint) {
    for (int i = 0; i < E::rows; ++i)
      out.phi[i] = y.n1[i];
    apply_forces<Tangent, E>(v, Q_m, mu, out);
    if constexpr (Tangent) {
      find_rows<E>(v, Q_m, out.rows);
      if constexpr (Shape<E>::coincidence() >= 0)
        set_coincidence<E>(v, Q_m, out.rows);
    }
  } else {
    measure<E>(v.n, y.n);
    measure_change<E>(v, y.d);
    y.inv_h = inv_h;
    y.memory = memory;
    if constexpr (constexpr int row = Shape<E>::square(); row >= 0)
      out.length = square_root(2 * (y.n[row] < y.n1[row] ? y.n[row] : y.n1[row]));
    FrameRows<T, E::rows> rows;
    if constexpr (Tangent)
      find_rows<E>(v, Q_m, rows);
    T F[E::rows] = {};
    if constexpr (multipliers_of<E> == 0) {
      Response<T, E::rows> response;
      E::template respond<Tangent>(y, p, response);
      for (int i = 0; i < E::rows; ++i)
        F[i] = inv_s * response.F[i];
      apply_forces<Tangent, E>(v, Q_m, F, out);
      if constexpr (Tangent)
        add_slope<E>(rows, inv_s * response.slope, out);
    } else {
      Constraint<T, multipliers_of<E>, E::rows> constraint;
      E::template constrain<Tangent>(y, p, mu, constraint);
      for (int r = 0; r < multipliers_of<E>; ++r) {
        out.phi[r] = constraint.phi[r];
        for (int i = 0; i < E::rows; ++i)
          F[i] = F[i] + constraint.g_bar[r][i] * mu[r];
      }
      apply_forces<Tangent, E>(v, Q_m, F, out);
      if constexpr (Tangent) {
        add_slope<E>(rows, constraint.slope, out);
        combine_rows<E>(rows, constraint, out.rows);
      }
    }
  }
}

/// Rows of a joint and their rates by time at an instant, at which both bodies stand still: G_x by the relative
/// velocity, G by the convected angular velocities.
template <class E, class T>
EMMY_INLINE void rows_at_instant(const PlacedFrame<T> (&body)[2], const T* vectors,
                                 const typename E::template Numbers<T>& p, const T* memory,
                                 FrameRows<T, multipliers_of<E>>& out, T* phi_t) {
  FrameVectors<T, E> v;
  const M3<T> Q[2] = {body[0].Q, body[1].Q};
  place_vectors_at_instant(body, vectors, v);
  FrameRows<T, E::rows> rows;
  find_rows<E>(v, Q, rows);
  if constexpr (constexpr int row = Shape<E>::coincidence(); row >= 0) {
    set_coincidence<E>(v, Q, rows);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        rows.G_x[row + i][k] = i == k ? T{} + 1 : T{};
  }
  if constexpr (!has_functions<E>) {
    out = rows;
  } else {
    MeasureStep<T, E::rows> y;
    measure<E>(v.n1, y.n1);
    y.n = y.n1;
    for (int i = 0; i < E::rows; ++i)
      y.d[i] = T{};
    y.inv_h = 0;
    y.memory = memory;
    const T none[multipliers_of<E>] = {}; // slopes, which nobody asks for, need them
    Constraint<T, multipliers_of<E>, E::rows> constraint;
    E::template constrain<true>(y, p, none, constraint);
    combine_rows<E>(rows, constraint, out);
    for (int r = 0; r < multipliers_of<E>; ++r)
      phi_t[r] = constraint.phi_t[r];
  }
}

} // namespace EMMY_ISA
} // namespace emmy
