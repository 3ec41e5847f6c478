#include "solvers/integrators/explicit/rigid_joint.hpp"

#include <algorithm>
#include <limits>

namespace emmy {

namespace {
/// Arms shorter than this, relative to the coordinates of their ends, are rounding.
constexpr double negligible = 16 * std::numeric_limits<double>::epsilon();
} // namespace

RigidJoint::RigidJoint(const RigidSystem& system, const Interaction& element) : interaction_(system, element) {
  for (const Index unit : units()) {
    const auto has = [&](const Side& side) { return side.unit == static_cast<std::size_t>(unit); };
    if (unit >= 0 && std::none_of(sides_.begin(), sides_.end(), has))
      sides_.push_back({static_cast<std::size_t>(unit), {}});
  }
}

void RigidJoint::begin(const RigidPorts& at, const VecX& history) {
  interaction_.gather(at.ports, at.ground, q_start_);
  history_ = history.segment(element().first_history(), element().history());
}

NaturalStep RigidJoint::step_to(const RigidPorts& at, double t, double h) const {
  NaturalStep step;
  step.t = t;
  step.h = h;
  step.q_n = q_start_;
  interaction_.gather(at.ports, at.ground, step.q_n1);
  step.q_m = (step.q_n + step.q_n1) / 2;
  step.lambda.setZero(rows());
  step.history = history_;
  return step;
}

double RigidJoint::coordinate(const RigidPorts& at, std::size_t a) const {
  const Vec12& port = units()[a] < 0 ? at.ground : at.ports[static_cast<std::size_t>(units()[a])];
  double size = 0;
  for (Index k = 0; k < 4; ++k)
    size += std::abs(element().variables()[a].w[k]) * port.segment<3>(3 * k).norm();
  return size;
}

void RigidJoint::linearise(const RigidSystem& system, const RigidPorts& at, const Poses& poses, double t, double h) {
  const NaturalStep step = step_to(at, t, h);
  NaturalSystem found = element().natural_system(true);
  element().evaluate_natural(step, found);
  q_ = step.q_n1;
  G_ = found.G;
  phi_t_ = found.phi_t;
  natural_.setZero(rows());
  lengths_.resize(rows(), static_cast<Index>(units().size()));
  for (Side& side : sides_)
    side.W.setZero(rows(), 6);
  for (std::size_t a = 0; a < units().size(); ++a) {
    const auto col = static_cast<Index>(3 * a);
    for (Index i = 0; i < rows(); ++i)
      lengths_(i, static_cast<Index>(a)) = G_.block<1, 3>(i, col).norm();
    const auto side = std::find_if(sides_.begin(), sides_.end(),
                                   [&](const Side& s) { return static_cast<Index>(s.unit) == units()[a]; });
    if (side != sides_.end())
      add_wrenches_of(system, at, a, poses[side->unit], *side);
  }
}

/// Adds what the gradients by variable a do on its body.
void RigidJoint::add_wrenches_of(const RigidSystem& system, const RigidPorts& at, std::size_t a, const Pose& pose,
                                 Side& side) {
  const RigidUnit& unit = system.units()[side.unit];
  const auto col = static_cast<Index>(3 * a);
  const Vec3 X = q_.segment<3>(col);
  const double arm_squared = interaction_.arm(a, X, pose).squaredNorm();
  for (Index i = 0; i < side.W.rows(); ++i) {
    const Vec3 g = G_.block<1, 3>(i, col).transpose();
    Wrench w = interaction_.wrench(a, X, g, pose);
    // A point that coincides with the reference point has no arm, though rounding may say otherwise: on a fixed point
    // nothing else would act against the row.
    if (w.moment.norm() <= negligible * g.norm() * coordinate(at, a))
      w.moment.setZero();
    else if (unit.turns)
      natural_[i] += g.squaredNorm() * arm_squared / unit.moments.minCoeff();
    natural_[i] += unit.inverse_mass * w.force.squaredNorm();
    side.W.row(i).head<3>() += w.force.transpose();
    side.W.row(i).tail<3>() += w.moment.transpose();
  }
}

} // namespace emmy
