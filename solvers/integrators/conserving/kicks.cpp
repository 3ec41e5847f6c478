#include "solvers/integrators/conserving/kicks.hpp"

#include "core/model_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace emmy {

namespace {

/// Energy of a part of the model that kicks may lend, relative to |y|² [V10].
constexpr double lendable = 1e-9, rounding = 1e-15;
/// Steps are taken again so often at most: next to a singular configuration kicks are known to rounding over what is
/// left of a row, and nothing depends on how well. Coarse steps ask for more if kicks are to be exact.
constexpr int most_passes = 8, most_exact_passes = 40;
/// Passes in a row that do not halve what is lent: it is rounding.
constexpr int patience = 3;

bool is_kicked(const Model& model, const Interaction& joint) {
  return joint.multipliers() > 0 && !joint.is_one_sided() &&
         model.enforcement(joint).method == EnforcementMethod::lagrange;
}

/// A part that some row may push, by multipliers.
bool is_pushed(const Model& model, const Interaction& limit) {
  return limit.is_one_sided() && model.enforcement(limit).method != EnforcementMethod::penalty;
}

} // namespace

Kicks::Kicks(const Model& model, VelocityConstraints how) : how_(how), begin_(model.rest_state()) {
  if (how == VelocityConstraints::off || RigidSystem::unfit_body(model) != nullptr)
    return;
  const ModelParts parts(model);
  const auto part_of = [&](const Element& element) {
    return static_cast<Index>(parts.of_unknown[static_cast<std::size_t>(element.nodes().front().unknown)]);
  };
  std::vector<bool> goes_without(parts.count, false);
  for (const Interaction* interaction : model.interactions())
    if (!interaction->nodes().empty() && is_pushed(model, *interaction))
      goes_without[static_cast<std::size_t>(part_of(*interaction))] = true;
  for (const Interaction* joint : model.interactions()) {
    if (!is_kicked(model, *joint) || joint->nodes().empty() || goes_without[static_cast<std::size_t>(part_of(*joint))])
      continue;
    joints_.push_back(joint);
    for (Index i = 0; i < joint->multipliers(); ++i) {
      multiplier_of_row_.push_back(joint->first_multiplier() + i);
      part_of_row_.push_back(part_of(*joint));
    }
  }
  if (joints_.empty())
    return;
  parts_ = static_cast<Index>(parts.count);
  system_ = std::make_unique<RigidSystem>(model);
  for (const RigidUnit& unit : system_->units())
    part_of_unit_.push_back(part_of(*unit.body));
  for (auto& end : ends_)
    end = std::make_unique<End>(*system_, joints_, parts_);
  net_.setZero(model.multipliers());
  history_.setZero(history_size());
  account_.setZero(account_size());
  mean_ = expected_ = VecX::Zero(rows());
  lent_before_ = lent_ = largest_ = wanted_ = moving_ = VecX::Zero(parts_);
  momenta_.resize(system_->size());
  given_.resize(system_->size());
}

Kicks::End::End(const RigidSystem& system, const std::vector<const Interaction*>& joints, Index parts)
    : motion{Poses(system.size()), Momenta(system.size())}, rows(system, joints),
      time(std::numeric_limits<double>::quiet_NaN()), values(VecX::Zero(system.model().values())),
      history(VecX::Zero(system.model().history())), m(VecX::Zero(rows.rows())), impulse(system.size()),
      energy(VecX::Zero(parts)) {}

/// Gradients and their metric, unless they are those of this very configuration already. False if they are not finite.
bool Kicks::place(End& at, const State& state) const {
  system_->read(state, at.motion);
  if (at.time == state.time && at.values == state.values && at.history == state.history)
    return true;
  at.time = state.time;
  at.values = state.values;
  at.history = state.history;
  at.rows.start(state.time, at.motion.poses, state.history);
  if (at.rows.linearise(at.motion.poses, 0))
    return true;
  at.time = std::numeric_limits<double>::quiet_NaN();
  return false;
}

/// That of its multipliers.
void Kicks::set_impulse(End& at) {
  std::fill(at.impulse.begin(), at.impulse.end(), Momentum());
  at.rows.add_impulse(at.m, -1, at.impulse);
  measure(at, at.impulse, at.energy);
}

/// Adds the kick to the rates, or takes it off.
void Kicks::kick(const End& at, double sign, State& state) const {
  for (std::size_t i = 0; i < system_->size(); ++i) {
    const Momentum& impulse = at.impulse[i];
    if (impulse.p.isZero(0) && impulse.pi.isZero(0))
      continue;
    const RigidUnit& unit = system_->units()[i];
    const Pose& pose = at.motion.poses[i];
    const Twist t = system_->twist(i, pose, impulse);
    const Vec3 omega = pose.q * t.Omega, arm = pose.q * unit.pivot;
    unit.body->add_velocity(sign * (t.v - omega.cross(arm)), sign * omega, state);
  }
}

/// |y|² = y^T M y of each part, for the rates that have these momenta.
void Kicks::measure(const End& at, const Momenta& momenta, OfParts& energy) const {
  energy.setZero();
  for (std::size_t i = 0; i < system_->size(); ++i) {
    const Twist t = system_->twist(i, at.motion.poses[i], momenta[i]);
    energy[part_of_unit_[i]] += momenta[i].p.dot(t.v) + momenta[i].pi.dot(at.motion.poses[i].q * t.Omega);
  }
}

/// Brings the kick from the energy that it has to the one that is wanted, part by part.
void Kicks::scale(End& at, const OfParts& energy) {
  for (Index i = 0; i < rows(); ++i) {
    const Index part = part_of_row_[static_cast<std::size_t>(i)];
    at.m[i] *= energy[part] > 0 ? std::sqrt(wanted_[part] / energy[part]) : 0;
  }
  set_impulse(at);
}

/// Rates that do not fit the joints when a run begins are projected.
void Kicks::meet_at_start(State& state) {
  End& at = start();
  momenta_ = at.motion.momenta;
  at.rows.project(at.motion.poses, momenta_, met_);
  at.m = met_;
  set_impulse(at);
  kick(at, -1, state);
  lost_ = at.energy.sum() / 2;
}

void Kicks::give_no_kick() {
  start().m.setZero();
  set_impulse(start());
}

/// A parabola through the means of the last steps, which go with h² [V13].
void Kicks::guess(double h, const double* history) {
  const double* means = history + header;
  const auto mean = [&](Index steps_ago) { return Eigen::Map<const VecX>(means + steps_ago * rows(), rows()); };
  const double known = history[0] == h ? history[1] : 1;
  End& at = start();
  if (known >= 3)
    at.m = h * h * (3 * (mean(0) - mean(1)) + mean(2));
  else if (known == 2)
    at.m = h * h * (2 * mean(0) - mean(1));
  else
    at.m = h * h * mean(0);
  set_impulse(at);
  wanted_ = at.energy; // a copy: scale() changes it
  moving_ = at.energy;
  wanted_ = (wanted_ / 4).cwiseMax(wanted_ - lent_before_); // [V11]
  scale(at, moving_);
}

/// The end kick, and what the two lend. False if rows are not finite.
bool Kicks::meet_at_end(const State& state) {
  End& at = end();
  if (!place(at, state))
    return false;
  momenta_ = at.motion.momenta;
  measure(at, momenta_, moving_);
  at.rows.project(at.motion.poses, momenta_, at.m);
  set_impulse(at);
  lent_ = lent_before_ + (start().energy - at.energy) / 2; // [V11]
  return true;
}

/// How many times more than they may the kicks lend, in the worst part.
double Kicks::excess() const {
  const double admitted = how_ == VelocityConstraints::exact ? rounding : lendable;
  double worst = 0;
  for (Index part = 0; part < parts_; ++part) {
    const double most = admitted * std::max(moving_[part], largest_[part]);
    if (lent_[part] != 0)
      worst = std::max(worst, most > 0 ? std::abs(lent_[part]) / most : std::numeric_limits<double>::infinity());
  }
  return worst;
}

/// m with G^T m the part of the momenta w of the mean kick that the rows of one end span.
void Kicks::span(End& at, VecX& m) {
  for (std::size_t i = 0; i < system_->size(); ++i) {
    // w = M^-1 (G_n + G_n1)^T mu / 2: velocities in space, angular ones in the body
    const Quaternion &q_n = start().motion.poses[i].q, &q_n1 = end().motion.poses[i].q;
    const Momentum &a = start().impulse[i], &b = end().impulse[i];
    momenta_[i].p = (a.p + b.p) / 2;
    momenta_[i].pi = at.motion.poses[i].q * ((q_n.conjugate() * a.pi + q_n1.conjugate() * b.pi) / 2);
  }
  at.rows.project(at.motion.poses, momenta_, m, RigidConstraints::Targets::still);
}

/// A better start kick, by the mean kick that both are projections of [V7], [V9].
void Kicks::improve(bool is_first) {
  End &n = start(), &n1 = end();
  if (is_first)
    mean_ = (n.m + n1.m) / 2;
  else
    mean_ += (n1.m - expected_) / 2;
  n.m = n1.m = mean_;
  set_impulse(n);
  set_impulse(n1);
  span(n, of_start_);
  span(n1, expected_);
  n.m = of_start_;
  n1.m = expected_;
  set_impulse(n);
  set_impulse(n1);
  const OfParts energy = n.energy, energy_at_end = n1.energy;
  const OfParts both = energy.cwiseProduct(energy_at_end).cwiseSqrt(); // of alpha Pi_n w, and of Pi_n1 w / alpha
  wanted_ = (both / 4).cwiseMax(both - lent_before_);
  scale(n, energy);
  wanted_ = both + lent_before_;
  scale(n1, energy_at_end);
  expected_ = n1.m;
}

StepReport Kicks::take(State& state, double h, const double* history, const double* account, const Step& step) {
  const auto fail = [&](StepReport report, const char* why) {
    state.copy_motion(begin_);
    if (why != nullptr) {
      report.converged = false;
      report.why = why;
    }
    return report;
  };
  begin_.copy_motion(state);
  first_ = end().time == state.time && end().values == state.values ? 1 - first_ : first_;
  constexpr const char* wild = "gradients of joints are not finite";
  if (!place(start(), state))
    return fail({}, wild);
  lost_ = 0;
  met_.setZero(0);
  if (account == nullptr) {
    account_.setZero();
    meet_at_start(state);
  } else if (account != account_.data()) {
    std::copy_n(account, account_.size(), account_.data());
  }
  lent_before_ = account_.head(parts_);
  largest_ = account_.tail(parts_);
  if (history != nullptr)
    guess(h, history);
  else
    give_no_kick();
  rates_ = state.rates; // same sizes: copies without allocating

  StepReport report;
  double best = std::numeric_limits<double>::infinity();
  int iterations = 0, stalled = 0;
  const int most = how_ == VelocityConstraints::exact ? most_exact_passes : most_passes;
  for (int pass = 0; pass <= most; ++pass) {
    if (pass > 0) {
      improve(pass == 1);
      state.copy_motion(begin_);
      state.rates = rates_;
    }
    kick(start(), 1, state);
    report = step(state);
    iterations += report.iterations;
    if (!report.converged)
      return fail(std::move(report), nullptr);
    if (!meet_at_end(state))
      return fail(std::move(report), wild);
    const double now = excess();
    stalled = now <= best / 2 ? 0 : stalled + 1;
    best = std::min(best, now);
    if (now <= 1 || stalled == patience)
      break;
  }
  report.iterations = iterations;
  kick(end(), -1, state);
  for (Index i = 0; i < rows(); ++i)
    state.multipliers[multiplier_of_row_[static_cast<std::size_t>(i)]] += (end().m[i] - start().m[i]) / h; // [V14]
  net_ = state.multipliers;
  remember(h, history);
  return report;
}

void Kicks::remember(double h, const double* history) {
  account_ << lent_, largest_.cwiseMax(moving_);
  const bool goes_on = history != nullptr && history[0] == h;
  const double known = goes_on ? std::min(history[1] + 1, 1.0 * remembered_means) : 1;
  auto means = history_.tail(remembered_means * rows());
  if (goes_on)
    means.tail(2 * rows()) = Eigen::Map<const VecX>(history + header, 2 * rows());
  else
    means.setZero();
  means.head(rows()) = (start().m + end().m) / (2 * h * h);
  history_.head(header) << h, known;
}

void Kicks::book(StepBooks& books) const {
  const End &n = *ends_[first_], &n1 = *ends_[1 - first_];
  n.rows.book(n.m, -1, books, given_);
  n1.rows.book(n1.m, 1, books, given_);
  books.work += n1.m.dot(n1.rows.time_rates()) - n.m.dot(n.rows.time_rates()); // [V8]
  books.kicks += lent_.sum();
  if (met_.size() == 0)
    return;
  n.rows.book(met_, 1, books, given_);
  books.work += met_.dot(n.rows.time_rates());
  books.dissipation += lost_;
}

} // namespace emmy
