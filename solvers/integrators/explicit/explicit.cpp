#include "solvers/integrators/explicit/explicit.hpp"

#include "core/counted.hpp"
#include "solvers/integrators/explicit/kick_drift_kick.hpp"
#include "solvers/integrators/explicit/predictor_corrector.hpp"
#include "solvers/integrators/explicit/simo_wong.hpp"
#include "solvers/integrators/explicit/staggered.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

ExplicitIntegrator::ExplicitIntegrator(const Model& model, const ExplicitOptions& options)
    : system_(model), forces_(system_), constraints_(system_), model_(model), options_(options),
      previous_(model.rest_state()), z_(VecX::Zero(model.unknowns())), multipliers_(VecX::Zero(model.multipliers())),
      motions_(model.port_motions()), driven_(system_.size()) {
  constraints_.set_max_iterations(options.max_iterations);
  now_.poses.resize(system_.size());
  now_.momenta.resize(system_.size());
}

/// Versions count what is kept.
const std::string& ExplicitIntegrator::owner() {
  if (owner_.empty())
    owner_ = method_name() + ", 1";
  return owner_;
}

void ExplicitIntegrator::begin(State& state) {
  state.memory.start(owner(), memory_size());
  system_.motion(state).write(state.memory.numbers, 0);
}

StepReport ExplicitIntegrator::step(State& state, double h) {
  if (!state.memory.is_of(owner(), memory_size()))
    begin(state);
  goes_on_ = end_.size() == state.memory.numbers.size() && end_ == state.memory.numbers;
  previous_ = state; // same sizes: copies without allocating
  memory_ = state.memory.numbers;
  multipliers_ = state.multipliers;
  books_ = {};
  h_ = h;
  inverse_h_ = 1 / h;
  now_.read(memory_, 0);
  const Index motion = static_cast<Index>(system_.size()) * Motion::size;
  if (!constraints_.empty())
    constraints_.start(state.time, now_.poses, state.history);
  forces_.forget_fault();
  StepReport report = advance(state.time, h, now_, memory_.tail(memory_.size() - motion), multipliers_);
  if (report.converged && !now_.is_finite())
    report = overflow();
  if (!report.converged && forces_.fault() != nullptr)
    report.why = "element '" + forces_.fault()->name() + "' (" + forces_.fault()->kind() +
                 ") returned a value that is not finite";
  if (!report.converged) {
    end_.resize(0);
    return report;
  }
  now_.write(memory_, 0);
  state.memory.numbers = end_ = memory_;
  state.multipliers = multipliers_;
  state.time = previous_.time + h;
  system_.write(now_, state);
  for (const Node& node : model_.nodes())
    local(node.kind, previous_.values.segment(node.value, node.values()),
          state.values.segment(node.value, node.values()), z_.segment(node.unknown, node.unknowns()));
  if (model_.interactions().empty())
    return report;
  Vec12 rate;
  for (std::size_t p = 0; p < motions_.size(); ++p) {
    model_.ports()[p]->at(previous_, motions_[p].q_n, rate);
    model_.ports()[p]->at(state, motions_[p].q_n1, rate);
  }
  for (const Interaction* interaction : model_.interactions())
    interaction->advance(last_moved_step(), state);
  return report;
}

StepBooks ExplicitIntegrator::books(const State& n1) const {
  StepBooks books = books_;
  const MovedStep s = last_moved_step();
  for (const Body* body : model_.bodies())
    body->book(s, n1, books);
  for (const Interaction* interaction : model_.interactions())
    interaction->book_end(s, n1, books);
  return books;
}

std::string ExplicitIntegrator::description() const {
  std::string text = method_name() + ", explicit";
  if (!constraints_.empty())
    text += ", " + counted(constraints_.rows(), "multiplier", "multipliers") + " by regularised iteration";
  return text;
}

Instant ExplicitIntegrator::instant(const Poses& poses, const Twists& twists, double from, double to,
                                    double point) const {
  if (options_.exact_loads)
    return {poses, twists, from, to, history()};
  return {poses, twists, point, point, history()};
}

void ExplicitIntegrator::evaluate(const Poses& poses, const Twists& twists, double from, double to, double point,
                                  Loading& out) {
  out.clear();
  forces_.add_all(instant(poses, twists, from, to, point), out);
}

void ExplicitIntegrator::find_twists(const Motion& motion, Twists& twists) const {
  for (std::size_t b = 0; b < twists.size(); ++b)
    twists[b] = system_.twist(b, motion.poses[b], motion.momenta[b]);
}

void ExplicitIntegrator::kick(const Wrenches& wrenches, double tau, Momenta& momenta) const {
  for (std::size_t b = 0; b < momenta.size(); ++b) {
    if (system_.units()[b].inverse_mass > 0)
      momenta[b].p += tau * wrenches[b].force;
    momenta[b].pi += tau * wrenches[b].moment; // [E3]
  }
}

double ExplicitIntegrator::power_of(const Wrenches& wrenches, const Poses& poses, const Twists& twists) const {
  double power = 0;
  for (std::size_t b = 0; b < wrenches.size(); ++b)
    power += wrenches[b].force.dot(twists[b].v) + wrenches[b].moment.dot(poses[b].q * twists[b].Omega);
  return power;
}

void ExplicitIntegrator::book_loading(const Loading& loading, double tau, const Poses& poses, const Twists& twists) {
  books_.work += tau * power_of(loading.given, poses, twists);
  books_.dissipation -= tau * power_of(loading.viscous, poses, twists);
  add_impulses(loading.external, tau, books_);
}

void ExplicitIntegrator::book_constraints(const VecX& lambda, double factor, const Poses& poses, const Twists& twists) {
  for (Wrench& w : driven_)
    w = {};
  constraints_.book(lambda, factor, books_, driven_);
  books_.work += power_of(driven_, poses, twists);
}

namespace {
/// Of times, relative to the step.
constexpr double rounding = 1e-9;
} // namespace

bool ExplicitIntegrator::is_same_size(double kept, double h) {
  return std::abs(kept - h) <= rounding * std::abs(h);
}

bool ExplicitIntegrator::is_restart(double t, double h) const {
  const double every = options_.restart_every;
  if (every > 0 && std::floor(t / every + rounding) > std::floor((t - h) / every + rounding))
    return true;
  // The first step that begins at or after the time: a load that jumped within the one before is then behind it.
  const double now = t + rounding * h;
  return std::any_of(options_.restart_at.begin(), options_.restart_at.end(),
                     [&](double at) { return at <= now && at > now - h; });
}

StepReport ExplicitIntegrator::overflow() {
  StepReport failed;
  failed.why = "numbers grew beyond all bounds: the step is unstable";
  return failed;
}

StepReport ExplicitIntegrator::failure(const MultiplierSolve::Report& report) const {
  if (report.worst < 0) // nothing could be asked
    return overflow();
  StepReport failed;
  failed.iterations = report.iterations;
  failed.why = "the multipliers were not found in " + counted(report.iterations, "iteration", "iterations") +
               "\n  largest residual: " + constraints_.row_name(report.worst);
  return failed;
}

std::unique_ptr<ExplicitIntegrator> make_explicit(const Model& model, const ExplicitOptions& options) {
  switch (options.method) {
  case ExplicitMethod::kick_drift_kick:
    return std::make_unique<KickDriftKick>(model, options);
  case ExplicitMethod::simo_wong:
    return std::make_unique<SimoWong>(model, options);
  case ExplicitMethod::predictor_corrector:
    return std::make_unique<PredictorCorrector>(model, options);
  case ExplicitMethod::staggered:
  case ExplicitMethod::park_chiou_downer:
    return std::make_unique<Staggered>(model, options);
  }
  return nullptr;
}

} // namespace emmy
