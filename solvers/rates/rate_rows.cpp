#include "solvers/rates/rate_rows.hpp"

#include "core/measure_interaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// Seven numbers of the ground as of any frame, and zeros behind them.
constexpr double ground[] = {0, 0, 0, 1, 0, 0, 0, 0};
} // namespace

void RatePlace::copy(const State& state) {
  time = state.time;
  values = state.values;
  if (state.remainders.size() == values.size())
    remainders = state.remainders;
  else // of a state that was put together by hand
    remainders.setZero(values.size());
  history = state.history;
}

RateRows::RateRows(const RateTables& tables)
    : tables_(tables), G_(static_cast<std::size_t>(tables.gradients()), 0.0), by_time_(VecX::Zero(tables.rows())),
      poses_(tables.system().size()), ports_(tables.system().size()), state_(tables.system().model().rest_state()),
      nothing_(VecX::Zero((tables.bodies() + 1) * rate_numbers)) {
  place_.copy(state_);
  place_.values.setConstant(std::numeric_limits<double>::quiet_NaN()); // nowhere yet
  for (const RateTables::Group& group : tables.groups()) {
    const int memory = group.finder != nullptr ? group.finder->memory : 0;
    memories_.emplace_back(static_cast<std::size_t>(group.program.packs * rate_lanes * memory), 0.0);
    if (group.finder == nullptr)
      for (const std::size_t j : group.joints) {
        singles_.emplace_back(tables.system(), *tables.joints()[j].element);
        joint_of_single_.push_back(j);
      }
  }
}

bool RateRows::place(const State& state) {
  if ((place_.time == state.time || !tables_.has_targets()) && is_at(state))
    return false;
  place_.copy(state);
  find();
  return true;
}

void RateRows::find() {
  const RateInstant instant{place_.values.data(), place_.remainders.data(), ground};
  for (std::size_t i = 0; i < memories_.size(); ++i) {
    const RateTables::Group& group = tables_.groups()[i];
    if (group.finder == nullptr)
      continue;
    if (group.finder->memory > 0)
      recall(i);
    group.finder->find(
        {group.program, group.values.data(), group.vectors.data(), group.numbers.data(), memories_[i].data()}, instant,
        G_.data(), by_time_.data());
  }
  if (!singles_.empty() || !tables_.unlike_frames().empty())
    find_singles();
}

/// What elements know of the instant.
void RateRows::recall(std::size_t number) {
  const RateTables::Group& group = tables_.groups()[number];
  const auto lanes = static_cast<std::size_t>(rate_lanes), count = static_cast<std::size_t>(group.finder->memory);
  double known[8];
  for (std::size_t i = 0; i < group.joints.size(); ++i) {
    const auto& element = static_cast<const MeasureInteraction&>(*tables_.joints()[group.joints[i]].element);
    element.recall(place_.time, 0, place_.history.data() + element.first_history(), known);
    for (std::size_t k = 0; k < count; ++k)
      memories_[number][(i / lanes * count + k) * lanes + i % lanes] = known[k];
  }
}

/// Joints that no kernel knows, and bodies that are no frames.
void RateRows::find_singles() {
  const RigidSystem& system = tables_.system();
  state_.time = place_.time;
  state_.values = place_.values;
  state_.history = place_.history;
  for (std::size_t b = 0; b < system.size(); ++b)
    poses_[b] = system.pose(b, state_);
  ports_.place(system, poses_);
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    RigidJoint& single = singles_[i];
    single.begin(ports_, place_.history);
    single.linearise(system, ports_, poses_, place_.time, 0);
    const RateTables::Joint& joint = tables_.joints()[joint_of_single_[i]];
    for (int r = 0; r < joint.rows; ++r)
      by_time_[tables_.row(joint) + rate_lanes * r] = single.time_rates()[r];
    for (std::size_t s = 0; s < joint.bodies.size(); ++s) {
      const RigidJoint::Rows& W = single.sides()[s].W;
      const Quaternion to_body = poses_[static_cast<std::size_t>(joint.bodies[s])].q.conjugate();
      double* to = G_.data() + tables_.gradient(joint, static_cast<int>(s));
      for (int r = 0; r < joint.rows; ++r) {
        const Vec3 force = W.row(r).head<3>().transpose(), moment = to_body * Vec3(W.row(r).tail<3>().transpose());
        for (int k = 0; k < 3; ++k) {
          to[rate_lanes * (6 * r + k)] = force[k];
          to[rate_lanes * (6 * r + 3 + k)] = moment[k];
        }
      }
    }
  }
}

void RateRows::read(const State& state, VecX& y) const {
  for (const RateTables::Frame& frame : tables_.frames()) {
    const double* from = state.rates.data() + frame.rate;
    double* to = y.data() + frame.body * rate_numbers;
    for (int k = 0; k < 3; ++k) {
      to[k] = from[k];
      to[4 + k] = from[3 + k];
    }
    to[3] = to[7] = 0;
  }
  for (const std::size_t b : tables_.unlike_frames()) {
    const Twist twist = tables_.system().twist(b, state);
    double* to = y.data() + b * rate_numbers;
    Eigen::Map<Vec3>(to, 3) = twist.v;
    Eigen::Map<Vec3>(to + 4) = twist.Omega;
    to[3] = to[7] = 0;
  }
  y.tail<rate_numbers>().setZero();
}

void RateRows::write(const VecX& y, const VecX& before, State& state) const {
  for (const RateTables::Frame& frame : tables_.frames()) {
    const double* from = y.data() + frame.body * rate_numbers;
    double* to = state.rates.data() + frame.rate;
    for (int k = 0; k < 3; ++k) {
      to[k] = from[k];
      to[3 + k] = from[4 + k];
    }
  }
  add_to_unlike_frames(y, before, state);
}

void RateRows::add(const VecX& k, State& state) const {
  for (const RateTables::Frame& frame : tables_.frames()) {
    const double* from = k.data() + frame.body * rate_numbers;
    double* to = state.rates.data() + frame.rate;
    for (int i = 0; i < 3; ++i) {
      to[i] += from[i];
      to[3 + i] += from[4 + i];
    }
  }
  if (!tables_.unlike_frames().empty())
    add_to_unlike_frames(k, nothing_, state);
}

void RateRows::add_to_unlike_frames(const VecX& y, const VecX& before, State& state) const {
  for (const std::size_t b : tables_.unlike_frames()) {
    const Eigen::Matrix<double, rate_numbers, 1> k = y.segment<rate_numbers>(static_cast<Index>(b) * rate_numbers) -
                                                     before.segment<rate_numbers>(static_cast<Index>(b) * rate_numbers);
    if (k.isZero(0))
      continue;
    const RigidUnit& unit = tables_.system().units()[b];
    const Quaternion& q = poses_[b].q;
    const Vec3 omega = q * Vec3(k.segment<3>(4));
    const Vec3 v = unit.inverse_mass > 0 ? Vec3(k.head<3>()) : Vec3(Vec3::Zero());
    unit.body->add_velocity(v - omega.cross(q * unit.pivot), omega, state);
  }
}

void RateRows::find_rates(const VecX& y, Targets targets, VecX& c) const {
  for (const RateTables::Group& group : tables_.groups())
    tables_.kernels().rates(group.program, G_.data(), y.data(), c.data());
  if (targets == Targets::moving && tables_.has_targets())
    c += by_time_;
}

void RateRows::kick(const VecX& m, double factor, VecX& y) const {
  for (const RateTables::Group& group : tables_.groups())
    tables_.kernels().kick(group.program, G_.data(), m.data(), factor, y.data());
}

void RateRows::normalise(double* V) const {
  for (const RateTables::Group& group : tables_.groups())
    tables_.kernels().normalise(group.program, G_.data(), V);
}

void RateRows::book(const VecX& m, double factor, StepBooks& books) const {
  for (const std::size_t j : tables_.grounded()) {
    const RateTables::Joint& joint = tables_.joints()[j];
    const int side = joint.bodies[0] == tables_.bodies() ? 1 : 0;
    const auto body = static_cast<std::size_t>(joint.bodies[static_cast<std::size_t>(side)]);
    Eigen::Matrix<double, 6, 1> impulse = Eigen::Matrix<double, 6, 1>::Zero();
    const double* g = gradient(joint, side);
    for (int r = 0; r < joint.rows; ++r)
      for (int k = 0; k < 6; ++k, g += rate_lanes)
        impulse[k] += factor * m[tables_.row(joint) + rate_lanes * r] * *g;
    const double* at = place_.values.data() + tables_.system().units()[body].body->nodes().front().value;
    const Vec3 p = impulse.head<3>(), x = Eigen::Map<const Vec3>(at);
    const Vec3 l = from_wxyz(Eigen::Map<const Vec4>(at + 3)) * Vec3(impulse.tail<3>()) + x.cross(p);
    books.impulse += p;
    books.angular_impulse += l;
    books.impulse_sum += p.norm();
    books.angular_impulse_sum += l.norm();
  }
  for (std::size_t i = 0; i < singles_.size(); ++i) {
    const RateTables::Joint& joint = tables_.joints()[joint_of_single_[i]];
    MultiplierVector of_joint(joint.rows);
    for (int r = 0; r < joint.rows; ++r)
      of_joint[r] = m[tables_.row(joint) + rate_lanes * r];
    singles_[i].book(of_joint, -factor, books);
  }
}

} // namespace emmy
