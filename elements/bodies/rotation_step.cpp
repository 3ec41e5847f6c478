#include "elements/bodies/rotation_step.hpp"

#include <cmath>

namespace emmy::rotation_step {

void place_base_vectors(const Quaternion& r_n, const Vec3& Theta, PortMotion& m) {
  // The very configuration that retract() will store: rounding of Q then telescopes over the steps instead of adding
  // up.
  base_vectors(m.q_n) = r_n.toRotationMatrix();
  base_vectors(m.q_n1) = (r_n * cayley(Theta)).normalized().toRotationMatrix(); // [F1]
}

void move_base_vectors(const Quaternion& r_n, const Vec3& Theta, Index column, PortMotion& m) {
  place_base_vectors(r_n, Theta, m);
  const Mat3 Q_n = base_vectors(m.q_n);
  const Mat3 A_inverse = half_cayley_inverse(Theta);
  const Mat3 Q_m = Q_n * A_inverse;                            // [D12]
  const Mat3 N_T = Q_n * (Mat3::Identity() + skew(Theta) / 2); // Q_n A^T
  for (int k = 0; k < 3; ++k) {
    m.P_bar.block<3, 3>(3 + 3 * k, column).noalias() = -skew(Q_m.col(k)) * N_T;   // [D13]
    m.D.block<3, 3>(3 + 3 * k, column).noalias() = -Q_m * skew(A_inverse.col(k)); // [D12]
  }
}

Mat3 geometric(const Vec3& Theta, const PortMotion& m, Index column, const Vec12& r) {
  const auto Q_n = base_vectors(m.q_n);
  // P_bar^T r = A n with n = Q_n^T sum of q_m x r_k; A and q_m change with Theta [D14].
  Vec3 moment = Vec3::Zero();
  Mat3 dmoment = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 r_i = r.segment<3>(3 + 3 * i);
    moment += (m.q_n.segment<3>(3 + 3 * i) + m.q_n1.segment<3>(3 + 3 * i)).cross(r_i) / 2;
    dmoment.noalias() -= skew(r_i) * m.D.block<3, 3>(3 + 3 * i, column) / 2;
  }
  const Vec3 n = Q_n.transpose() * moment;
  const Mat3 A = Mat3::Identity() - skew(Theta) / 2;
  return skew(n) / 2 + A * (Q_n.transpose() * dmoment);
}

Vec3 residual(const Mat3& J, const Vec3& Theta, const Vec3& Omega_n, double inv_h) {
  const Vec3 J_Theta = J * Theta * inv_h;
  // [D11]; Theta/h - Omega is also what the update of the rates adds, to the last bit.
  return 2 * inv_h * (J * (Theta * inv_h - Omega_n) + Theta.cross(J_Theta) / 2);
}

Mat3 tangent(const Mat3& J, const Vec3& Theta, double inv_h) {
  const Vec3 J_Theta = J * Theta * inv_h;
  return 2 * inv_h * (J * inv_h + (skew(Theta) * J * inv_h - skew(J_Theta)) / 2); // [D14]
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
