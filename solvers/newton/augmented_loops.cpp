#include "solvers/newton/augmented_loops.hpp"

#include "solvers/enforcement/multiplier_iteration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace emmy {

namespace {

/// Error e of constraints at which the loop around Newton ends, unless another is asked for [m].
constexpr double nested_tolerance = 1e-10;
/// Newton inside the loop goes on until it moves by less than this part of it.
constexpr double inner_part = 1e-2;
/// A sweep that leaves more than this part of the error makes the stiffness of joints grow, by so much, so often a
/// step.
constexpr double poor_sweep = 0.25;
constexpr double growth = 10;
constexpr int most_growth = 3;
/// Redundant constraints contradict one another if their error falls by less than this factor, where errors that have
/// a remedy would fall at least by that one, while bodies move by less than this part of the error. Multipliers that
/// grow without an end push them by about beta times the square of the error.
constexpr double no_progress = 0.5;
constexpr double fast = 0.1;
constexpr double no_motion = 1e-2;
/// More sweeps than this are no advice.
constexpr double most_sweeps = 1e4;

} // namespace

AugmentedLoops::AugmentedLoops(Assembler& assembler, ResidualTest& test, Iterate& at, const NewtonOptions& options)
    : assembler_(assembler), test_(test), at_(at), options_(options) {}

void AugmentedLoops::explain(SNESConvergedReason reason, int iterations, const LinearSystem* system,
                             StepReport& report) const {
  const KSPConvergedReason linear = system != nullptr ? system->foreign_failure() : KSP_CONVERGED_ITERATING;
  emmy::explain({reason, iterations, options_.max_iterations, linear}, assembler_, test_, report);
}

/// Constraints that cannot all hold leave an error that no force removes. Their multipliers still grow in every
/// iteration, which may keep the other equations off their floor, too: then these must have come to a standstill.
bool AugmentedLoops::is_contradiction(const Standstill& before, const Standstill& now, double moved) const {
  if (!options_.augmented.cold || assembler_.constraints().contraction() > fast)
    return false;
  const bool stands = now.equations > no_progress * before.equations && no_progress * now.equations < before.equations;
  return now.error > no_progress * before.error && moved < no_motion * now.error &&
         (now.equations <= test_.wanted() || stands);
}

std::string AugmentedLoops::describe_contradiction(const ConstraintSet::Error& error) {
  char text[80];
  std::snprintf(text, sizeof text, "' contradict others and stay off by %.2g", error.size);
  return "constraints of '" + error.element->name() + text;
}

StepReport AugmentedLoops::solve_merged(LinearSystem& system, Spectator* spectator) {
  ConstraintSet& constraints = assembler_.constraints();
  double* const x = at_.x.data();
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  StepReport report;
  Standstill before;
  double moved = 0;
  bool singular = false;
  const auto residual = [&](int i) {
    if (spectator != nullptr && !singular)
      spectator->see_iterate(i, x);
    if (singular || !assembler_.evaluate(x, at_.f.data(), !test_.is_nearly_done())) {
      reason = singular ? SNES_DIVERGED_LINEAR_SOLVE : SNES_DIVERGED_FUNCTION_DOMAIN;
      return Judgement::failed;
    }
    reason = test_.judge(i);
    const ConstraintSet::Error of_joints = constraints.joint_error();
    const Standstill now{of_joints.size,
                         i > 0 ? assembler_.gauge().relative_equations(assembler_.balance()) : before.equations};
    if (reason == SNES_CONVERGED_ITERATING && i > 1 && is_contradiction(before, now, moved)) {
      report.warning = describe_contradiction(of_joints);
      report.topic = "contradiction";
      reason = SNES_CONVERGED_SNORM_RELATIVE;
    }
    before = now;
    if (reason != SNES_CONVERGED_ITERATING)
      return reason > 0 ? Judgement::converged : Judgement::failed;
    if (!assembler_.has_tangent() && !assembler_.evaluate(x, at_.f.data(), true)) // one iteration more than expected
      return Judgement::failed;
    return Judgement::go_on;
  };
  const auto correct = [&] { // [A22]
    singular = report.linear_failed = !system.solve(at_, Factors::renewed) || !at_.is_finite();
    if (spectator != nullptr && !singular && system.is_own())
      spectator->see_solution(x, at_.dx.data());
    at_.advance();
    moved = at_.dx.head(at_.size).lpNorm<Eigen::Infinity>();
    assembler_.follow(at_.dx.data());
  };
  const IterationOutcome outcome = iterate_multipliers(options_.max_iterations + 1, residual, correct);
  report.converged = outcome.converged;
  report.iterations = report.sweeps = outcome.corrections;
  report.violation = constraints.error().size;
  if (!outcome.converged)
    explain(reason, outcome.corrections, &system, report);
  return report;
}

StepReport AugmentedLoops::solve_nested(SnesAdapter& snes) {
  ConstraintSet& constraints = assembler_.constraints();
  const AugmentedLagrangianOptions& options = options_.augmented;
  const double tolerance = options.tolerance > 0 ? options.tolerance : nested_tolerance;
  StepReport report;
  double previous_error = std::numeric_limits<double>::infinity(), contraction = 1;
  int grown = 0;
  const auto residual = [&](int) {
    test_.begin_again();
    const SnesAdapter::Outcome inner = snes.solve(inner_part * tolerance);
    report.iterations += inner.iterations;
    report.linear_failed = inner.linear_failed;
    if (!inner.converged) {
      explain(inner.reason, inner.iterations, &snes.system(), report);
      return Judgement::failed;
    }
    report.violation = constraints.error().size;
    return report.violation < tolerance ? Judgement::converged : Judgement::go_on;
  };
  const auto correct = [&] {
    constraints.update(); // [A4]
    if (options.growth && report.violation > poor_sweep * previous_error && grown++ < most_growth)
      constraints.grow(growth);
    contraction = report.violation / previous_error;
    previous_error = report.violation;
  };
  const IterationOutcome outcome = iterate_multipliers(options.max_sweeps - 1, residual, correct);
  report.converged = outcome.converged;
  report.sweeps = outcome.corrections + 1;
  if (!outcome.converged)
    explain_sweeps(tolerance, contraction, report);
  return report;
}

/// Why sweeps did not meet the constraints: too long a step of the multipliers, a Newton iteration, or too few of them.
void AugmentedLoops::explain_sweeps(double tolerance, double contraction, StepReport& report) const {
  const ConstraintSet& constraints = assembler_.constraints();
  const double excess = constraints.steepest() / 2; // of rho over its bound [A12]
  if (excess < 1 && !report.why.empty())
    return;
  report.remedy = Remedy::none;
  const ConstraintSet::Error error = constraints.error();
  char text[300];
  std::snprintf(text, sizeof text, "' are off by %.2g after %d sweeps of the augmented Lagrangian (wanted %.2g)",
                report.violation, report.sweeps, tolerance);
  report.why = "constraints of '" + (error.element != nullptr ? error.element->name() : "") + text;
  if (excess >= 1) {
    std::snprintf(text, sizeof text,
                  "\n  sweeps diverge: rho, the step of their update, is %.3g times the longest with which they "
                  "converge, 2 r + 2/sigma; take less than %.2g of it",
                  excess, 1 / excess);
    report.why += text;
    return;
  }
  const double needed = std::log(tolerance / report.violation) / std::log(contraction); // [A13]
  if (!(contraction < 1 && needed < most_sweeps))
    return;
  std::snprintf(text, sizeof text, "\n  a sweep leaves %.3g of the error: about %.0f of them would do", contraction,
                report.sweeps + needed);
  report.why += text;
}

StepReport AugmentedLoops::solve_linearised(LinearSystem& system) {
  ConstraintSet& constraints = assembler_.constraints();
  StepReport report;
  report.iterations = 1;
  at_.x.setZero();
  const bool is_known = assembler_.evaluate(at_.x.data(), at_.f.data());
  report.linear_failed = is_known && !(system.solve(at_, Factors::renewed) && at_.is_finite());
  if (!is_known || report.linear_failed) {
    explain(report.linear_failed ? SNES_DIVERGED_LINEAR_SOLVE : SNES_DIVERGED_FUNCTION_DOMAIN, 0, &system, report);
    return report;
  }
  at_.advance();
  if (!assembler_.evaluate(at_.x.data(), at_.f.data(), false)) { // for the values of constraints at the end
    explain(SNES_DIVERGED_FUNCTION_DOMAIN, 1, &system, report);
    return report;
  }
  report.converged = true;
  if (!constraints.iterates())
    return report;
  report.sweeps = 1;
  report.violation = constraints.error().size;
  constraints.update();
  assembler_.take_updated_multipliers();
  return report;
}

} // namespace emmy
