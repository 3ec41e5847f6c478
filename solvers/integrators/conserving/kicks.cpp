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

Kicks::Kicks(const Model& model, VelocityConstraints how, const NewtonOptions& options)
    : how_(how), begin_(model.rest_state()) {
  if (how == VelocityConstraints::off || RigidSystem::unfit_body(model) != nullptr)
    return;
  const ModelParts parts(model);
  std::vector<bool> goes_without(parts.count, false);
  for (const Interaction* interaction : model.interactions())
    if (!interaction->nodes().empty() && is_pushed(model, *interaction))
      goes_without[parts.of(interaction->nodes().front())] = true;
  std::vector<const Interaction*> joints;
  for (const Interaction* joint : model.interactions())
    if (is_kicked(model, *joint) && !joint->nodes().empty() && !goes_without[parts.of(joint->nodes().front())])
      joints.push_back(joint);
  if (joints.empty())
    return;
  system_ = std::make_unique<RigidSystem>(model);
  tables_ = std::make_unique<RateTables>(*system_, joints, options.kernels);
  for (auto& end : ends_)
    end = std::make_unique<End>(*tables_, options);
  net_.setZero(model.multipliers());
  history_.setZero(history_size());
  account_.setZero(account_size());
  mean_ = expected_ = slope_ = bend_ = best_ = VecX::Zero(rows());
  lent_before_ = lent_ = largest_ = wanted_ = meant_ = moving_ = VecX::Zero(tables_->parts());
  y_ = rest_ = nothing_ = start().k;
  energies_ = VecX::Zero(tables_->bodies());
}

Kicks::End::End(const RateTables& tables, const NewtonOptions& options)
    : projection(tables, options.proximal.always, options.kernels.instructions), m(VecX::Zero(tables.rows())),
      k(VecX::Zero((tables.bodies() + 1) * rate_numbers)), energy(VecX::Zero(tables.parts())) {}

void Kicks::measure(const VecX& y, const VecX& z, OfParts& energy) {
  tables_->kernels().energies(tables_->bodies(), tables_->inertia().data(), y.data(), z.data(), energies_.data());
  if (energy.size() == 1) {
    energy[0] = energies_.sum();
    return;
  }
  energy.setZero();
  for (std::size_t b = 0; b < tables_->part_of_body().size(); ++b)
    energy[tables_->part_of_body()[b]] += energies_[static_cast<Index>(b)];
}

/// That of its impulses.
void Kicks::set_kick(End& at) {
  at.k.setZero();
  at.rows().kick(at.m, 1, at.k);
  measure(at.k, nothing_, at.energy);
}

/// Brings the kick to the energy that is wanted, part by part.
void Kicks::scale(End& at) {
  for (Index part = 0; part < wanted_.size(); ++part) // from here on by how much
    wanted_[part] = at.energy[part] > 0 ? std::sqrt(wanted_[part] / at.energy[part]) : 0;
  at.energy.array() *= wanted_.array().square();
  if (wanted_.size() == 1) {
    at.m *= wanted_[0];
    at.k *= wanted_[0];
    return;
  }
  for (const RateTables::Row& row : tables_->every_row())
    at.m[row.number] *= wanted_[row.part];
  for (std::size_t b = 0; b < tables_->part_of_body().size(); ++b)
    at.k.segment<rate_numbers>(static_cast<Index>(b) * rate_numbers) *= wanted_[tables_->part_of_body()[b]];
}

/// Rates that do not fit the joints when a run begins are projected.
void Kicks::meet_at_start(State& state) {
  End& at = start();
  at.rows().read(state, y_);
  rest_ = y_;
  at.projection.project(RateRows::Targets::moving, rest_, at.m);
  measure(y_, rest_, at.energy);
  at.rows().write(rest_, y_, state);
  met_ = at.m;
  lost_ = at.energy.sum() / 2;
}

/// What the means of the last steps, which go with h², lead to [V13]: a parabola, if they lie on one, otherwise less.
void Kicks::guess(double h, const double* history) {
  const double* means = history + header;
  const auto mean = [&](Index steps_ago) { return Eigen::Map<const VecX>(means + steps_ago * rows(), rows()); };
  const double known = history[0] == h ? history[1] : 1;
  End& at = start();
  at.m = mean(0);
  if (known > 1) {
    slope_ = mean(0) - mean(1);
    bend_.setZero();
    if (known > 2)
      bend_ = slope_ - mean(1) + mean(2);
    const double slope = slope_.squaredNorm(), bend = bend_.squaredNorm();
    if (4 * bend <= slope)
      at.m += slope_ + bend_;
    else if (slope <= at.m.squaredNorm())
      at.m += slope_;
  }
  at.m *= h * h;
  set_kick(at);
  wanted_ = (at.energy / 4).cwiseMax(at.energy - lent_before_); // [V11]
  scale(at);
}

/// The end kick, and what the two lend.
void Kicks::meet_at_end(const State& state) {
  End& at = end();
  at.projection.place(state);
  at.rows().read(state, y_);
  measure(y_, nothing_, moving_);
  rest_ = y_;
  at.projection.project(RateRows::Targets::moving, rest_, at.m);
  measure(y_, rest_, at.energy);
  lent_ = lent_before_ + (start().energy - at.energy) / 2; // [V11]
}

/// How many times more than they may the kicks lend, in the worst part.
double Kicks::excess() const {
  const double admitted = how_ == VelocityConstraints::exact ? rounding : lendable;
  double worst = 0;
  for (Index part = 0; part < lent_.size(); ++part) {
    const double most = admitted * std::max(moving_[part], largest_[part]);
    if (lent_[part] != 0)
      worst = std::max(worst, most > 0 ? std::abs(lent_[part]) / most : std::numeric_limits<double>::infinity());
  }
  return worst;
}

void Kicks::span(End& at, const VecX& w) {
  rest_ = w;
  at.projection.project(RateRows::Targets::still, rest_, at.m);
  set_kick(at);
}

/// A better start kick, by the mean kick that both are projections of [V7], [V9].
void Kicks::improve(bool is_first) {
  End &n = start(), &n1 = end();
  if (is_first)
    mean_ = (n.m + n1.m) / 2;
  else
    mean_ += (n1.m - expected_) / 2;
  y_.setZero(); // w = M^-1 (G_n + G_n1)^T mu / 2
  n.rows().kick(mean_, 0.5, y_);
  n1.rows().kick(mean_, 0.5, y_);
  span(n, y_);
  span(n1, y_);
  meant_ = n.energy.cwiseProduct(n1.energy).cwiseSqrt(); // of alpha Pi_n w, and of Pi_n1 w / alpha
  wanted_ = (meant_ / 4).cwiseMax(meant_ - lent_before_);
  scale(n);
  wanted_ = meant_ + lent_before_;
  scale(n1);
  expected_ = n1.m;
}

/// One pass: the step from the start kick, and the end kick that it leads to.
StepReport Kicks::pass(State& state, StartFrom from, const Step& step) {
  start().rows().add(start().k, state);
  StepReport report = step(state, from);
  if (!report.converged)
    return report;
  meet_at_end(state);
  if (!lent_.allFinite()) {
    report.converged = false;
    report.why = "gradients of joints are not finite";
  }
  return report;
}

/// Passes until the kicks lend little enough, or nothing is to be gained by more. Ends with the best one.
StepReport Kicks::pass_until_even(State& state, const Step& step) {
  const int most = how_ == VelocityConstraints::exact ? most_exact_passes : most_passes;
  double best = std::numeric_limits<double>::infinity();
  int iterations = 0, stalled = 0;
  bool is_guess = true, is_best = false;
  const auto again = [&](StartFrom from = StartFrom::last_solution) {
    state.copy_motion(begin_);
    state.rates = rates_;
    StepReport report = pass(state, from, step);
    iterations += report.iterations;
    return report;
  };
  StepReport report = again(StartFrom::steps_before);
  if (!report.converged && start().energy.sum() > 0) { // a guess that led astray
    start().m.setZero();
    set_kick(start());
    report = again(StartFrom::steps_before);
  }
  for (int passes = 0; report.converged; ++passes) {
    const double now = excess();
    is_best = now < best;
    stalled = now <= best / 2 ? 0 : stalled + 1;
    if (is_best) {
      best = now;
      best_ = start().m;
    }
    if (now <= 1 || stalled == patience || passes == most)
      break;
    improve(is_guess);
    is_guess = false;
    report = again();
    is_best = false;
  }
  if (!is_best && best < std::numeric_limits<double>::infinity()) {
    start().m = best_;
    set_kick(start());
    report = again();
  }
  report.iterations = iterations;
  return report;
}

StepReport Kicks::take(State& state, double h, const double* history, const double* account, const Step& step) {
  begin_.copy_motion(state);
  first_ = end().rows().is_at(state) ? 1 - first_ : first_;
  start().projection.place(state);
  lost_ = 0;
  met_.setZero(0);
  if (account == nullptr) {
    account_.setZero();
    meet_at_start(state);
  } else if (account != account_.data()) {
    std::copy_n(account, account_.size(), account_.data());
  }
  lent_before_ = account_.head(tables_->parts());
  largest_ = account_.tail(tables_->parts());
  if (history != nullptr) {
    guess(h, history);
  } else {
    start().m.setZero();
    set_kick(start());
  }
  rates_ = state.rates; // same sizes: copies without allocating
  StepReport report = pass_until_even(state, step);
  if (!report.converged) {
    state.copy_motion(begin_);
    return report;
  }
  begin_.rates = rates_;
  end().rows().write(rest_, y_, state);
  add_net_multipliers(h, state);
  remember(h, history);
  return report;
}

void Kicks::add_net_multipliers(double h, State& state) {
  for (const RateTables::Row& row : tables_->every_row())
    state.multipliers[row.multiplier] += (end().m[row.number] - start().m[row.number]) / h; // [V14]
  net_ = state.multipliers;
}

void Kicks::remember(double h, const double* history) {
  account_.head(lent_.size()) = lent_;
  account_.tail(lent_.size()) = largest_.cwiseMax(moving_);
  const bool goes_on = history != nullptr && history[0] == h;
  const double known = goes_on ? std::min(history[1] + 1, 1.0 * remembered_means) : 1;
  auto means = history_.segment(header, remembered_means * rows());
  if (goes_on)
    means.tail(2 * rows()) = Eigen::Map<const VecX>(history + header, 2 * rows());
  else
    means.setZero();
  means.head(rows()) = (start().m + end().m) / (2 * h * h);
  history_.head(header) << h, known;
}

void Kicks::book(StepBooks& books) const {
  const End &n = *ends_[first_], &n1 = *ends_[1 - first_];
  n.rows().book(n.m, 1, books);
  n1.rows().book(n1.m, -1, books);
  const auto work = [](const VecX& m, const VecX& by_time) { return m.dot(by_time); };
  if (tables_->has_targets())
    books.work += work(n1.m, n1.rows().by_time()) - work(n.m, n.rows().by_time()); // [V8]
  books.kicks += lent_.sum();
  if (met_.size() == 0)
    return;
  n.rows().book(met_, -1, books);
  if (tables_->has_targets())
    books.work += work(met_, n.rows().by_time());
  books.dissipation += lost_;
}

} // namespace emmy
