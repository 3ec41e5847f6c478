#include "solvers/newton/newton.hpp"

#include "solvers/petsc/log_events.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace emmy {

namespace {

/// Rows of redundant multipliers, part by part of the model.
std::vector<Index> redundant_rows(const Numbering& numbering, const StepNorm& norm, const Proximal& proximal) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < proximal.redundant.size(); ++i)
    if (proximal.redundant[i] && numbering.row_of_multiplier[i] < numbering.equations)
      rows.push_back(numbering.row_of_multiplier[i]);
  std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return norm.part_of(a) < norm.part_of(b); });
  return rows;
}

} // namespace

Newton::Newton(Assembler& assembler, const NewtonOptions& options)
    : assembler_(assembler), options_(options), wishes_(petsc_wishes()),
      norm_(assembler.model(), assembler.numbering(), options.kernels.instructions), findings_(norm_.parts()),
      start_values_(norm_, redundant_rows(assembler.numbering(), norm_, options.proximal), findings_size(),
                    options.kernels.instructions),
      at_(assembler.size(), Assembler::room_behind), blocks_(assembler, norm_, findings_, options.kernels.instructions),
      increments_(assembler, norm_, findings_), residual_test_(assembler, options.tolerance, options.max_iterations),
      loops_(assembler, residual_test_, at_, options_),
      base_epsilon_(options.proximal.always ? options.proximal.epsilon : 0),
      may_pivot_(options.linear == LinearSolver::automatic) {
  assembler.admit_violation(options.augmented.tolerance);
  const Proximal& proximal = options.proximal;
  if (proximal.scales.size() > 0)
    assembler.prepare_proximal(proximal.scales, proximal.redundant);
  assembler.leave_out(proximal.left_out);
  use_factorisation(false, base_epsilon_);
  const bool is_seen_by_petsc = way() == Way::snes || way() == Way::nested;
  if (wishes_.looks && !is_seen_by_petsc && way() != Way::linearised)
    spectator_ = std::make_unique<Spectator>(assembler, options.max_iterations);
}

// --- the ladder

/// What is tried, rung by rung, with a step that is not solved yet.
const Newton::Rung Newton::ladder[] = {
    // extrapolated start values may have led astray: from free motion
    {&Newton::was_led, &Newton::start_anew, true},
    // forces that are switched on and off may lead from one side to the other for ever: with shorter corrections
    {&Newton::pushes, &Newton::search, true},
    // a zero or tiny pivot is the usual reason: by a factorisation that pivots
    {&Newton::may_start_to_pivot, &Newton::pivot, true},
    // near a singular configuration: a proximal block where there was none, a weaker one where modes are weaker than
    // usual
    {&Newton::has_proximal_block, &Newton::change_block, false},
    // multipliers that change with every linear solve may run away: a loop for them alone
    {&Newton::merges, &Newton::nest, false},
};

StepReport Newton::solve(const State& n, double h, const double* memory, const VecX* accelerations, StartFrom start) {
  const Task task{n, h, memory, accelerations, start};
  StepReport report = attempt(task);
  if (report.converged)
    findings_.linear_failures = 0;
  for (const Rung& rung : ladder) {
    if (report.converged)
      return report;
    if (!(this->*rung.applies)(task))
      continue;
    StepReport next = (this->*rung.climb)(task);
    if (next.converged || rung.is_told)
      report = std::move(next);
  }
  return report;
}

bool Newton::was_led(const Task& task) const {
  return task.start == StartFrom::last_solution ||
         (task.memory != nullptr && StartValues::remembers(task.memory) && !linear_failed_);
}

StepReport Newton::start_anew(const Task& task) {
  return attempt(task.from_free_motion());
}

bool Newton::pushes(const Task&) const {
  return way() == Way::increments && assembler_.constraints().only_push();
}

StepReport Newton::search(const Task& task) {
  searches_ = true;
  use_factorisation(pivoting_, assembler_.epsilon());
  StepReport report = attempt(task.from_free_motion());
  searches_ = false;
  return report;
}

bool Newton::may_start_to_pivot(const Task&) const {
  return may_pivot_ && !pivoting_;
}

/// If linear systems were what failed, the rest of the run stays with the factorisation that pivots.
StepReport Newton::pivot(const Task& task) {
  findings_.linear_failures = linear_failed_ ? findings_.linear_failures + 1 : 0;
  const bool stays = options_.remembers && findings_.linear_failures >= patience();
  const std::string warning = stays ? describe_fallback(task.n.time) : "";
  use_factorisation(true, base_epsilon_);
  StepReport report = attempt(task.from_free_motion());
  report.warning += warning;
  if (report.converged && stays)
    return report;
  use_factorisation(false, base_epsilon_);
  findings_.linear_error = 1; // what was found of solutions by KLU says nothing of others
  return report;
}

bool Newton::has_proximal_block(const Task&) const {
  return options_.proximal.scales.size() > 0;
}

StepReport Newton::change_block(const Task& task) {
  constexpr double weaker = 100;
  const bool pivoted = pivoting_;
  use_factorisation(may_pivot_ || pivoted, base_epsilon_ > 0 ? base_epsilon_ / weaker : options_.proximal.epsilon);
  StepReport report = attempt(task.from_free_motion());
  use_factorisation(pivoted, base_epsilon_);
  report.rescued = report.converged;
  return report;
}

bool Newton::merges(const Task&) const {
  return assembler_.constraints().is_merged();
}

StepReport Newton::nest(const Task& task) {
  assembler_.constraints().use_merged(false);
  StepReport report = attempt(task.from_free_motion());
  assembler_.constraints().use_merged(true);
  return report;
}

/// Steps in a row whose linear systems fail before `automatic` stays with a factorisation that pivots. Where forces are
/// switched on and off, contacts may depend on one another for a moment.
int Newton::patience() const {
  return assembler_.constraints().empty() ? 1 : 5;
}

std::string Newton::describe_fallback(double time) const {
  constexpr double accurate = 1e-9; // such solutions are not what failed
  char how[100] = "failed", when[80];
  if (way() == Way::increments && uses_blocks() && std::isfinite(findings_.linear_error) &&
      findings_.linear_error > accurate)
    std::snprintf(how, sizeof how, "is inaccurate (refinement changes its solution by %.1g of it)",
                  findings_.linear_error);
  std::snprintf(when, sizeof when, ": from t = %.6g s on KLU, which pivots, is used", time);
  return std::string("the factorisation without pivoting ") + how + when;
}

// --- an attempt

Newton::Way Newton::way() const {
  const ConstraintSet& constraints = assembler_.constraints();
  if (options_.augmented.form == AugmentedForm::linearised)
    return Way::linearised;
  if (constraints.iterates())
    return constraints.is_merged() ? Way::merged : Way::nested;
  const bool is_smooth = constraints.empty() || (constraints.only_push() && constraints.may_rest() && !searches_);
  const bool is_own = is_smooth && options_.tolerance == 0 && !options_.by_snes && !wishes_.newton;
  return is_own ? Way::increments : Way::snes;
}

StepReport Newton::attempt(const Task& task) {
  assembler_.begin_step(task.n, task.h);
  recall(task.memory);
  write_start(task);
  residual_test_.begin();
  StepReport report = go(task);
  linear_failed_ = report.linear_failed;
  return report;
}

StepReport Newton::go(const Task& task) {
  switch (way()) {
  case Way::increments:
    increments_.begin(task.n, task.h);
    return spectator_ ? shown(iterate_by_increments()) : iterate_by_increments();
  case Way::merged:
    return shown(loops_.solve_merged(system(), spectator_.get()));
  case Way::snes:
    return solve_by_snes();
  case Way::nested:
    return loops_.solve_nested(*snes_);
  case Way::linearised:
    break;
  }
  return loops_.solve_linearised(system());
}

/// What the steps before have shown, or nothing.
void Newton::recall(const double* memory) {
  if (memory == nullptr)
    return findings_.forget();
  if (!StartValues::remembers(memory))
    return forget();
  findings_.read(StartValues::findings(memory));
  const bool falls = may_pivot_ && findings_.linear_failures >= patience();
  if (falls != fell_back()) // as the state says, whatever was done with other states
    use_factorisation(falls, base_epsilon_);
}

void Newton::forget() {
  findings_.forget();
  findings_.linear_failures = 0;
  if (fell_back())
    use_factorisation(false, base_epsilon_);
}

void Newton::write_findings(VectorRef out) const {
  findings_.write(out, fell_back() ? patience() : findings_.linear_failures);
}

void Newton::write_start(const Task& task) {
  if (task.start == StartFrom::last_solution)
    return;
  double* const x = at_.x.data();
  if (task.memory == nullptr || !start_values_.extrapolates(task.memory, task.h))
    assembler_.start_freely(x, task.accelerations);
  if (task.memory != nullptr) // others than this way pull no idle multipliers to zero
    start_values_.extrapolate(task.memory, task.h, x, way() == Way::increments && uses_blocks());
}

/// The iteration of its own.
StepReport Newton::iterate_by_increments() {
  const LogSpan span(LogEvent::step);
  StepReport report;
  const SNESConvergedReason reason = reduce_increments(report.iterations);
  report.converged = reason > 0;
  if (!report.converged)
    explain_failure(reason, report);
  return report;
}

/// Until they are small; says why it ended, as SNES would.
SNESConvergedReason Newton::reduce_increments(int& iterations) {
  using Verdict = IncrementTest::Verdict;
  LinearSystem& system = this->system();
  Factors factors = Factors::first;
  for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
    iterations = iteration;
    if (spectator_)
      spectator_->see_iterate(iteration - 1, at_.x.data());
    const bool is_wild = iteration > 1 && increments_.is_wild();
    if (is_wild)
      factors = Factors::renewed;
    if (!system.evaluate(at_, factors, is_wild))
      return SNES_DIVERGED_FUNCTION_DOMAIN;
    if (iteration == 1)
      increments_.note_start();
    if (!system.solve(at_, factors) || !increments_.measure(at_))
      return SNES_DIVERGED_LINEAR_SOLVE;
    if (spectator_ && system.is_own())
      spectator_->see_solution(at_.x.data(), at_.dx.data());
    increments_.advance(at_);
    const Verdict verdict = increments_.judge(iteration, factors != Factors::kept, system);
    // Increments that no longer shrink may be rounding; and without factors small ones say nothing.
    // Where forces are switched on and off rows may depend on one another for a moment, and not every package says so.
    const bool seems_done = verdict == Verdict::done, stalls = iteration > 2 && increments_.stands(),
               is_sure = system.is_own() || (system.is_direct() && assembler_.constraints().empty());
    if ((seems_done && is_sure) || ((seems_done || stalls) && is_near_floor(ResidualTest::stall_band))) {
      assembler_.settle(at_.x.data());
      return SNES_CONVERGED_SNORM_RELATIVE;
    }
    factors = verdict == Verdict::chord ? Factors::kept : Factors::renewed;
  }
  return is_near_floor(1) ? SNES_CONVERGED_FNORM_RELATIVE : SNES_DIVERGED_MAX_IT; // nothing more can be asked for
}

StepReport Newton::solve_by_snes() {
  const SnesAdapter::Outcome outcome = snes_->solve();
  StepReport report;
  report.converged = outcome.converged;
  report.iterations = outcome.iterations;
  report.linear_failed = outcome.linear_failed;
  if (!outcome.converged)
    explain({outcome.reason, outcome.iterations, options_.max_iterations, snes_->system().foreign_failure()},
            assembler_, residual_test_, report);
  return report;
}

/// True if the residual at x, evaluated once more, is at most so many times above its rounding floor.
bool Newton::is_near_floor(double band) {
  if (!assembler_.evaluate(at_.x.data(), at_.f.data(), false))
    return false;
  assembler_.settle(at_.x.data());
  assembler_.measure_magnitudes();
  return residual_test_.is_near_floor(band);
}

/// Says why. Where linear systems failed, the sizes of residuals are not known yet.
void Newton::explain_failure(SNESConvergedReason reason, StepReport& report) {
  report.linear_failed = reason == SNES_DIVERGED_LINEAR_SOLVE;
  if (report.linear_failed) {
    if (!system().has_residual())
      assembler_.evaluate(at_.x.data(), at_.f.data(), false);
    if (!assembler_.beyond_bounds()) {
      assembler_.settle(at_.x.data());
      assembler_.measure_magnitudes();
    }
  }
  explain({reason, report.iterations, options_.max_iterations, system().foreign_failure()}, assembler_, residual_test_,
          report);
}

/// Shows the end of an iteration to whoever looks.
StepReport Newton::shown(StepReport report) {
  if (!spectator_)
    return report;
  spectator_->see_end(at_.x.data(), report.iterations, report.converged,
                      uses_blocks() ? nullptr : snes_->system().ksp());
  assembler_.settle(at_.x.data());
  return report;
}

// --- linear systems

bool Newton::uses_blocks() const {
  return !pivoting_ && !wishes_.linear &&
         (options_.linear == LinearSolver::automatic || options_.linear == LinearSolver::block);
}

LinearSystem& Newton::system() {
  if (uses_blocks())
    return blocks_;
  return snes_->system();
}

void Newton::use_factorisation(bool pivoting, double epsilon) {
  pivoting_ = pivoting;
  assembler_.set_epsilon(epsilon);
  if (way() == Way::increments && uses_blocks())
    return;
  if (!snes_)
    snes_ = std::make_unique<SnesAdapter>(assembler_, residual_test_, findings_, at_, options_.max_iterations, wishes_);
  snes_->choose(pivoting ? LinearSolver::klu : options_.linear);
}

std::string Newton::method() const {
  static const char* const names[] = {"Newton", "Newton by SNES", "Newton merged with augmented Lagrangians",
                                      "augmented Lagrangians around Newton by SNES", "one linear solve a step"};
  const Way way = this->way();
  const std::string text = names[static_cast<std::size_t>(way)];
  const bool by_snes = way == Way::snes || way == Way::nested;
  return text + ", " + (uses_blocks() && !by_snes ? "block LU" : snes_->system().method().text());
}

} // namespace emmy
