#include "solvers/integrators/composition.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace emmy {

namespace {

/// Suzuki's five stages [S8].
std::vector<double> fourth_order() {
  const double c = 1 / (4 - std::cbrt(4.0));
  return {c, c, 1 - 4 * c, c, c};
}

/// Kahan and Li's nine stages, each of them in two halves [S9], [S10].
std::vector<double> sixth_order() {
  constexpr double c[] = {0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                          0.082213596293550800230, 0.79854399093482996340};
  std::vector<double> stages;
  for (const int i : {0, 1, 2, 3, 4, 3, 2, 1, 0})
    stages.insert(stages.end(), 2, c[i] / 2);
  return stages;
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
      start_(model.rest_state()), z_(VecX::Zero(model.unknowns())), lambda_(VecX::Zero(model.multipliers())),
      motions_(model.port_motions()) {}

StepReport Composition::step(State& state, double h) {
  start_ = state; // same sizes: copies without allocating
  h_ = h;
  lambda_.setZero();
  books_ = {};
  StepReport report;
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const StepReport part = solver_.advance_by_mean_rule(state, stages_[stage] * h);
    add_stage(part, report);
    if (!part.converged) {
      state = start_;
      return report;
    }
    lambda_ += stages_[stage] * state.multipliers;
    book_stage(state);
  }
  state.time = start_.time + h; // stages add up to it but for rounding
  state.multipliers = lambda_;
  for (const Node& node : model_.nodes())
    local(node.kind, start_.values.segment(node.value, node.values()), state.values.segment(node.value, node.values()),
          z_.segment(node.unknown, node.unknowns()));
  model_.move_ports(last_step(), motions_);
  return report;
}

void Composition::book_stage(const State& n1) {
  StepBooks stage = model_.books(solver_.step(), solver_.motions(), n1);
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
