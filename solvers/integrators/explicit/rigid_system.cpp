#include "solvers/integrators/explicit/rigid_system.hpp"

#include "core/lossless_sum.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace emmy {

namespace {

/// Columns: axes of the intermediate, the largest and the smallest moment, which is the order that the kernels want. A
/// diagonal inertia keeps its axes to the last bit.
void find_principal_axes(RigidUnit& unit) {
  Mat3 axes = Mat3::Identity();
  Vec3 moments = unit.J.diagonal();
  if (!unit.J.isDiagonal(0)) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(unit.J);
    axes = eigen.eigenvectors();
    moments = eigen.eigenvalues();
  }
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return moments[a] > moments[b]; });
  const std::array<int, 3> chosen{order[1], order[0], order[2]};
  for (int i = 0; i < 3; ++i) {
    unit.axes.col(i) = axes.col(chosen[static_cast<std::size_t>(i)]);
    unit.moments[i] = moments[chosen[static_cast<std::size_t>(i)]];
  }
  if (unit.axes.determinant() < 0)
    unit.axes.col(0) *= -1;
}

} // namespace

void Pose::shift(const Vec3& by) {
  add_without_loss(by, x, lost);
}

void Motion::read(const ConstVectorRef& memory, Index first) {
  for (std::size_t b = 0; b < poses.size(); ++b, first += size) {
    poses[b].x = memory.segment<3>(first);
    poses[b].q = from_wxyz(memory.segment<4>(first + 3));
    poses[b].lost = memory.segment<3>(first + 7);
    momenta[b].p = memory.segment<3>(first + 10);
    momenta[b].pi = memory.segment<3>(first + 13);
  }
}

void Motion::write(VectorRef memory, Index first) const {
  for (std::size_t b = 0; b < poses.size(); ++b, first += size) {
    memory.segment<3>(first) = poses[b].x;
    memory.segment<4>(first + 3) = to_wxyz(poses[b].q);
    memory.segment<3>(first + 7) = poses[b].lost;
    memory.segment<3>(first + 10) = momenta[b].p;
    memory.segment<3>(first + 13) = momenta[b].pi;
  }
}

bool Motion::is_finite() const {
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (!std::isfinite(poses[b].x.sum() + poses[b].q.coeffs().sum() + momenta[b].p.sum() + momenta[b].pi.sum()))
      return false;
  return true;
}

Quaternion turned(const Quaternion& q, const Quaternion& by) {
  return (q * by).normalized();
}

RigidSystem::RigidSystem(const Model& model) : model_(model), unit_of_port_(model.ports().size(), -1) {
  if (const Body* unfit = unfit_body(model))
    throw std::invalid_argument("body '" + unfit->name() + "' (" + unfit->kind() +
                                ") cannot be integrated by its pose");
  for (const Body* body : model.bodies()) {
    const RigidInertia inertia = *body->rigid_inertia();
    RigidUnit unit;
    unit.body = body;
    unit.inverse_mass = inertia.is_pivoted ? 0 : 1 / inertia.mass;
    unit.turns = inertia.turns;
    unit.pivot = inertia.pivot;
    if (inertia.turns) {
      unit.J = inertia.J;
      unit.J_inverse =
          inertia.J.isDiagonal(0) ? Mat3(inertia.J.diagonal().cwiseInverse().asDiagonal()) : Mat3(inertia.J.inverse());
      find_principal_axes(unit);
    }
    unit_of_port_[static_cast<std::size_t>(body->port())] = static_cast<Index>(units_.size());
    units_.push_back(unit);
  }
}

const Body* RigidSystem::unfit_body(const Model& model) {
  for (const Body* body : model.bodies())
    if (!body->rigid_inertia())
      return body;
  return nullptr;
}

Motion RigidSystem::motion(const State& state) const {
  Motion motion{Poses(units_.size()), Momenta(units_.size())};
  read(state, motion);
  return motion;
}

Pose RigidSystem::pose_of(std::size_t unit, const BodyMotion& m) const {
  return {m.position + m.orientation * units_[unit].pivot, m.orientation};
}

/// Of a body that turns about a fixed point nobody looks at the velocity of the centre.
Twist RigidSystem::twist_of(const BodyMotion& m) {
  return {m.velocity, m.orientation.conjugate() * m.angular_velocity};
}

void RigidSystem::read(const State& state, Motion& motion) const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const BodyMotion m = units_[i].body->motion(state);
    motion.poses[i] = pose_of(i, m);
    motion.momenta[i] = momentum(i, motion.poses[i], twist_of(m));
  }
}

void RigidSystem::write(const Motion& motion, State& state) const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Pose& pose = motion.poses[i];
    const Twist t = twist(i, pose, motion.momenta[i]);
    const Vec3 arm = pose.q * units_[i].pivot, omega = pose.q * t.Omega; // from the centre of mass
    units_[i].body->set_motion({pose.x - arm, pose.q, t.v - omega.cross(arm), omega}, state);
  }
}

Momentum RigidSystem::momentum(std::size_t unit, const Pose& pose, const Twist& twist) const {
  const RigidUnit& b = units_[unit];
  const Vec3 p = b.inverse_mass > 0 ? Vec3(twist.v / b.inverse_mass) : Vec3(Vec3::Zero());
  return {p, pose.q * (b.J * twist.Omega)};
}

Pose RigidSystem::moved(std::size_t unit, const Pose& pose, const Twist& twist, double h) const {
  Pose result = pose;
  result.shift(h * twist.v);
  if (units_[unit].turns)
    result.q = turned(pose.q, exponential(h * twist.Omega));
  return result;
}

Twist RigidSystem::acceleration(std::size_t unit, const Pose& pose, const Twist& twist, const Wrench& wrench) const {
  const RigidUnit& b = units_[unit];
  const Vec3 gyroscopic = twist.Omega.cross(b.J * twist.Omega);
  return {b.inverse_mass * wrench.force, b.J_inverse * (pose.q.conjugate() * wrench.moment - gyroscopic)}; // [E1]
}

Vec12 RigidSystem::port(std::size_t unit, const Pose& pose) const {
  Vec12 q;
  const Mat3 Q = pose.q.toRotationMatrix();
  q.head<3>() = pose.x - Q * units_[unit].pivot;
  Eigen::Map<Mat3>(q.data() + 3) = Q;
  return q;
}

Vec12 RigidSystem::port_rate(std::size_t unit, const Pose& pose, const Twist& twist) const {
  Vec12 rate;
  const Mat3 dQ = pose.q.toRotationMatrix() * skew(twist.Omega);
  rate.head<3>() = twist.v - dQ * units_[unit].pivot;
  Eigen::Map<Mat3>(rate.data() + 3) = dQ;
  return rate;
}

} // namespace emmy
