#include "solvers/integrators/explicit/rigid_constraints.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace emmy {

namespace {
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

RigidConstraints::RigidConstraints(const RigidSystem& system)
    : system_(system), impulse_(system.size()), velocities_(system.size()), ports_(system.size()) {
  for (const Interaction* interaction : joints_of(system.model())) {
    joints_.push_back({RigidJoint(system, *interaction), rows_, {}});
    joints_.back().Y.resize(joints_.back().joint.sides().size());
    rows_ += static_cast<int>(interaction->multipliers());
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
    for (std::size_t s = 0; s < joints_[j].joint.sides().size(); ++s)
      of_unit[joints_[j].joint.sides()[s].unit].push_back({j, s});
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> entry;
  const auto entry_of = [&](std::size_t a, std::size_t b) {
    const auto [found, is_new] = entry.emplace(std::pair(a, b), pattern_.size());
    if (is_new)
      for (int i = 0; i < joints_[a].joint.rows(); ++i)
        for (int j = a == b ? i : 0; j < joints_[b].joint.rows(); ++j)
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

void RigidConstraints::start(double t, const Poses& poses, const VecX& history) {
  t_ = t;
  ports_.place(system_, poses);
  for (JointRows& joint : joints_)
    joint.joint.begin(ports_, history);
}

void RigidConstraints::values(const Poses& poses, double h, VecX& phi) {
  ports_.place(system_, poses);
  for (const JointRows& rows : joints_) {
    const RigidJoint& joint = rows.joint;
    NaturalSystem natural = joint.element().natural_system(false);
    joint.element().evaluate_natural(joint.step_to(ports_, t_, h), natural);
    phi.segment(rows.first, joint.rows()) = natural.phi;
    size_.segment(rows.first, joint.rows()).setZero();
    for (std::size_t a = 0; a < joint.units().size(); ++a)
      size_.segment(rows.first, joint.rows()) +=
          joint.coordinate(ports_, a) * joint.lengths().col(static_cast<Index>(a));
  }
}

bool RigidConstraints::linearise(const Poses& poses, double h) {
  ports_.place(system_, poses);
  for (JointRows& rows : joints_) {
    RigidJoint& joint = rows.joint;
    joint.linearise(system_, ports_, poses, t_, h);
    phi_t_.segment(rows.first, joint.rows()) = joint.time_rates();
    natural_.segment(rows.first, joint.rows()) = joint.natural();
    for (std::size_t s = 0; s < rows.Y.size(); ++s) {
      const RigidJoint::Side& side = joint.sides()[s];
      const RigidUnit& unit = system_.units()[side.unit];
      const Mat3 Q = poses[side.unit].q.toRotationMatrix();
      rows.Y[s].resize(joint.rows(), 6);
      rows.Y[s].leftCols<3>() = unit.inverse_mass * side.W.leftCols<3>();
      rows.Y[s].rightCols<3>() = side.W.rightCols<3>() * (Q * unit.J_inverse * Q.transpose());
    }
  }
  assemble();
  return solve_->factor(natural_);
}

void RigidConstraints::assemble() {
  solve_->clear();
  for (const Coupling& c : couplings_) {
    const RigidJoint::Rows &Y = joints_[c.a].Y[c.side_a], &W = joints_[c.b].joint.sides()[c.side_b].W;
    std::size_t entry = c.entry;
    for (Index i = 0; i < Y.rows(); ++i)
      for (Index j = c.a == c.b ? i : 0; j < W.rows(); ++j)
        solve_->entry(entry++) += Y.row(i).dot(W.row(j));
  }
}

void RigidConstraints::add_impulse(const VecX& lambda, double factor, Momenta& momenta) const {
  for (const JointRows& joint : joints_)
    for (const RigidJoint::Side& side : joint.joint.sides()) {
      const Eigen::Matrix<double, 6, 1> w = side.W.transpose() * of(lambda, joint);
      if (system_.units()[side.unit].inverse_mass > 0)
        momenta[side.unit].p -= factor * w.head<3>();
      momenta[side.unit].pi -= factor * w.tail<3>();
    }
}

void RigidConstraints::add_wrenches(const VecX& lambda, Wrenches& wrenches) const {
  for (const JointRows& joint : joints_)
    for (const RigidJoint::Side& side : joint.joint.sides()) {
      const Eigen::Matrix<double, 6, 1> w = side.W.transpose() * of(lambda, joint);
      wrenches[side.unit].force -= w.head<3>();
      wrenches[side.unit].moment -= w.tail<3>();
    }
}

void RigidConstraints::book(const VecX& lambda, double factor, StepBooks& books, Wrenches& given) const {
  for (const JointRows& joint : joints_) {
    joint.joint.book(of(lambda, joint), factor, books);
    if (joint.joint.element().acts() != Acts::as_motor)
      continue;
    for (const RigidJoint::Side& side : joint.joint.sides()) {
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
    const Index rows = joint.joint.rows();
    const std::vector<Index>& units = joint.joint.units();
    for (const RigidJoint::Side& side : joint.joint.sides())
      rates.segment(joint.first, rows) += side.W * velocities_[side.unit];
    // Rates are known to the rounding of the velocities of what the rows are computed from: coordinates, not arms,
    // which may be small differences of them.
    for (std::size_t a = 0; a < units.size(); ++a) {
      if (units[a] < 0)
        continue;
      const Velocity& V = velocities_[static_cast<std::size_t>(units[a])];
      const double w0 = std::abs(joint.joint.element().variables()[a].w[0]);
      size.segment(joint.first, rows) +=
          (w0 * V.head<3>().norm() + joint.joint.coordinate(ports_, a) * V.tail<3>().norm()) *
          joint.joint.lengths().col(static_cast<Index>(a));
    }
  }
}

MultiplierSolve::Report RigidConstraints::project(const Poses& poses, Momenta& momenta, VecX& mu) {
  mu.setZero(rows_);
  ports_.place(system_, poses);
  given_rates_ = phi_t_;
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
    const Interaction& element = joint.joint.element();
    if (row >= joint.first && row < joint.first + element.multipliers())
      return "'" + element.name() + "' (" + element.kind() + "), " +
             element.row_name(element.unknowns() + row - joint.first);
  }
  return {};
}

} // namespace emmy
