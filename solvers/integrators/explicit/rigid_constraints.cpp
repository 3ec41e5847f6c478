#include "solvers/integrators/explicit/rigid_constraints.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace emmy {

namespace {
/// Arms shorter than this, relative to the coordinates of their ends, are rounding.
constexpr double negligible = 16 * std::numeric_limits<double>::epsilon();

std::vector<const Interaction*> joints_of(const Model& model) {
  std::vector<const Interaction*> joints;
  for (const Interaction* interaction : model.interactions()) {
    if (interaction->multipliers() == 0)
      continue;
    if (interaction->is_one_sided())
      throw std::invalid_argument("'" + interaction->name() + "' (" + interaction->kind() +
                                  ") only pushes, which explicit integrators do not know");
    joints.push_back(interaction);
  }
  return joints;
}
} // namespace

RigidConstraints::RigidConstraints(const RigidSystem& system) : RigidConstraints(system, joints_of(system.model())) {}

RigidConstraints::RigidConstraints(const RigidSystem& system, const std::vector<const Interaction*>& joints)
    : system_(system), impulse_(system.size()), velocities_(system.size()), ports_(system.size()) {
  for (const Interaction* interaction : joints) {
    JointRows joint{RigidInteraction(system, *interaction), rows_, {}, {}, {}, {}, {}, {}};
    for (const Index unit : joint.interaction.units()) {
      const auto has = [&](const Side& side) { return side.unit == static_cast<std::size_t>(unit); };
      if (unit >= 0 && std::none_of(joint.sides.begin(), joint.sides.end(), has))
        joint.sides.push_back({static_cast<std::size_t>(unit), {}, {}});
    }
    rows_ += static_cast<int>(interaction->multipliers());
    joints_.push_back(std::move(joint));
  }
  find_couplings();
  solve_.emplace(rows_, pattern_);
  size_.setOnes(rows_);
  given_rates_.setZero(rows_);
  given_size_.setZero(rows_);
  natural_.setZero(rows_);
  phi_t_.setZero(rows_);
}

void RigidConstraints::find_couplings() {
  struct Use {
    std::size_t joint, side;
  };
  std::vector<std::vector<Use>> of_unit(system_.size());
  for (std::size_t j = 0; j < joints_.size(); ++j)
    for (std::size_t s = 0; s < joints_[j].sides.size(); ++s)
      of_unit[joints_[j].sides[s].unit].push_back({j, s});
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> entry;
  const auto entry_of = [&](std::size_t a, std::size_t b) {
    const auto [found, is_new] = entry.emplace(std::pair(a, b), pattern_.size());
    if (is_new)
      for (int i = 0; i < joints_[a].interaction.element().multipliers(); ++i)
        for (int j = a == b ? i : 0; j < joints_[b].interaction.element().multipliers(); ++j)
          pattern_.emplace_back(joints_[a].first + i, joints_[b].first + j);
    return found->second;
  };
  for (std::size_t j = 0; j < joints_.size(); ++j)
    entry_of(j, j); // also of joints that hold nothing that moves
  for (const auto& uses : of_unit)
    for (std::size_t a = 0; a < uses.size(); ++a)
      for (std::size_t b = a; b < uses.size(); ++b)
        couplings_.push_back(
            {uses[a].joint, uses[b].joint, uses[a].side, uses[b].side, entry_of(uses[a].joint, uses[b].joint)});
}

void RigidConstraints::find_ports(const Poses& poses) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    ports_[b] = system_.port(b, poses[b]);
}

void RigidConstraints::start(double t, const Poses& poses, const VecX& history) {
  t_ = t;
  find_ports(poses);
  for (JointRows& joint : joints_) {
    const Interaction& element = joint.interaction.element();
    joint.interaction.gather(ports_, ground_, joint.q_start);
    joint.history = history.segment(element.first_history(), element.history());
  }
}

NaturalStep RigidConstraints::step_to(const JointRows& joint, double h) const {
  NaturalStep step;
  step.t = t_;
  step.h = h;
  step.q_n = joint.q_start;
  joint.interaction.gather(ports_, ground_, step.q_n1);
  step.q_m = (step.q_n + step.q_n1) / 2;
  step.lambda.setZero(joint.interaction.element().multipliers());
  step.history = joint.history;
  return step;
}

void RigidConstraints::values(const Poses& poses, double h, VecX& phi) {
  find_ports(poses);
  for (const JointRows& joint : joints_) {
    const Interaction& element = joint.interaction.element();
    NaturalSystem natural = element.natural_system(false);
    element.evaluate_natural(step_to(joint, h), natural);
    phi.segment(joint.first, element.multipliers()) = natural.phi;
    size_.segment(joint.first, element.multipliers()).setZero();
    for (std::size_t a = 0; a < element.variables().size(); ++a)
      size_.segment(joint.first, element.multipliers()) +=
          coordinate(joint, a) * joint.lengths.col(static_cast<Index>(a));
  }
}

double RigidConstraints::coordinate(const JointRows& joint, std::size_t a) const {
  const Index unit = joint.interaction.units()[a];
  const Vec12& port = unit < 0 ? ground_ : ports_[static_cast<std::size_t>(unit)];
  double size = 0;
  for (Index k = 0; k < 4; ++k)
    size += std::abs(joint.interaction.element().variables()[a].w[k]) * port.segment<3>(3 * k).norm();
  return size;
}

bool RigidConstraints::linearise(const Poses& poses, double h) {
  find_ports(poses);
  natural_.setZero();
  for (JointRows& joint : joints_)
    linearise(joint, poses, h);
  assemble();
  return solve_->factor(natural_);
}

void RigidConstraints::linearise(JointRows& joint, const Poses& poses, double h) {
  const Interaction& element = joint.interaction.element();
  const NaturalStep step = step_to(joint, h);
  NaturalSystem natural = element.natural_system(true);
  element.evaluate_natural(step, natural);
  joint.q = step.q_n1;
  joint.G = natural.G;
  const Index m = element.multipliers();
  phi_t_.segment(joint.first, m) = natural.phi_t;
  joint.lengths.resize(m, static_cast<Index>(element.variables().size()));
  for (Side& side : joint.sides)
    side.W.setZero(m, 6);
  for (std::size_t a = 0; a < element.variables().size(); ++a) {
    const auto col = static_cast<Index>(3 * a);
    for (Index i = 0; i < m; ++i)
      joint.lengths(i, static_cast<Index>(a)) = natural.G.block<1, 3>(i, col).norm();
    const auto side = std::find_if(joint.sides.begin(), joint.sides.end(), [&](const Side& s) {
      return static_cast<Index>(s.unit) == joint.interaction.units()[a];
    });
    if (side != joint.sides.end())
      add_wrenches_of(joint, a, poses[side->unit], *side);
  }
  for (Side& side : joint.sides) {
    const RigidUnit& unit = system_.units()[side.unit];
    const Mat3 Q = poses[side.unit].q.toRotationMatrix();
    side.Y.resize(m, 6);
    side.Y.leftCols<3>() = unit.inverse_mass * side.W.leftCols<3>();
    side.Y.rightCols<3>() = side.W.rightCols<3>() * (Q * unit.J_inverse * Q.transpose());
  }
}

void RigidConstraints::add_wrenches_of(const JointRows& joint, std::size_t a, const Pose& pose, Side& side) {
  const RigidUnit& unit = system_.units()[side.unit];
  const auto col = static_cast<Index>(3 * a);
  const Vec3 X = joint.q.segment<3>(col);
  const double arm_squared = joint.interaction.arm(a, X, pose).squaredNorm();
  for (Index i = 0; i < side.W.rows(); ++i) {
    const Vec3 g = joint.G.block<1, 3>(i, col).transpose();
    Wrench w = joint.interaction.wrench(a, X, g, pose);
    // A point that coincides with the reference point has no arm, though rounding may say otherwise: on a fixed point
    // nothing else would act against the row.
    if (w.moment.norm() <= negligible * g.norm() * coordinate(joint, a))
      w.moment.setZero();
    else if (unit.turns)
      natural_[joint.first + i] += g.squaredNorm() * arm_squared / unit.moments.minCoeff();
    natural_[joint.first + i] += unit.inverse_mass * w.force.squaredNorm();
    side.W.row(i).head<3>() += w.force.transpose();
    side.W.row(i).tail<3>() += w.moment.transpose();
  }
}

void RigidConstraints::assemble() {
  solve_->clear();
  for (const Coupling& c : couplings_) {
    const Rows &Y = joints_[c.a].sides[c.side_a].Y, &W = joints_[c.b].sides[c.side_b].W;
    std::size_t entry = c.entry;
    for (Index i = 0; i < Y.rows(); ++i)
      for (Index j = c.a == c.b ? i : 0; j < W.rows(); ++j)
        solve_->entry(entry++) += Y.row(i).dot(W.row(j));
  }
}

void RigidConstraints::add_impulse(const VecX& lambda, double factor, Momenta& momenta) const {
  for (const JointRows& joint : joints_)
    for (const Side& side : joint.sides) {
      const Eigen::Matrix<double, 6, 1> w = side.W.transpose() * of(lambda, joint);
      if (system_.units()[side.unit].inverse_mass > 0)
        momenta[side.unit].p -= factor * w.head<3>();
      momenta[side.unit].pi -= factor * w.tail<3>();
    }
}

void RigidConstraints::add_wrenches(const VecX& lambda, Wrenches& wrenches) const {
  for (const JointRows& joint : joints_)
    for (const Side& side : joint.sides) {
      const Eigen::Matrix<double, 6, 1> w = side.W.transpose() * of(lambda, joint);
      wrenches[side.unit].force -= w.head<3>();
      wrenches[side.unit].moment -= w.tail<3>();
    }
}

void RigidConstraints::book(const VecX& lambda, double factor, StepBooks& books, Wrenches& given) const {
  for (const JointRows& joint : joints_) {
    const Interaction& element = joint.interaction.element();
    element.book_impulses(joint.q, joint.G.transpose() * of(lambda, joint), factor, books);
    if (element.acts() != Acts::as_motor)
      continue;
    for (const Side& side : joint.sides) {
      const Eigen::Matrix<double, 6, 1> w = side.W.transpose() * of(lambda, joint);
      given[side.unit].force -= factor * w.head<3>();
      given[side.unit].moment -= factor * w.tail<3>();
    }
  }
}

void RigidConstraints::add_rates(const Poses& poses, const Momenta& momenta, VecX& rates, VecX& size) {
  for (std::size_t b = 0; b < momenta.size(); ++b) {
    const Twist t = system_.twist(b, poses[b], momenta[b]);
    velocities_[b] << t.v, poses[b].q * t.Omega;
  }
  for (const JointRows& joint : joints_) {
    const auto rows = joint.lengths.rows();
    for (const Side& side : joint.sides)
      rates.segment(joint.first, rows) += side.W * velocities_[side.unit];
    // Rates are known to the rounding of the velocities of what the rows are computed from: coordinates, not arms,
    // which may be small differences of them.
    for (std::size_t a = 0; a < joint.interaction.units().size(); ++a) {
      if (joint.interaction.units()[a] < 0)
        continue;
      const Velocity& V = velocities_[static_cast<std::size_t>(joint.interaction.units()[a])];
      const double w0 = std::abs(joint.interaction.element().variables()[a].w[0]);
      size.segment(joint.first, rows) += (w0 * V.head<3>().norm() + coordinate(joint, a) * V.tail<3>().norm()) *
                                         joint.lengths.col(static_cast<Index>(a));
    }
  }
}

MultiplierSolve::Report RigidConstraints::project(const Poses& poses, Momenta& momenta, VecX& mu, Targets targets) {
  mu.setZero(rows_);
  find_ports(poses);
  if (targets == Targets::moving)
    given_rates_ = phi_t_;
  else
    given_rates_.setZero();
  given_size_ = given_rates_.cwiseAbs();
  add_rates(poses, momenta, given_rates_, given_size_);
  const MultiplierSolve::Report report =
      solve_->solve(mu, 1, size_, max_iterations_, [&](const VecX& now, VecX& phi_dot) {
        // The impulse has a rate of its own, whose rounding counts as well.
        for (Momentum& m : impulse_)
          m = {};
        add_impulse(now, 1, impulse_);
        phi_dot = given_rates_;
        size_ = given_size_;
        add_rates(poses, impulse_, phi_dot, size_);
      });
  add_impulse(mu, 1, momenta);
  return report;
}

std::string RigidConstraints::row_name(int row) const {
  for (const JointRows& joint : joints_) {
    const Interaction& element = joint.interaction.element();
    if (row >= joint.first && row < joint.first + element.multipliers())
      return "'" + element.name() + "' (" + element.kind() + "), " +
             element.row_name(element.unknowns() + row - joint.first);
  }
  return {};
}

} // namespace emmy
