#pragma once
/// Elimination of director bodies.
///
/// Columns: a change of the base vectors is delta = R (skew(w) + e), R = Q_n1^-T, with three numbers w and a symmetric
/// e: then the strain at the end changes by e alone. Rows: W^T and the symmetric part of Q_m^T, by which [D9] falls
/// apart into the moment, and alpha times that of Q_m^T Q_m E. With r = spread(y) + alpha Q_m E the equations
/// themselves,
///
///   W^T K delta        = d moment - sum of delta_i x r_i / 2    [D19]
///   sym(Q_m^T K delta) = alpha sym(Q_m^T Q_m e) + sym(Q_m^T (skew(y) delta + alpha delta E)) / 2
///
/// Near the solution y and E vanish and strains know nothing of turns. So the strains go first, whose matrix has a
/// positive definite symmetric part, and leave a 3 x 3 matrix as a frame body has it. Forces in joints have moments and
/// nothing else: G_bar^T mu is the moment arm x mu.

#include "elements/bodies/director_equations.hpp"
#include "elements/bodies/frame_equations.hpp"
#include "solvers/condensation/affine_body.hpp"
#include "solvers/condensation/small_lu.hpp"

namespace emmy {
inline namespace EMMY_ISA {

template <class T, int Ports>
class DirectorElimination {
public:
  static constexpr bool has_springs = false;

  template <bool Tangent>
  EMMY_INLINE void evaluate(const AffineBody<T>& body, double h, double inv_h, const V3<T>* of_ports,
                            AffineRightSide<T>& r) {
    r.f[0] = balance_of_forces(body.mass, h, inv_h, body.z[0], body.v[0]) + body.weight + of_ports[0];
    const M3<T> Q_n = body.Q_n(), f = AffineBody<T>::columns(of_ports + 1);
    const DirectorStep<T> d = director_step(Q_n, body.dQ());
    const DirectorBalance<T> b = director_balance(d, body.inertia, convected_spin(Q_n, body.Q_dot()), inv_h, h, f);
    for (int i = 0; i < 3; ++i)
      r.f[1 + i] = column(b.r, i);
    if constexpr (Tangent) {
      inverse_mass_ = body.inverse_mass;
      Q_m_ = d.Q_m;
      R_ = transposed(inverse(d.Q_n1));
      M3<T> by_column[3]; // moments by columns of skew(w) + e, along each column of R
      moment_derivative(d, b, body.inertia, inv_h, h, f, by_column);
      for (int i = 0; i < 3; ++i)
        by_column[i] = plus_skew(by_column[i], 0.5 * column(b.r, i)) * R_;
      set_moment_rows(by_column);
      set_strain_rows(b);
      A_.factorise();
      for (int j = 0; j < 3; ++j)
        A_.solve(strains_[j].e);
      M3<T> k;
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
          k(i, j) = of_turns_(i, j);
          for (int s = 0; s < 6; ++s)
            k(i, j) = k(i, j) - of_strains_[s][i] * strains_[j].e[s];
        }
      k_inverse_ = inverse(k);
      for (int i = 0; i < 3; ++i) { // columns of delta by moments: of skew(w) they are w x e_i
        M3<T> column_i{};
        for (int j = 0; j < 3; ++j)
          for (int a = 0; a < 3; ++a)
            column_i(a, j) = -strains_[j].e[entry(a, i)];
        V3<T> axis{};
        axis[i] = T{} - 1;
        by_moment_[i] = R_ * (plus_skew(column_i, axis) * k_inverse_);
      }
    }
  }

  EMMY_INLINE void solve(const AffineRightSide<T>& r, V3<T>* z) {
    const M3<T> f = AffineBody<T>::columns(r.f + 1);
    const V3<T> moment = moment_of(Q_m_, f);
    Strain e = symmetric_entries(transposed_times(Q_m_, f));
    A_.solve(e.e);
    V3<T> left = moment;
    for (int s = 0; s < 6; ++s)
      left = left - e.e[s] * of_strains_[s];
    const V3<T> w = k_inverse_ * left;
    for (int s = 0; s < 6; ++s)
      e.e[s] = e.e[s] - (strains_[0].e[s] * w[0] + strains_[1].e[s] * w[1] + strains_[2].e[s] * w[2]);
    M3<T> X;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        X(i, j) = e.e[entry(i, j)];
    const M3<T> delta = R_ * plus_skew(X, w);
    z_[0] = inverse_mass_ * r.f[0];
    for (int i = 0; i < 3; ++i)
      z_[1 + i] = column(delta, i);
    for (int i = 0; i < 4; ++i)
      z[i] = z_[i];
  }

  EMMY_INLINE void prepare_port(int p, const AffinePort<T>& port) { arm_[p] = Q_m_ * port.arm; }

  EMMY_INLINE M3<T> response(int, const AffinePort<T>& port_p, int q, const AffinePort<T>& port_q) const {
    M3<T> R = times_skew(port_p.arm[0] * by_moment_[0] + port_p.arm[1] * by_moment_[1] + port_p.arm[2] * by_moment_[2],
                         arm_[q]);
    for (int i = 0; i < 3; ++i)
      R(i, i) = R(i, i) + inverse_mass_ * port_p.sign * port_q.sign;
    return R;
  }

  EMMY_INLINE void expand(const AffinePort<T>* port, const V3<T>* mu, V3<T>* dz, T*) const {
    V3<T> force{}, moment{};
    for (int p = 0; p < Ports; ++p) {
      force = force + port[p].sign * mu[p];
      moment = moment + cross(arm_[p], mu[p]);
    }
    dz[0] = z_[0] - inverse_mass_ * force;
    for (int i = 0; i < 3; ++i)
      dz[1 + i] = z_[1 + i] - by_moment_[i] * moment;
  }

private:
  /// A symmetric matrix by its entries 11, 22, 33, 23, 31, 12.
  struct Strain {
    T e[6];
  };
  static constexpr int entry(int i, int j) { return i == j ? i : 6 - i - j; }
  static EMMY_INLINE Strain symmetric_entries(const M3<T>& A) {
    return {
        {A(0, 0), A(1, 1), A(2, 2), 0.5 * (A(1, 2) + A(2, 1)), 0.5 * (A(2, 0) + A(0, 2)), 0.5 * (A(0, 1) + A(1, 0))}};
  }
  static EMMY_INLINE M3<T> transposed(const M3<T>& A) {
    return {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
  }

  EMMY_INLINE void set_moment_rows(const M3<T>* by_column) {
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3; // skew(e_a): e_c in column b, -e_b in column c
      const V3<T> turn = column(by_column[b], c) - column(by_column[c], b);
      for (int i = 0; i < 3; ++i)
        of_turns_(i, a) = turn[i];
      of_strains_[a] = column(by_column[a], a);
      of_strains_[3 + a] = column(by_column[b], c) + column(by_column[c], b);
    }
  }

  /// left X + right X E for X with the j-th unit vector in column i.
  static EMMY_INLINE void add_unit(const M3<T>& left, const M3<T>& right, const M3<T>& E, int j, int i, T factor,
                                   M3<T>& sum) {
    for (int a = 0; a < 3; ++a)
      sum(a, i) = sum(a, i) + factor * left(a, j);
    for (int c = 0; c < 3; ++c)
      for (int a = 0; a < 3; ++a)
        sum(a, c) = sum(a, c) + (factor * E(i, c)) * right(a, j);
  }
  EMMY_INLINE void set_strain_rows(const DirectorBalance<T>& b) {
    const M3<T> turned = 0.5 * transposed_times(Q_m_, cross(b.y, R_));
    const M3<T> right = (0.5 * b.alpha) * transposed_times(Q_m_, R_);
    const M3<T> left = turned + b.alpha * transposed_times(Q_m_, Q_m_);
    const T one = T{} + 1, less = T{} - 1;
    const auto set = [&](int column_of_A, const M3<T>& sum) EMMY_LAMBDA {
      const Strain of = symmetric_entries(sum);
      for (int s = 0; s < 6; ++s)
        A_(s, column_of_A) = of.e[s];
    };
    for (int a = 0; a < 3; ++a) {
      const int p = (a + 1) % 3, q = (a + 2) % 3;
      M3<T> of_turn{}, of_length{}, of_angle{};
      add_unit(turned, right, b.E, q, p, one, of_turn);
      add_unit(turned, right, b.E, p, q, less, of_turn);
      strains_[a] = symmetric_entries(of_turn);
      add_unit(left, right, b.E, a, a, one, of_length);
      set(a, of_length);
      add_unit(left, right, b.E, q, p, one, of_angle);
      add_unit(left, right, b.E, p, q, one, of_angle);
      set(3 + a, of_angle);
    }
  }

  T inverse_mass_;
  M3<T> Q_m_, R_;
  SmallLu<6, T> A_;     // strain rows by strains
  Strain strains_[3];   // A^-1 of strain rows by turns
  M3<T> of_turns_;      // moment rows by turns
  V3<T> of_strains_[6]; // and by strains
  M3<T> k_inverse_;     // of moment rows by turns, strains being eliminated
  M3<T> by_moment_[3];  // each base vector by a moment
  V3<T> arm_[Ports];
  V3<T> z_[4]; // solution of the last right side, without multipliers
};

} // namespace EMMY_ISA
} // namespace emmy
