#include "solvers/integrators/step_solver.hpp"

#include "core/counted.hpp"
#include "solvers/newton/choose_vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace emmy {

namespace {
/// Owner of a memory, and the version of what it keeps.
const std::string one_stage = "start values, 1";

/// Other equations than those of elements themselves are solved without start values from the steps before.
NewtonOptions remembering(NewtonOptions options, bool remembers) {
  options.remembers = remembers;
  return options;
}
} // namespace

StepSolver::System::System(StepEquations& equations, const NewtonOptions& options, OneSided one_sided)
    : assembler(equations, options.augmented, options.kernels, one_sided),
      newton(assembler, remembering(options, equations.takes_elements_as_they_are())) {
  const Model& model = equations.model();
  std::vector<bool> of_advancing(model.ports().size(), false), of_booked = of_advancing;
  const auto mark_ports = [](const Element& element, std::vector<bool>& used) {
    for (const Index port : element.ports())
      used[static_cast<std::size_t>(port)] = true;
  };
  for (std::size_t e = 0; e < model.elements().size(); ++e) {
    const Element& element = *model.elements()[e];
    if (element.advances() && !assembler.advances(e)) {
      advancing.push_back(&element);
      mark_ports(element, of_advancing);
    }
    if (!assembler.books(e)) {
      booked_singly.push_back(&element);
      mark_ports(element, of_booked);
    }
  }
  for (std::size_t port = 0; port < model.ports().size(); ++port) {
    if (of_advancing[port])
      advancing_ports.push_back(static_cast<Index>(port));
    if (of_booked[port])
      booked_ports.push_back(static_cast<Index>(port));
  }
}

StepSolver::StepSolver(StepEquations& equations, const NewtonOptions& options)
    : equations_(equations), model_(equations.model()), whole_(equations, options, OneSided::present),
      vectors_(vector_kernels(options.kernels.instructions)), start_(model_.rest_state()),
      every_port_(model_.ports().size()) {
  if (options.augmented.form == AugmentedForm::linearised && !equations.is_linearised())
    throw std::invalid_argument("one linear solve a step is for schemes that take accelerations at its end");
  std::iota(every_port_.begin(), every_port_.end(), 0);
  if (constraints().may_rest()) {
    at_rest_ = std::make_unique<System>(equations, options, OneSided::left_out);
    at_rest_->memory_at = whole_.newton.start_values().memory_size();
  }
  findings_.resize(whole_.newton.findings_size()); // of the same parts, whatever the system
  unknown_weight_.resize(model_.unknowns());
  const Numbering& numbering = whole_.assembler.numbering();
  for (Index i = 0; i < model_.unknowns(); ++i)
    unknown_weight_[i] = whole_.newton.norm().weights()[numbering.row_of_unknown[static_cast<std::size_t>(i)]];
}

StepReport StepSolver::solve(const State& state, double h, const double* memory, const VecX* accelerations,
                             StartFrom start) {
  start_.copy_motion(state);                            // same sizes: copies without allocating
  if (start_.remainders.size() != start_.values.size()) // of a state that was put together by hand
    start_.remainders.setZero(start_.values.size());
  const System* last = start == StartFrom::last_solution ? taken_ : nullptr;
  if (at_rest_)
    if (StepReport report; solve_at_rest(h, memory, accelerations, last, report))
      return report;
  taken_ = &whole_;
  return whole_.newton.solve(start_, h, memory, accelerations, start_of(whole_, last));
}

/// The last solution is that of one system.
StartFrom StepSolver::start_of(const System& system, const System* last) {
  return &system == last ? StartFrom::last_solution : StartFrom::steps_before;
}

/// Where nothing pushes; false if something does, or if the step cannot be solved so.
bool StepSolver::solve_at_rest(double h, const double* memory, const VecX* accelerations, const System* last,
                               StepReport& report) {
  ConstraintSet& pushing = whole_.assembler.constraints();
  if (!pushing.rests(start_, h))
    return false;
  taken_ = at_rest_.get();
  const double* own = memory != nullptr ? memory + at_rest_->memory_at : nullptr;
  report = at_rest_->newton.solve(start_, h, own, accelerations, start_of(*at_rest_, last));
  return report.converged && (!pushing.rests_by_values() || pushing.has_rested(step()));
}

void StepSolver::finish(State& state) const {
  model_.retract_nodes(step(), state.values);
  conclude(state);
}

/// What does not depend on how configurations move.
void StepSolver::conclude(State& state) const {
  const Assembler& assembler = taken_->assembler;
  assembler.write_multipliers(state.multipliers);
  state.time = start_.time + assembler.step_length();
  assembler.count_turns(state);
  if (taken_->advancing.empty())
    return;
  const MovedStep placed = placed_step(taken_->advancing_ports);
  for (const Element* element : taken_->advancing)
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
  taken_->assembler.book(n1, books);
  if (taken_->booked_singly.empty())
    return books;
  const MovedStep placed = placed_step(taken_->booked_ports);
  for (const Element* element : taken_->booked_singly)
    element->book(placed, n1, books);
  model_.book_penalties(placed, books);
  return books;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h, const double* memory, const VecX* accelerations,
                                            StartFrom start) {
  StepReport report = solve(state, h, memory, accelerations, start);
  if (report.converged) {
    if (state.remainders.size() != start_.remainders.size())
      state.remainders = start_.remainders;
    taken_->assembler.advance_by_mean_rule(state);
    conclude(state);
  }
  return report;
}

StepReport StepSolver::advance_by_mean_rule(State& state, double h) {
  const bool remembers = state.memory.is_of(one_stage, memory_size());
  if (!remembers)
    forget();
  StepReport report = advance_by_mean_rule(state, h, remembers ? state.memory.data() : nullptr);
  if (report.converged) {
    if (!remembers)
      state.memory.start(one_stage, memory_size());
    const Newton& newton = taken_->newton;
    newton.write_findings(findings_); // and the solution from where it is: copies are for those with stages
    remember(*taken_, h, findings_.data(), newton.solution(), free_error(state, h), state.memory.data());
  }
  return report;
}

void StepSolver::forget() {
  whole_.newton.forget();
  if (at_rest_)
    at_rest_->newton.forget();
}

Index StepSolver::memory_size() const {
  return whole_.newton.start_values().memory_size() +
         (at_rest_ ? at_rest_->newton.start_values().memory_size() : Index{0});
}

/// Which system it is of, findings, and the longer of two solutions.
Index StepSolver::solution_size() const {
  return 1 + findings_.size() + whole_.assembler.size();
}

void StepSolver::write_solution(VectorRef out) const {
  out[0] = taken_ == &whole_ ? 0 : 1;
  taken_->newton.write_findings(out.segment(1, findings_.size()));
  std::copy_n(taken_->newton.solution(), taken_->assembler.size(), out.data() + 1 + findings_.size());
}

void StepSolver::remember(double h, const ConstVectorRef& solution, double free_error, double* memory) const {
  remember(solution[0] == 0 ? whole_ : *at_rest_, h, solution.data() + 1, solution.data() + 1 + findings_.size(),
           free_error, memory);
}

/// The other system begins anew when its time comes: what was before something pushed tells little of what comes after.
void StepSolver::remember(const System& system, double h, const double* findings, const double* solution,
                          double free_error, double* memory) const {
  system.newton.start_values().remember(memory + system.memory_at, h, findings, solution, free_error);
  if (at_rest_)
    StartValues::forget(memory + (&system == &whole_ ? *at_rest_ : whole_).memory_at);
}

double StepSolver::free_error(const State& state, double h, const VecX* accelerations) const {
  // z - h rates_n = h (rates_n1 - rates_n) / 2
  if (accelerations != nullptr)
    return std::abs(h) / 2 *
           std::sqrt(
               (unknown_weight_.array() * (state.rates - start_.rates - h * *accelerations).array().square()).sum());
  return std::abs(h) / 2 *
         std::sqrt(vectors_.distance(state.rates.data(), start_.rates.data(), unknown_weight_.data(),
                                     unknown_weight_.size()));
}

std::string StepSolver::description() const {
  const auto text = [](const System& system) {
    return system.newton.method() + (system.newton.fell_back() ? " (the factorisation without pivoting failed)" : "") +
           ", " + counted(system.assembler.size(), "unknown", "unknowns");
  };
  return at_rest_ ? text(*at_rest_) + " while nothing pushes, else " + text(whole_) : text(whole_);
}

} // namespace emmy
