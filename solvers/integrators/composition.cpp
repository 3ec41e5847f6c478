#include "solvers/integrators/composition.hpp"

#include <algorithm>
#include <cmath>
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

/// Eleven stages that meet [S8], each in two halves, between which reflections cancel [S11].
std::vector<double> sixth_order() {
  std::vector<double> halves;
  for (const double c : symmetric({0.21375583945878254556, 0.18329381407425713911, 0.17692819473098943795,
                                   -0.44329082681170215850, 0.11728560432865935385},
                                  0.50405474843802736405))
    halves.insert(halves.end(), 2, c / 2);
  return halves;
}

/// What is to be reported of a step once another of its stages has been tried.
void add_stage(const StepReport& stage, StepReport& report) {
  report.converged = stage.converged;
  report.iterations += stage.iterations;
  report.why = stage.why;
  report.rescued = report.rescued || stage.rescued;
  report.warning += (report.warning.empty() || stage.warning.empty() ? "" : "; ") + stage.warning;
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

} // namespace

std::vector<double> stages_of_order(int order) {
  switch (order) {
  case 2:
    return {1};
  case 4:
    return fourth_order();
  case 6:
    return sixth_order();
  default:
    throw std::invalid_argument("no composition of order " + std::to_string(order));
  }
}

Composition::Composition(const Model& model, std::vector<double> stages, const NewtonOptions& options)
    : model_(model), stages_(std::move(stages)), equations_(model), solver_(equations_, options),
      start_(model.rest_state()), lambda_(VecX::Zero(model.multipliers())),
      solutions_(MatX::Zero(solver_.solution_size(), static_cast<Index>(stages_.size()))), free_errors_(stages_.size()),
      accelerations_(VecX::Zero(model.unknowns())), end_(start_.values), z_(VecX::Zero(model.unknowns())),
      motions_(model.port_motions()) {
  for (const auto& element : model.elements())
    if (element->is_one_sided() && element->enforcement().method != EnforcementMethod::penalty)
      throw std::invalid_argument("'" + element->name() + "' only pushes: a stage that runs back in time would pull");
}

StepReport Composition::step(State& state, double h) {
  const Index memory = solver_.memory_size();
  const Index all_stages = memory * solutions_.cols();
  const bool remembers = state.memory.size() == all_stages + model_.unknowns();
  if (remembers)
    accelerations_ = state.memory.tail(model_.unknowns());
  else
    accelerations_.setZero();
  start_.copy_motion(state); // same sizes: copies without allocating
  h_ = h;
  is_whole_ = false;
  lambda_.setZero();
  books_ = {};
  StepReport report;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const auto column = static_cast<Index>(stage);
    // Every stage starts from what it was in the steps before: increments and multipliers of others are no guide.
    const StepReport part = solver_.advance_by_mean_rule(
        state, stages_[stage] * h, remembers ? state.memory.data() + column * memory : nullptr, &accelerations_);
    add_stage(part, report);
    if (!part.converged) {
      state.copy_motion(start_);
      return report;
    }
    solver_.write_solution(solutions_.col(column));
    free_errors_[stage] = solver_.free_error(state, stages_[stage] * h, &accelerations_);
    accelerations_ = (state.rates - solver_.start().rates) / (stages_[stage] * h);
    lambda_ += stages_[stage] * state.multipliers;
    if (keeps_books_)
      book_stage(state);
  }
  if (!remembers)
    state.memory.setZero(all_stages + model_.unknowns());
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) { // now that none has failed
    const auto column = static_cast<Index>(stage);
    solver_.remember(stages_[stage] * h, solutions_.col(column), free_errors_[stage],
                     state.memory.data() + column * memory);
  }
  state.memory.tail(model_.unknowns()) = accelerations_;
  state.time = start_.time + h; // stages add up to it but for rounding
  state.multipliers = lambda_;
  end_ = state.values;
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

const PortMotions& Composition::last_motions() const {
  find_whole_step();
  return motions_;
}

void Composition::book_stage(const State& n1) {
  StepBooks stage = model_.books(solver_.step(), solver_.ends(), n1);
  solver_.constraints().book(solver_.step().lambda, stage);
  add_stage(stage, books_);
}

StepBooks Composition::books(const State&) const {
  return books_;
}

std::string Composition::description() const {
  return "energy-momentum in " + std::to_string(stages_.size()) + " stages, " + solver_.description();
}

} // namespace emmy
