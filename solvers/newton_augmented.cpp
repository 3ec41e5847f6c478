// The part of Newton that finds multipliers of augmented Lagrangians on the way.
#include "core/counted.hpp"
#include "solvers/multiplier_iteration.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

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
/// How often a step of Newton may be halved.
constexpr int most_halvings = 12;

} // namespace

/// Constraints that cannot all hold leave an error that no force removes. Their multipliers still grow in every
/// iteration, which may keep the other equations off their floor, too: then these must have come to a standstill.
bool Newton::is_contradiction(const Standstill& before, const Standstill& now, double moved) const {
  if (!options_.augmented.cold || assembler_.constraints().contraction() > fast)
    return false;
  const bool stands = now.equations > no_progress * before.equations && no_progress * now.equations < before.equations;
  return now.error > no_progress * before.error && moved < no_motion * now.error &&
         (now.equations <= wanted() || stands);
}

NewtonReport Newton::solve_merged() {
  ConstraintSet& constraints = assembler_.constraints();
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  NewtonReport report;
  Standstill before;
  PetscReal moved = 0;
  bool singular = false;
  const auto residual = [&](int i) {
    if (spectator_ && !singular)
      spectator_->see_iterate(i, x_.data());
    if (singular || !assembler_.evaluate(x_.data(), f_.data(), !nearly_done_)) {
      reason = singular ? SNES_DIVERGED_LINEAR_SOLVE : SNES_DIVERGED_FUNCTION_DOMAIN;
      return Judgement::failed;
    }
    reason = judge(i);
    const ConstraintSet::Error of_joints = constraints.joint_error();
    const Standstill now{of_joints.size,
                         i > 0 ? assembler_.gauge().relative_equations(assembler_.balance()) : before.equations};
    if (reason == SNES_CONVERGED_ITERATING && i > 1 && is_contradiction(before, now, moved)) {
      if (!contradiction_told_) {
        char text[80];
        std::snprintf(text, sizeof text, "' contradict others and stay off by %.2g", now.error);
        report.warning = "constraints of '" + of_joints.element->name() + text;
        contradiction_told_ = true;
      }
      reason = SNES_CONVERGED_SNORM_RELATIVE;
    }
    before = now;
    if (reason != SNES_CONVERGED_ITERATING)
      return reason > 0 ? Judgement::converged : Judgement::failed;
    if (!assembler_.has_tangent() &&
        !assembler_.evaluate(x_.data(), f_.data(), true)) // one more iteration than expected
      return Judgement::failed;
    return Judgement::go_on;
  };
  const auto correct = [&] { // [A22]
    singular = linear_failed_ = !solve_linear() || !dx_.head(assembler_.size()).allFinite();
    if (spectator_ && !singular && uses_blocks())
      spectator_->see_solution(x_.data(), dx_.data());
    x_.head(assembler_.size()) -= dx_.head(assembler_.size());
    moved = dx_.head(assembler_.size()).lpNorm<Eigen::Infinity>();
    assembler_.follow(dx_.data());
  };
  const IterationOutcome outcome = iterate_multipliers(options_.max_iterations + 1, residual, correct);
  report.converged = outcome.converged;
  report.iterations = report.sweeps = outcome.corrections;
  report.violation = constraints.error().size;
  if (!report.converged)
    report.why = explain(reason, outcome.corrections);
  return report;
}

NewtonReport Newton::solve_nested() {
  ConstraintSet& constraints = assembler_.constraints();
  const AugmentedLagrangianOptions& options = options_.augmented;
  const double tolerance = options.tolerance > 0 ? options.tolerance : nested_tolerance;
  NewtonReport report;
  double previous_error = std::numeric_limits<double>::infinity(), contraction = 1;
  int grown = 0;
  enough_ = inner_part * tolerance;
  const auto residual = [&](int) {
    history_.clear();
    nearly_done_ = false;
    const NewtonReport inner = solve_by_snes();
    report.iterations += inner.iterations;
    if (!inner.converged) {
      report.why = inner.why;
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
  enough_ = 0;
  report.converged = outcome.converged;
  report.sweeps = outcome.corrections + 1;
  if (!report.converged)
    report.why = explain_sweeps(report, tolerance, contraction);
  return report;
}

/// Why sweeps did not meet the constraints: too long a step of the multipliers, a Newton iteration, or too few of them.
std::string Newton::explain_sweeps(const NewtonReport& report, double tolerance, double contraction) const {
  const ConstraintSet& constraints = assembler_.constraints();
  const double excess = constraints.steepest() / 2; // of rho over its bound [A12]
  if (excess < 1 && !report.why.empty())
    return report.why;
  const ConstraintSet::Error error = constraints.error();
  char text[300];
  std::snprintf(text, sizeof text, "' are off by %.2g after %d sweeps of the augmented Lagrangian (wanted %.2g)",
                report.violation, report.sweeps, tolerance);
  std::string why = "constraints of '" + (error.element != nullptr ? error.element->name() : "") + text;
  if (excess >= 1) {
    std::snprintf(text, sizeof text,
                  "\n  sweeps diverge: rho, the step of their update, is %.3g times the longest with which they "
                  "converge, 2 r + 2/sigma; take less than %.2g of it",
                  excess, 1 / excess);
    return why + text;
  }
  const double needed = std::log(tolerance / report.violation) / std::log(contraction); // [A13]
  if (!(contraction < 1 && needed < most_sweeps))
    return why;
  std::snprintf(text, sizeof text, "\n  a sweep leaves %.3g of the error: about %.0f of them would do", contraction,
                report.sweeps + needed);
  return why + text;
}

NewtonReport Newton::solve_linearised() {
  ConstraintSet& constraints = assembler_.constraints();
  NewtonReport report;
  report.iterations = 1;
  x_.setZero();
  const bool is_known = assembler_.evaluate(x_.data(), f_.data());
  linear_failed_ = is_known && !(solve_linear() && dx_.head(assembler_.size()).allFinite());
  if (!is_known || linear_failed_) {
    report.why = explain(linear_failed_ ? SNES_DIVERGED_LINEAR_SOLVE : SNES_DIVERGED_FUNCTION_DOMAIN, 0);
    return report;
  }
  x_.head(assembler_.size()) -= dx_.head(assembler_.size());
  if (!assembler_.evaluate(x_.data(), f_.data(), false)) { // for the values of constraints at the end
    report.why = explain(SNES_DIVERGED_FUNCTION_DOMAIN, 1);
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

NewtonReport Newton::solve_with_strategies() {
  const ConstraintSet& constraints = assembler_.constraints();
  if (options_.augmented.form == AugmentedForm::linearised)
    return solve_linearised();
  if (!constraints.iterates())
    return solve_by_snes();
  return constraints.is_merged() ? watched(solve_merged()) : solve_nested();
}

void Newton::search_by_halving() {
  SNESLineSearch search = nullptr;
  check(SNESGetLineSearch(snes_, &search));
  check(SNESLineSearchSetType(search, SNESLINESEARCHSHELL));
  check(SNESLineSearchShellSetUserFunc(search, halve, this));
}

/// Halves the step until the residual decreases: where forces are switched on and off, a full step may lead from one
/// side to the other for ever.
PetscErrorCode Newton::halve(SNESLineSearch search, void* self) {
  auto& newton = *static_cast<Newton*>(self);
  const ResidualGauge& gauge = newton.assembler_.gauge();
  SNES snes = nullptr;
  Vec x = nullptr, f = nullptr, dx = nullptr, trial = nullptr;
  PetscReal before = 0, after = 0;
  PetscFunctionBegin;
  PetscCall(SNESLineSearchGetSNES(search, &snes));
  PetscCall(SNESLineSearchGetVecs(search, &x, &f, &dx, &trial, nullptr));
  PetscCall(VecNorm(f, NORM_2, &before));
  const auto go = [&](double length) {
    PetscFunctionBegin;
    PetscCall(VecWAXPY(trial, -length, dx, x));
    PetscCall(SNESComputeFunction(snes, trial, f));
    PetscCall(VecNorm(f, NORM_2, &after));
    PetscFunctionReturn(0);
  };
  double length = 1, best = 1, least = std::numeric_limits<double>::infinity();
  for (int halvings = 0;; ++halvings, length /= 2) {
    PetscCall(go(length));
    if (after < before || !std::isfinite(after))
      break;
    if (!gauge.measured())
      newton.assembler_.measure_magnitudes();
    if (gauge.relative(newton.assembler_.balance()) <= newton.wanted()) // at the floor
      break;
    if (after < least) {
      least = after;
      best = length;
    }
    if (halvings == most_halvings) { // at a kink every direction may lead up: go on behind it
      PetscCall(go(best));
      break;
    }
  }
  newton.was_shortened_ = length < 1;
  PetscCall(VecCopy(trial, x));
  PetscCall(SNESLineSearchSetReason(search, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

} // namespace emmy
