#pragma once
/// Elimination of spring tetrahedra on their own centre and base vectors, with the six standard springs in mixed form.
///
/// The tangent is [K4 (x) 1 + sum of bias B^T pull row^T B, B^T pull; row^T B, -c], K4 of numbers, B = +-1 at the ends
/// of a spring [T15]. With tau = dsigma + bias row.B dz the rank-one terms go into the columns of the springs:
///
///   K4 dz + B^T pull tau = f,   row.B dz - rho c tau = rho g,   rho = 1 / (1 + c bias)    [T18]
///
/// so that dz = K4^-1 (f - B^T pull tau), and A tau = row.B K4^-1 f - rho g with A = row.B K4^-1 B^T pull + rho c. The
/// centre is apart from all of that. A is a product, entry by entry, of a matrix that is positive definite where K4 is
/// and one that has a positive definite symmetric part, so its factors need no pivots.

#include "core/mean_rule.hpp"
#include "elements/bodies/spring_tetra_equations.hpp"
#include "solvers/condensation/affine_body.hpp"
#include "solvers/condensation/small_lu.hpp"

namespace emmy {
inline namespace EMMY_ISA {

/// B of a standard spring: from one end to the other.
template <int S, class V>
EMMY_INLINE V along(const V* of) {
  constexpr SpringEnds ends = standard_spring_ends[S];
  if constexpr (ends.from < 0)
    return of[ends.to];
  else
    return of[ends.to] - of[ends.from];
}
/// B^T of it.
template <int S, class V>
EMMY_INLINE void add_along(const V& force, V* f) {
  constexpr SpringEnds ends = standard_spring_ends[S];
  f[ends.to] = f[ends.to] + force;
  if constexpr (ends.from >= 0)
    f[ends.from] = f[ends.from] - force;
}

template <class T, int Ports>
class TetraElimination {
public:
  static constexpr int springs = standard_spring_count;
  static_assert(springs == affine_springs);
  static constexpr bool has_springs = true;

  /// Residual with the forces `of_ports` on centre and base vectors; with the tangent, its factors are kept.
  template <bool Tangent>
  EMMY_INLINE void evaluate(const AffineBody<T>& body, double h, double inv_h, const V3<T>* of_ports,
                            AffineRightSide<T>& r) {
    V3<T> b[4];
    for (int i = 0; i < 4; ++i)
      b[i] = half_gain(body.v[i], body.z[i], inv_h);
    inertia_forces(body.mass, body.inertia, h, b, r.f);
    r.f[0] = r.f[0] + body.weight;
    for (int i = 0; i < 4; ++i)
      r.f[i] = r.f[i] + of_ports[i];
    M3<T> K = body.inertia; // [T15]
    unroll<springs>([&](auto s) EMMY_LAMBDA {
      constexpr SpringEnds ends = standard_spring_ends[s];
      const SpringStretch<T> t = stretch(along<s>(body.q_n + 1), along<s>(body.z + 1));
      const SpringPull<T> pull = mixed_pull(t, body.sigma[s]);
      add_along<s>(pull.S * t.d_m, r.f + 1);
      r.g[s] = length_row(t, body.at_end, body.e_n[s], body.sigma[s], body.compliance);
      if constexpr (Tangent) {
        const T half = 0.5 * pull.S;
        K(ends.to, ends.to) = K(ends.to, ends.to) + half;
        if constexpr (ends.from >= 0) {
          K(ends.from, ends.from) = K(ends.from, ends.from) + half;
          K(ends.from, ends.to) = K(ends.to, ends.from) = K(ends.from, ends.to) - half;
        }
        row_[s] = length_row_gradient(t, body.at_end);
        pull_[s] = unit_pull(t);
        bias_[s] = 0.5 * t.l * pull.dS_dL / body.at_end;
        rho_[s] = 1 / (1 + body.compliance * bias_[s]);
      }
    });
    if constexpr (Tangent) {
      inverse_mass_ = body.inverse_mass;
      K_inverse_ = inverse(K);
      SmallLu<springs, T> A;
      unroll<springs>([&](auto s) EMMY_LAMBDA {
        const V3<T> of_spring = along_columns<s>();
        unroll<springs>([&](auto t) EMMY_LAMBDA { A(s, t) = along<t>(of_spring.x) * dot(row_[s], pull_[t]); });
        A(s, s) = A(s, s) + body.compliance * rho_[s];
      });
      A.factorise();
      A_ = A;
    }
  }

  /// z becomes the solution without any multipliers of joints, of the centre and the base vectors.
  EMMY_INLINE void solve(const AffineRightSide<T>& r, V3<T>* z) {
    y_[0] = inverse_mass_ * r.f[0];
    times_inverse(r.f + 1, y_ + 1);
    unroll<springs>([&](auto s) EMMY_LAMBDA { tau_[s] = dot(row_[s], along<s>(y_ + 1)) - rho_[s] * r.g[s]; });
    A_.solve(tau_);
    V3<T> f[3]{};
    unroll<springs>([&](auto s) EMMY_LAMBDA { add_along<s>(tau_[s] * pull_[s], f); });
    subtract_response(f, y_, z);
  }

  /// What forces in the joint of a port do to the springs.
  EMMY_INLINE void prepare_port(int p, const AffinePort<T>& port) {
    c_[p] = K_inverse_ * port.arm;
    unroll<springs>([&](auto s) EMMY_LAMBDA { tau_of_[p][s] = along<s>(c_[p].x) * row_[s]; });
    A_.solve(tau_of_[p]);
  }
  /// G K^-1 G_bar^T of two ports.
  EMMY_INLINE M3<T> response(int p, const AffinePort<T>& port_p, int q, const AffinePort<T>& port_q) const {
    const T direct = inverse_mass_ * port_p.sign * port_q.sign + dot(port_p.arm, c_[q]);
    M3<T> R{};
    for (int i = 0; i < 3; ++i)
      R(i, i) = direct;
    unroll<springs>([&](auto s) EMMY_LAMBDA {
      const V3<T> pull = along<s>(c_[p].x) * pull_[s];
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          R(i, j) = R(i, j) - pull[i] * tau_of_[q][s][j];
    });
    return R;
  }

  /// Adds what multipliers of the joints do: increments of centre, base vectors and forces of springs.
  EMMY_INLINE void expand(const AffinePort<T>* port, const V3<T>* mu, V3<T>* dz, T* dsigma) const {
    V3<T> f[4]{};
    for (int p = 0; p < Ports; ++p)
      port[p].add_forces(mu[p], f);
    unroll<springs>([&](auto s) EMMY_LAMBDA {
      dsigma[s] = tau_[s];
      for (int p = 0; p < Ports; ++p)
        dsigma[s] = dsigma[s] - dot(tau_of_[p][s], mu[p]);
      add_along<s>(dsigma[s] * pull_[s], f + 1);
    });
    const V3<T> y[4] = {y_[0] - inverse_mass_ * f[0], y_[1], y_[2], y_[3]};
    subtract_response(f + 1, y, dz);
    unroll<springs>([&](auto s) EMMY_LAMBDA { dsigma[s] = dsigma[s] - bias_[s] * dot(row_[s], along<s>(dz + 1)); });
  }

private:
  /// K^-1 B^T.
  template <int S>
  EMMY_INLINE V3<T> along_columns() const {
    V3<T> c;
    for (int i = 0; i < 3; ++i)
      c[i] = along<S>(&K_inverse_.m[3 * i]); // symmetric
    return c;
  }
  /// K^-1 on three vectors.
  EMMY_INLINE void times_inverse(const V3<T>* f, V3<T>* y) const {
    for (int i = 0; i < 3; ++i)
      y[i] = K_inverse_(i, 0) * f[0] + K_inverse_(i, 1) * f[1] + K_inverse_(i, 2) * f[2];
  }
  EMMY_INLINE void subtract_response(const V3<T>* f, const V3<T>* y, V3<T>* z) const {
    V3<T> of_f[3];
    times_inverse(f, of_f);
    z[0] = y[0];
    for (int i = 0; i < 3; ++i)
      z[1 + i] = y[1 + i] - of_f[i];
  }

  T inverse_mass_;
  M3<T> K_inverse_;
  V3<T> row_[springs], pull_[springs];
  T bias_[springs], rho_[springs];
  SmallLu<springs, T> A_;
  V3<T> y_[4];                   // K^-1 f of the last right side
  T tau_[springs];               // of it
  V3<T> c_[Ports];               // K^-1 of the arms
  V3<T> tau_of_[Ports][springs]; // tau by each component of the multipliers
};

} // namespace EMMY_ISA
} // namespace emmy
