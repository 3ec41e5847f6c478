#include "solvers/integrators/step_solver.hpp"

#include "core/counted.hpp"
#include "elements/joints/joint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace emmy {

namespace {

/// Marks the ports that an element looks at when it advances.
void mark_ports(const Element& element, std::vector<bool>& used) {
  const auto mark = [&](const auto& variables) {
    for (const NaturalVariable& variable : variables)
      used[static_cast<std::size_t>(variable.port)] = true;
  };
  if (const auto* interaction = dynamic_cast<const Interaction*>(&element))
    mark(interaction->variables());
  else if (const auto* body = dynamic_cast<const Body*>(&element))
    used[static_cast<std::size_t>(body->port())] = true;
  else
    used.assign(used.size(), true); // nothing is known about it
  if (const auto* joint = dynamic_cast<const Joint*>(&element))
    for (const CoordinateMeasure& coordinate : joint->composition().coordinates)
      mark(coordinate.variables());
}

} // namespace

StepSolver::StepSolver(Discretisation& discretisation, const NewtonOptions& options)
    : discretisation_(discretisation), model_(discretisation.model()),
      assembler_(discretisation, options.augmented, options.kernels), newton_(assembler_, options),
      start_(model_.rest_state()), every_port_(model_.ports().size()) {
  if (options.augmented.form == AugmentedForm::linearised && !discretisation.is_linearised())
    throw std::invalid_argument("one linear solve a step is for linear_acceleration and high_order");
  std::iota(every_port_.begin(), every_port_.end(), 0);
  std::vector<bool> used(model_.ports().size(), false);
  for (const auto& element : model_.elements())
    if (element->advances()) {
      advancing_.push_back(element.get());
      mark_ports(*element, used);
    }
  for (const Index port : every_port_)
    if (used[static_cast<std::size_t>(port)])
      advancing_ports_.push_back(port);
  findings_.resize(newton_.findings_size());
  unknown_weight_.resize(model_.unknowns());
  for (Index i = 0; i < model_.unknowns(); ++i)
    unknown_weight_[i] = newton_.norm().weights()[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(i)]];
}

StepReport StepSolver::solve(const State& state, double h, const double* memory, const VecX* accelerations) {
  start_.copy_motion(state);                      // same sizes: copies without allocating
  if (start_.lost.size() != start_.values.size()) // of a state that was put together by hand
    start_.lost.setZero(start_.values.size());
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
  if (advancing_.empty())
    return;
  const Step s = step();
  const PortMotions& placed = ends(advancing_ports_);
  for (const Element* element : advancing_)
    element->advance(s, placed, state);
}

/// Other discretisations than that of the elements themselves have moved all that they are asked for.
const PortMotions& StepSolver::ends(const std::vector<Index>& ports) const {
  if (!discretisation_.takes_elements_as_they_are())
    return motions();
  discretisation_.place_some(step(), ports);
  return discretisation_.motions();
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h, const double* memory, const VecX* accelerations) {
  StepReport report = solve(state, h, memory, accelerations);
  if (report.converged) {
    if (state.lost.size() != start_.lost.size())
      state.lost = start_.lost;
    assembler_.advance_by_mean_rule(state);
    conclude(state);
  }
  return report;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  const bool remembers = state.memory.size() == memory_size();
  StepReport report = advance_by_mean_rule(state, h, remembers ? state.memory.data() : nullptr);
  if (report.converged) {
    if (!remembers)
      state.memory.setZero(memory_size());
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
  return {newton.converged, newton.iterations, newton.why,      newton.rescued,
          newton.warning,   newton.sweeps,     newton.violation};
}

} // namespace emmy
