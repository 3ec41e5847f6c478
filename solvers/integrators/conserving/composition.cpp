#include "solvers/integrators/conserving/composition.hpp"

#include "solvers/assembly/linearisation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// The first half, what is in the middle, and the first half backwards.
std::vector<double> symmetric(std::vector<double> half, double middle) {
  std::vector<double> stages = half;
  stages.push_back(middle);
  stages.insert(stages.end(), half.rbegin(), half.rend());
  return stages;
}

/// Seven stages that meet [S8] and leave no reflection of velocities [S10].
std::vector<double> fourth_order() {
  constexpr double a = 0.26229185200450779991, b = 0.19745748004341725232;
  return symmetric({a, b, a}, -0.44408236810486570428);
}

/// Eleven stages that meet [S8].
std::vector<double> sixth_order() {
  return symmetric({0.21375583945878254556, 0.18329381407425713911, 0.17692819473098943795, -0.44329082681170215850,
                    0.11728560432865935385},
                   0.50405474843802736405);
}

/// Each in two halves, between which reflections cancel [S11].
std::vector<double> in_halves(const std::vector<double>& stages) {
  std::vector<double> halves;
  for (const double c : stages)
    halves.insert(halves.end(), 2, c / 2);
  return halves;
}

/// What is to be reported of a step once another of its stages has been tried.
void add_stage(const StepReport& stage, StepReport& report) {
  report.converged = stage.converged;
  report.iterations += stage.iterations;
  report.why = stage.why;
  report.remedy = stage.remedy;
  report.rescued = report.rescued || stage.rescued;
  report.warning += (report.warning.empty() || stage.warning.empty() ? "" : "; ") + stage.warning;
  if (report.topic.empty())
    report.topic = stage.topic;
  report.sweeps += stage.sweeps;
  report.violation = std::max(report.violation, stage.violation);
}

/// Adds what happened in a stage to what happened before, and takes over what is true at its end.
void add_stage(const StepBooks& stage, StepBooks& books) {
  const StepBooks before = std::exchange(books, stage);
  books.work += before.work;
  books.dissipation += before.dissipation;
  books.impulse += before.impulse;
  books.angular_impulse += before.angular_impulse;
  books.impulse_sum += before.impulse_sum;
  books.angular_impulse_sum += before.angular_impulse_sum;
}

/// Largest velocity at the end of a stage, relative to that at the start of the step, under dampers of the rate x/h.
double largest_velocity(const std::vector<double>& stages, double x) {
  double velocity = 1, largest = 0;
  for (const double c : stages) {
    velocity *= (1 - c * x / 2) / (1 + c * x / 2); // [S17]
    largest = std::max(largest, std::abs(velocity));
  }
  return largest;
}

bool has_dampers(const Model& model) {
  return std::any_of(model.interactions().begin(), model.interactions().end(),
                     [](const Interaction* interaction) { return interaction->depends_on_rates(); });
}

} // namespace

std::vector<double> stages_of_order(int order, VelocityConstraints velocities) {
  switch (order) {
  case 2:
    return {1};
  case 4:
    return fourth_order();
  case 6:
    return velocities == VelocityConstraints::off ? in_halves(sixth_order()) : sixth_order();
  default:
    throw std::invalid_argument("no composition of order " + std::to_string(order));
  }
}

double damping_limit(const std::vector<double>& stages) {
  const double back = -*std::min_element(stages.begin(), stages.end());
  if (back <= 0)
    return std::numeric_limits<double>::infinity();
  double low = 0, high = 2 / back; // where the stage has no solution
  while (high - low > 1e-12 * high) {
    const double x = (low + high) / 2;
    (largest_velocity(stages, x) <= 1 ? low : high) = x;
  }
  return low;
}

Composition::Composition(const Model& model, std::vector<double> stages, const NewtonOptions& options,
                         VelocityConstraints velocities)
    : model_(model), stages_(std::move(stages)), owner_("composition of " + std::to_string(stages_.size()) + ", 1"),
      damping_limit_(emmy::damping_limit(stages_)), has_dampers_(has_dampers(model)), equations_(model),
      solver_(equations_, options),
      kicks_(model, velocities == VelocityConstraints::on ? VelocityConstraints::exact : velocities, options),
      stages_taken_(stages_.size(), {model.rest_state(), VecX::Zero(model.unknowns()), VecX::Zero(model.multipliers()),
                                     model.port_motions()}),
      start_(model.rest_state()), lambda_(VecX::Zero(model.multipliers())),
      solutions_(MatX::Zero(solver_.solution_size(), static_cast<Index>(stages_.size()))), free_errors_(stages_.size()),
      kicked_(MatX::Zero(kicks_.history_size(), static_cast<Index>(stages_.size()))),
      accelerations_(VecX::Zero(model.unknowns())), end_(start_.values), z_(VecX::Zero(model.unknowns())),
      motions_(model.port_motions()) {
  for (const auto& element : model.elements())
    if (element->is_one_sided() && model.enforcement(*element).method != EnforcementMethod::penalty)
      throw std::invalid_argument("'" + element->name() + "' only pushes: a stage that runs back in time would pull");
}

std::string Composition::refusal(const State& state, double h) const {
  // Effective masses change with the configuration, by little from step to step. Which steps look is decided by the
  // time alone, so that runs continue bit for bit.
  constexpr double every = 32;
  if (!has_dampers_ || std::fmod(std::round(state.time / h), every) != 0)
    return {};
  const DampingBound bound = damping_bound(model_, state);
  if (bound.rate * std::abs(h) <= damping_limit_)
    return {};
  char text[160];
  std::snprintf(text, sizeof text,
                "dampers take velocities at up to %.4g /s, which bears a step of %.4g s: in a stage that runs back in "
                "time they would drive, most of all ",
                bound.rate, damping_limit_ / bound.rate);
  return text + ("'" + bound.element->name() + "'");
}

StepReport Composition::step(State& state, double h) {
  StepReport report;
  report.why = refusal(state, h);
  if (!report.why.empty())
    return report;
  // The memory: that of the solver for each stage, accelerations, that of the kicks for each stage, their account.
  const Index own = solver_.memory_size(), of_kicks = kicks_.history_size(), count = solutions_.cols();
  const Index accelerations_at = own * count, kicks_at = accelerations_at + model_.unknowns();
  const Index account_at = kicks_at + of_kicks * count,
              size = account_at + (kicks_.empty() ? 0 : kicks_.account_size());
  const bool remembers = state.memory.is_of(owner_, size);
  if (remembers) {
    accelerations_ = state.memory.numbers.segment(accelerations_at, model_.unknowns());
  } else {
    accelerations_.setZero();
    solver_.forget();
  }
  start_.copy_motion(state); // same sizes: copies without allocating
  h_ = h;
  is_whole_ = has_moved_stages_ = false;
  lambda_.setZero();
  books_ = {};
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    // Every stage starts from what it was in the steps before: increments and multipliers of others are no guide.
    const auto column = static_cast<Index>(stage);
    const double* memory = remembers ? state.memory.data() : nullptr;
    const double* account = stage > 0 ? kicks_.account().data() : remembers ? memory + account_at : nullptr;
    const StepReport part = take_stage(state, stage, remembers ? memory + column * own : nullptr,
                                       remembers ? memory + kicks_at + column * of_kicks : nullptr, account);
    add_stage(part, report);
    if (!part.converged) {
      state.copy_motion(start_);
      return report;
    }
    lambda_ += stages_[stage] * state.multipliers;
    keep_stage(stage, state);
    if (keeps_books_)
      book_stage(state);
  }
  if (!remembers)
    state.memory.start(owner_, size);
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) { // now that none has failed
    const auto column = static_cast<Index>(stage);
    solver_.remember(stages_[stage] * h, solutions_.col(column), free_errors_[stage],
                     state.memory.data() + column * own);
  }
  VecX& numbers = state.memory.numbers;
  numbers.segment(accelerations_at, model_.unknowns()) = accelerations_;
  if (!kicks_.empty()) {
    numbers.segment(kicks_at, kicked_.size()) = Eigen::Map<const VecX>(kicked_.data(), kicked_.size());
    numbers.tail(kicks_.account_size()) = kicks_.account();
  }
  state.time = start_.time + h; // stages add up to it but for rounding
  state.multipliers = lambda_;
  end_ = state.values;
  return report;
}

/// One of them, between kicks if there are any.
StepReport Composition::take_stage(State& state, std::size_t stage, const double* memory, const double* kicks,
                                   const double* account) {
  const double h = stages_[stage] * h_;
  const auto column = static_cast<Index>(stage);
  const auto advance = [&](State& between, StartFrom start) {
    StepReport part = solver_.advance_by_mean_rule(between, h, memory, &accelerations_, start);
    if (part.converged)
      free_errors_[stage] = solver_.free_error(between, h, &accelerations_);
    return part;
  };
  rates_ = state.rates;
  StepReport report = kicks_.empty() ? advance(state, StartFrom::steps_before)
                                     : kicks_.take(state, h, kicks, account, std::cref(advance));
  if (!report.converged)
    return report;
  solver_.write_solution(solutions_.col(column));
  accelerations_ = (state.rates - rates_) / h;
  if (!kicks_.empty())
    kicked_.col(column) = kicks_.history();
  return report;
}

void Composition::find_whole_step() const {
  if (is_whole_)
    return;
  is_whole_ = true;
  for (const Node& node : model_.nodes())
    local(node.kind, start_.values.segment(node.value, node.values()), end_.segment(node.value, node.values()),
          z_.segment(node.unknown, node.unknowns()));
  model_.move_ports({start_, h_, 1 / h_, z_, lambda_}, motions_);
}

Step Composition::last_step() const {
  find_whole_step();
  return {start_, h_, 1 / h_, z_, lambda_};
}

MovedStep Composition::last_moved_step() const {
  return {last_step(), motions_};
}

void Composition::keep_stage(std::size_t stage, const State& n1) {
  Stage& taken = stages_taken_[stage];
  const Step s = solver_.step();
  taken.start.copy_motion(s.n); // same sizes: copies without allocating
  taken.z = s.z;
  taken.lambda = kicks_.empty() ? s.lambda : n1.multipliers;
}

std::vector<StepStage> Composition::last_stages() const {
  std::vector<StepStage> parts;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& taken = stages_taken_[i];
    const double h = stages_[i] * h_;
    const Step step{taken.start, h, 1 / h, taken.z, taken.lambda};
    if (!has_moved_stages_)
      model_.move_ports(step, taken.motions);
    parts.push_back({stages_[i], {step, taken.motions}});
  }
  has_moved_stages_ = true;
  return parts;
}

void Composition::book_stage(const State& n1) {
  StepBooks stage = solver_.books(n1);
  solver_.constraints().book(solver_.step().lambda, stage);
  if (!kicks_.empty())
    kicks_.book(stage);
  add_stage(stage, books_);
}

StepBooks Composition::books(const State&) const {
  return books_;
}

std::string Composition::description() const {
  return "energy-momentum in " + std::to_string(stages_.size()) +
         (kicks_.empty() ? " stages, " : " stages between kicks, ") + solver_.description();
}

} // namespace emmy
