#include "elements/forces/load.hpp"

#include "core/rotation.hpp"

#include <utility>

namespace emmy {

AppliedForce::AppliedForce(std::string name, const Ports& ports, Index port, const Vec3& at, const Vec3& f,
                           LoadAxes axes)
    : Interaction(std::move(name), "force", ports,
                  {body_point(port, at), body_direction(port, f)}), // the second one is the force, if fixed in the body
      f_(f), axes_(axes) {}

void AppliedForce::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  if (axes_ == LoadAxes::space) {
    out.r.head<3>() -= f_;
    return;
  }
  out.r.head<3>() -= s.q_m.segment<3>(3);
  if (out.tangent)
    out.k.block<3, 3>(0, 3).diagonal().array() -= 0.5;
}

void AppliedForce::book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const {
  books.work -= r.dot(s.q_n1 - s.q_n);
}

std::string AppliedForce::row_name(Index) const {
  return "force";
}

AppliedTorque::AppliedTorque(std::string name, const Ports& ports, Index port, const Vec3& m, LoadAxes axes)
    : Interaction(std::move(name), "torque", ports,
                  {body_direction(port, Vec3::UnitX()), body_direction(port, Vec3::UnitY()),
                   body_direction(port, Vec3::UnitZ())}),
      m_(m), axes_(axes) {}

void AppliedTorque::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const Eigen::Map<const Mat3> Q_m(s.q_m.data());
  const Mat3 B = Q_m * Q_m.transpose();
  const Mat3 S_inverse = (B.trace() * Mat3::Identity() - B).inverse();
  const Vec3 m = axes_ == LoadAxes::space ? m_ : Vec3(Q_m * m_);
  const Vec3 c = S_inverse * m; // [T17]
  for (int i = 0; i < 3; ++i)
    out.r.segment<3>(3 * i) -= c.cross(Q_m.col(i));
  if (!out.tangent)
    return;
  for (int j = 0; j < 3; ++j) {
    // dq_j changes S = tr B 1 - B by 2 (q_j . dq_j) 1 - dq_j q_j^T - q_j dq_j^T, so dc = S^-1 (dm - dS c).
    const Vec3 q_j = Q_m.col(j);
    Mat3 dc = -S_inverse * (2 * c * q_j.transpose() - q_j.dot(c) * Mat3::Identity() - q_j * c.transpose());
    if (axes_ == LoadAxes::body)
      dc += S_inverse * m_[j];
    for (int i = 0; i < 3; ++i)
      out.k.block<3, 3>(3 * i, 3 * j) += skew(Q_m.col(i)) * dc / 2; // -dc x q_i, half: the mean moves half as far
    out.k.block<3, 3>(3 * j, 3 * j) -= skew(c) / 2;
  }
}

void AppliedTorque::book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const {
  books.work -= r.dot(s.q_n1 - s.q_n);
}

std::string AppliedTorque::row_name(Index) const {
  return "torque";
}

} // namespace emmy
