#include "solvers/integrators/step_solver.hpp"

#include "core/counted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace emmy {

namespace {
/// Owner of a memory, and the version of what it keeps.
const std::string one_stage = "start values, 1";
} // namespace

StepSolver::StepSolver(StepEquations& equations, const NewtonOptions& options)
    : equations_(equations), model_(equations.model()), assembler_(equations, options.augmented, options.kernels),
      newton_(assembler_, options), start_(model_.rest_state()), every_port_(model_.ports().size()) {
  if (options.augmented.form == AugmentedForm::linearised && !equations.is_linearised())
    throw std::invalid_argument("one linear solve a step is for linear_acceleration and high_order");
  std::iota(every_port_.begin(), every_port_.end(), 0);
  const auto chosen = [&](const std::vector<bool>& used) {
    std::vector<Index> ports;
    for (const Index port : every_port_)
      if (used[static_cast<std::size_t>(port)])
        ports.push_back(port);
    return ports;
  };
  const auto mark_ports = [](const Element& element, std::vector<bool>& used) {
    for (const Index port : element.ports())
      used[static_cast<std::size_t>(port)] = true;
  };
  std::vector<bool> advancing(model_.ports().size(), false), booked = advancing;
  for (std::size_t e = 0; e < model_.elements().size(); ++e) {
    const Element& element = *model_.elements()[e];
    if (element.advances() && !assembler_.advances(e)) {
      advancing_.push_back(&element);
      mark_ports(element, advancing);
    }
    if (!assembler_.books(e)) {
      booked_singly_.push_back(&element);
      mark_ports(element, booked);
    }
  }
  advancing_ports_ = chosen(advancing);
  booked_ports_ = chosen(booked);
  findings_.resize(newton_.findings_size());
  unknown_weight_.resize(model_.unknowns());
  for (Index i = 0; i < model_.unknowns(); ++i)
    unknown_weight_[i] = newton_.norm().weights()[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(i)]];
}

StepReport StepSolver::solve(const State& state, double h, const double* memory, const VecX* accelerations) {
  start_.copy_motion(state);                            // same sizes: copies without allocating
  if (start_.remainders.size() != start_.values.size()) // of a state that was put together by hand
    start_.remainders.setZero(start_.values.size());
  return report_of(newton_.solve(start_, h, memory, accelerations));
}

void StepSolver::finish(State& state) const {
  model_.retract_nodes(step(), state.values);
  conclude(state);
}

/// What does not depend on how configurations move.
void StepSolver::conclude(State& state) const {
  assembler_.write_multipliers(state.multipliers);
  state.time = start_.time + assembler_.step_length();
  assembler_.count_turns(state);
  if (advancing_.empty())
    return;
  const MovedStep placed = placed_step(advancing_ports_);
  for (const Element* element : advancing_)
    element->advance(placed, state);
}

/// Equations other than those of the elements themselves have moved all that they are asked for.
MovedStep StepSolver::placed_step(const std::vector<Index>& ports) const {
  if (!equations_.takes_elements_as_they_are())
    return moved_step();
  const Step s = step();
  equations_.place_some(s, ports);
  return {s, equations_.motions()};
}

StepBooks StepSolver::books(const State& n1) const {
  StepBooks books;
  assembler_.book(n1, books);
  if (booked_singly_.empty())
    return books;
  const MovedStep placed = placed_step(booked_ports_);
  for (const Element* element : booked_singly_)
    element->book(placed, n1, books);
  model_.book_penalties(placed, books);
  return books;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h, const double* memory, const VecX* accelerations) {
  StepReport report = solve(state, h, memory, accelerations);
  if (report.converged) {
    if (state.remainders.size() != start_.remainders.size())
      state.remainders = start_.remainders;
    assembler_.advance_by_mean_rule(state);
    conclude(state);
  }
  return report;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  const bool remembers = state.memory.is_of(one_stage, memory_size());
  StepReport report = advance_by_mean_rule(state, h, remembers ? state.memory.data() : nullptr);
  if (report.converged) {
    if (!remembers)
      state.memory.start(one_stage, memory_size());
    newton_.write_findings(findings_); // and the solution from where it is: copies are for those with stages
    newton_.start_values().remember(state.memory.data(), h, findings_.data(), newton_.solution(), free_error(state, h));
  }
  return report;
}

void StepSolver::write_solution(VectorRef out) const {
  newton_.write_findings(out.head(newton_.findings_size()));
  std::copy_n(newton_.solution(), assembler_.size(), out.data() + newton_.findings_size());
}

double StepSolver::free_error(const State& state, double h, const VecX* accelerations) const {
  // z - h rates_n = h (rates_n1 - rates_n) / 2
  if (accelerations != nullptr)
    return std::abs(h) / 2 *
           std::sqrt(
               (unknown_weight_.array() * (state.rates - start_.rates - h * *accelerations).array().square()).sum());
  return std::abs(h) / 2 * std::sqrt((unknown_weight_.array() * (state.rates - start_.rates).array().square()).sum());
}

std::string StepSolver::description() const {
  return newton_.method() + (newton_.fell_back() ? " (the factorisation without pivoting failed)" : "") + ", " +
         counted(assembler_.size(), "unknown", "unknowns");
}

StepReport report_of(const NewtonReport& newton) {
  return {newton.converged, newton.iterations, newton.why, newton.rescued, newton.warning,
          newton.sweeps,    newton.violation,  false,      newton.topic};
}

} // namespace emmy
