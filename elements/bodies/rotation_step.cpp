#include "elements/bodies/rotation_step.hpp"

#include "elements/bodies/ball_side.hpp"
#include "elements/bodies/plain.hpp"

#include <cmath>

namespace emmy::rotation_step {

void place_base_vectors(const Vec4& q_n, const Vec3& Theta, PortMotion& m) {
  double q_n1[4];
  turn(q_n.data(), plain(Theta), q_n1);
  base_vectors(m.q_n) = of_eigen(rotation_matrix(q_n.data()));
  base_vectors(m.q_n1) = of_eigen(rotation_matrix(q_n1));
}

void move_base_vectors(const Vec4& q_n, const Vec3& Theta, Index column, PortMotion& m) {
  FrameMotion<double> motion;
  move_rotation(q_n.data(), plain(Theta), motion);
  base_vectors(m.q_n) = of_eigen(motion.Q_n);
  base_vectors(m.q_n1) = of_eigen(motion.Q_n1);
  const M3<double> Q_m = motion.Q_m();
  for (int k = 0; k < 3; ++k) {
    m.P_bar.block<3, 3>(3 + 3 * k, column) = -of_eigen(minus_P_bar(motion.N_T, emmy::column(Q_m, k)));
    m.D.block<3, 3>(3 + 3 * k, column) = -of_eigen(minus_D(Q_m, emmy::column(motion.A_inverse, k)));
  }
}

namespace {

/// Balance of moments of a body on which nothing acts, or of what acts on one.
struct Balance {
  V3<double> r;
  M3<double> k;
  Balance(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h, const M3<double>& N_T = {},
          const FrameLoads<double>& loads = {}) {
    const V3<double> turn = plain(Theta);
    balance_moments<true>(plain(J), {2 * inv_h, 2 * inv_h * inv_h}, inv_h, turn, plain(Omega_n), N_T,
                          half_turn_inverse(turn), transposed_times(N_T, loads.moment), loads.stiffness, r, k);
  }
};

} // namespace

Mat3 geometric(const Vec3& Theta, const PortMotion& m, Index column, const Vec12& r) {
  // P_bar^T r = A n with n = Q_n^T sum of q_m x r_k; A and q_m change with Theta [D14].
  FrameLoads<double> loads{};
  for (int i = 0; i < 3; ++i) {
    const V3<double> r_i = plain(Vec3(r.segment<3>(3 + 3 * i)));
    const V3<double> q_m = plain(Vec3((m.q_n.segment<3>(3 + 3 * i) + m.q_n1.segment<3>(3 + 3 * i)) / 2));
    loads.moment = loads.moment + cross(q_m, r_i);
    loads.stiffness = loads.stiffness + moment_stiffness(r_i, plain(Mat3(-m.D.block<3, 3>(3 + 3 * i, column))));
  }
  const Mat3 A_T = of_eigen(times_A_transposed(plain(Mat3(Mat3::Identity())), plain(Theta)));
  const M3<double> N_T = plain(Mat3(base_vectors(m.q_n) * A_T));
  return of_eigen(Balance(Mat3::Zero(), Theta, Vec3::Zero(), 0, N_T, loads).k);
}

Vec3 residual(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h) {
  return of_eigen(Balance(J, Theta, Omega_n, inv_h).r);
}

Mat3 tangent(const Mat3& J, const Vec3& Theta, double inv_h) {
  return of_eigen(Balance(J, Theta, Vec3::Zero(), inv_h).k);
}

Vec3 magnitude(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h) {
  const double per_time = std::abs(inv_h);
  const Vec3 turn = Theta.cwiseAbs() * per_time;
  const Vec3 spin = turn + Omega_n.cwiseAbs();
  return 2 * per_time * (J.cwiseAbs() * spin + skew(Theta).cwiseAbs() * (J.cwiseAbs() * turn) / 2); // [D11]
}

const char* row_name(Index i) {
  static const char* const rows[] = {"moment about its x axis", "moment about its y axis", "moment about its z axis"};
  return rows[i];
}

} // namespace emmy::rotation_step
