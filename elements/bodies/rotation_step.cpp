#include "elements/bodies/rotation_step.hpp"

#include "elements/bodies/frame_equations.hpp"
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
  const Mat3 N_T = of_eigen(motion.N_T), A_inverse = of_eigen(motion.A_inverse);
  const Mat3 Q_m = (base_vectors(m.q_n) + base_vectors(m.q_n1)) / 2;
  for (int k = 0; k < 3; ++k) {
    m.P_bar.block<3, 3>(3 + 3 * k, column).noalias() = -skew(Q_m.col(k)) * N_T;   // [D13]
    m.D.block<3, 3>(3 + 3 * k, column).noalias() = -Q_m * skew(A_inverse.col(k)); // [D12]
  }
}

namespace {

/// Balance of moments with those in space that act on a body, and with their derivative by Theta.
struct Balance {
  V3<double> r;
  M3<double> k;
  Balance(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h, const Mat3& N_T = Mat3::Zero(),
          const Vec3& moment = Vec3::Zero(), const Mat3& stiffness = Mat3::Zero()) {
    const V3<double> turn = plain(Theta);
    balance_moments<true>(plain(J), {2 * inv_h, 2 * inv_h * inv_h}, inv_h, turn, plain(Omega_n), plain(N_T),
                          half_turn_inverse(turn), plain(Vec3(N_T.transpose() * moment)), plain(stiffness), r, k);
  }
};

} // namespace

Mat3 geometric(const Vec3& Theta, const PortMotion& m, Index column, const Vec12& r) {
  // P_bar^T r = A n with n = Q_n^T sum of q_m x r_k; A and q_m change with Theta [D14].
  Vec3 moment = Vec3::Zero();
  Mat3 stiffness = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 r_i = r.segment<3>(3 + 3 * i);
    moment += (m.q_n.segment<3>(3 + 3 * i) + m.q_n1.segment<3>(3 + 3 * i)).cross(r_i) / 2;
    stiffness.noalias() -= skew(r_i) * m.D.block<3, 3>(3 + 3 * i, column) / 2;
  }
  const Mat3 N_T = base_vectors(m.q_n) * (Mat3::Identity() + skew(Theta) / 2);
  return of_eigen(Balance(Mat3::Zero(), Theta, Vec3::Zero(), 0, N_T, moment, stiffness).k);
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
