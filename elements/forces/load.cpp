#include "elements/forces/load.hpp"

#include "core/rotation.hpp"

#include <utility>

namespace emmy {

namespace {

double middle(const NaturalStep& s) {
  return s.t + s.h / 2;
}

/// The point, and what the force turns with: nothing in space; in the body the force itself if it does not change, or
/// the three base vectors that its components multiply.
std::vector<NaturalVariable> force_variables(Index port, const Vec3& at, const LoadComponents& f, LoadAxes axes) {
  std::vector<NaturalVariable> variables{body_point(port, at)};
  if (axes == LoadAxes::body && f.is_constant())
    variables.push_back(body_direction(port, f.at(0)));
  else if (axes == LoadAxes::body)
    for (int i = 0; i < 3; ++i)
      variables.push_back(body_direction(port, Vec3::Unit(i)));
  return variables;
}

} // namespace

LoadComponents::LoadComponents(const TimeFunction& x, const TimeFunction& y, const TimeFunction& z)
    : f_{x, y, z}, is_constant_(x.is_constant() && y.is_constant() && z.is_constant()) {
  if (is_constant_)
    constant_ = Vec3(x(0), y(0), z(0));
}

namespace {
InteractionFacts facts_of(const LoadComponents& components) {
  return {ConstraintRows::none(), no_history, Acts::from_outside,
          components.is_constant() ? Forces::of_configuration : Forces::of_time, Nonlinear::in_turns};
}
} // namespace

AppliedForce::AppliedForce(std::string name, const Ports& ports, Index port, const Vec3& at, const LoadComponents& f,
                           LoadAxes axes)
    : Interaction(std::move(name), "force", ports, force_variables(port, at, f, axes), facts_of(f)), f_(f),
      axes_(axes) {}

void AppliedForce::add_residual(const Vec3& components, const NaturalVector& q, NaturalVector& r) const {
  if (axes_ == LoadAxes::space) {
    r -= components;
    return;
  }
  const Vec3 factors = f_.is_constant() ? Vec3(Vec3::UnitX()) : components;
  for (Index i = 0; 3 * (i + 1) < q.size(); ++i)
    r.head<3>() -= factors[i] * q.segment<3>(3 * (i + 1));
}

void AppliedForce::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const Vec3 f = f_.at(middle(s));
  add_residual(f, s.q_m, out.r);
  if (!out.tangent || axes_ == LoadAxes::space)
    return;
  for (Index i = 0; 3 * (i + 1) < s.q_m.size(); ++i)
    out.k.block<3, 3>(0, 3 * (i + 1)).diagonal().array() -= (f_.is_constant() ? 1 : f[i]) / 2;
}

void AppliedForce::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  add_residual(f_.mean(s.from, s.to), s.q, out.given);
}

NaturalPattern AppliedForce::natural_pattern() const {
  const auto n = static_cast<Index>(3 * variables().size());
  NaturalPattern pattern{Pattern::Zero(n, n), Pattern::Zero(0, n)};
  for (Index i = 3; i < n; i += 3)
    pattern.k.block<3, 3>(0, i).setIdentity();
  return pattern;
}

void AppliedForce::book_energy(const NaturalStep& s, const NaturalVector& r, StepBooks& books) const {
  books.work -= r.dot(s.q_n1 - s.q_n);
}

std::string AppliedForce::row_name(Index) const {
  return "force";
}

AppliedTorque::AppliedTorque(std::string name, const Ports& ports, Index port, const LoadComponents& m, LoadAxes axes)
    : Interaction(std::move(name), "torque", ports,
                  {body_direction(port, Vec3::UnitX()), body_direction(port, Vec3::UnitY()),
                   body_direction(port, Vec3::UnitZ())},
                  facts_of(m)),
      m_(m), axes_(axes) {}

namespace {

/// The torque at base vectors Q: (tr B 1 - B)^-1, and c [T17].
struct TorqueSpread {
  Mat3 S_inverse;
  Vec3 c;

  TorqueSpread(const Mat3& Q, const Vec3& components, LoadAxes axes) {
    const Mat3 B = Q * Q.transpose();
    S_inverse = (B.trace() * Mat3::Identity() - B).inverse();
    c = S_inverse * (axes == LoadAxes::space ? components : Vec3(Q * components));
  }

  void add_residual(const Mat3& Q, NaturalVector& r) const {
    for (int i = 0; i < 3; ++i)
      r.segment<3>(3 * i) -= c.cross(Q.col(i));
  }
};

} // namespace

void AppliedTorque::evaluate_instant(const NaturalInstant& s, InstantForces& out) const {
  const Mat3 Q = Eigen::Map<const Mat3>(s.q.data());
  TorqueSpread(Q, m_.mean(s.from, s.to), axes_).add_residual(Q, out.given);
}

void AppliedTorque::evaluate_natural(const NaturalStep& s, NaturalSystem& out) const {
  const Mat3 Q_m = Eigen::Map<const Mat3>(s.q_m.data());
  const Vec3 components = m_.at(middle(s));
  const TorqueSpread spread(Q_m, components, axes_);
  const auto& [S_inverse, c] = spread;
  spread.add_residual(Q_m, out.r);
  if (!out.tangent)
    return;
  for (int j = 0; j < 3; ++j) {
    // dq_j changes S = tr B 1 - B by 2 (q_j . dq_j) 1 - dq_j q_j^T - q_j dq_j^T, so dc = S^-1 (dm - dS c).
    const Vec3 q_j = Q_m.col(j);
    Mat3 dc = -S_inverse * (2 * c * q_j.transpose() - q_j.dot(c) * Mat3::Identity() - q_j * c.transpose());
    if (axes_ == LoadAxes::body)
      dc += S_inverse * components[j];
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
