// The iteration of Newton that goes by increments, and the linear solves of all.
#include "solvers/log_events.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Part of a step's increments below which what is left of the iteration does not matter: it has the same sign in many
/// steps, so it must stay far below rounding, which has not.
constexpr double negligible_increment = 0.02 * eps;
/// The same as a part of the rounding of increments: with the same sign in ten million steps it is as much as that of
/// one.
constexpr double negligible_rounding = 1e-7;
/// Increments this many times above rounding tell something.
constexpr double clear_of_rounding = 4;
/// A tangent is kept for another iteration while it shrinks increments by more than this factor.
constexpr double good_rate = 0.03;
/// Increments that shrink less than this, where Newton converges quadratically, are at a standstill.
constexpr double standstill = 0.5;
/// A standstill above this part of a step is none of rounding's.
constexpr double small_part = 1e-5;
/// Slower motion than this [m/s] is rest: a step is then measured by it.
constexpr double creep = 1e-6;
/// Relative error of a linear solve without regularisation that calls for pivoting.
constexpr double poor_solve = 1e-3;
/// One that needs no refinement.
constexpr double good_solve = 1e-9;
/// That of solvers which pivot.
constexpr double pivoted_solve = 1e-12;
/// One in so many solves is followed by another, whether or not that is needed, to see how it converges.
constexpr long look_every = 32;
/// What a measured constant loses of its weight from step to step.
constexpr double forgetting = 0.7;
/// Increments of so many units in the last place of the coordinates are rounding.
constexpr double rounding_units = 8;

/// Whether it takes less to bring an error `left` below `enough` with the same tangent, by the factor `rate` each time,
/// or with new ones, quadratically.
bool keeping_pays(double left, double rate, double curvature, double enough) {
  if (!(rate < good_rate))
    return false;
  constexpr double cost = 0.55; // of an iteration with the same tangent, as measured on chains
  const double kept = cost * std::ceil(std::log(enough / left) / std::log(rate));
  double renewed = 0;
  for (double error = left; error > enough && renewed < kept; ++renewed)
    error *= std::min(curvature * error, good_rate);
  return kept <= renewed;
}

} // namespace

bool Newton::runs_directly() const {
  return assembler_.constraints().empty() && options_.tolerance == 0 && !options_.by_snes && !wishes_.newton &&
         options_.augmented.form != AugmentedForm::linearised;
}

bool Newton::uses_blocks() const {
  return !pivoting_ && !wishes_.linear &&
         (options_.linear == LinearSolver::automatic || options_.linear == LinearSolver::block);
}

/// Of the tangent of the last evaluation.
void Newton::factorise() {
  if (!uses_blocks()) { // PETSc does it with the first solve
    const LogSpan span(LogEvent::assemble);
    assembler_.fill_matrix();
    return;
  }
  const LogSpan span(LogEvent::factorise);
  if (assembler_.epsilon() > 0) {
    assembler_.add_proximal(1);
    blocks_.factorise();
    assembler_.add_proximal(-1);
  } else {
    blocks_.factorise();
  }
}

bool Newton::ksp_solve(bool reuse) {
  const LogSpan span(reuse ? LogEvent::solve : LogEvent::factorise); // which includes a first solve
  KSP ksp = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  check(KSPSetOperators(ksp, assembler_.matrix(), assembler_.factorised()));
  check(KSPSetReusePreconditioner(ksp, reuse ? PETSC_TRUE : PETSC_FALSE));
  ++solves_;
  const PetscErrorCode code = KSPSolve(ksp, f_vec_, dx_vec_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    use_factorisation(pivoting_, assembler_.epsilon());
    return false;
  }
  check(code);
  check(KSPGetConvergedReason(ksp, &ksp_reason_));
  return ksp_reason_ > 0;
}

/// dx = A^-1 f with the factors of factorise().
void Newton::solve_with_factors() {
  const LogSpan span(LogEvent::solve);
  ++solves_;
  blocks_.solve(f_.data(), dx_.data());
}

/// One refinement where the solve may not be good enough by itself: with a proximal block x <- x + A_epsilon^-1 (b - A
/// x), after which a mode of relative stiffness sigma is off by (epsilon / (epsilon + sigma))² [S5]; without one where
/// it was found to be inaccurate. False if it cannot be trusted.
bool Newton::refine_if_needed() {
  const bool regularised = assembler_.epsilon() > 0;
  if (!regularised && !is_checked(solves_) && linear_error_ <= good_solve)
    return true;
  checked_ = solves_;
  const double size = norm_.total(dx_.data());
  if (!std::isfinite(size)) {
    linear_error_ = std::numeric_limits<double>::infinity();
    return false;
  }
  const double correction = norm_.total(blocks_.refine(f_.data(), dx_.data()).data());
  const double error = size > 0 ? correction / size : 0;
  if (regularised) {
    linear_error_ = error * error;
    return std::isfinite(error);
  }
  linear_error_ = error;
  return error <= poor_solve;
}

/// dx from the system of the last evaluation; false if it is singular.
bool Newton::solve_linear() {
  factorise();
  if (!uses_blocks()) {
    linear_error_ = is_direct_ && assembler_.epsilon() == 0 ? pivoted_solve : 1;
    return ksp_solve(false);
  }
  solve_with_factors();
  return refine_if_needed();
}

/// True if the next system may be solved by eliminating bodies as they are evaluated. Where its accuracy is in doubt,
/// the whole matrix is wanted, to look at it or to refine.
bool Newton::may_condense() const {
  return assembler_.condenses() && uses_blocks() && assembler_.epsilon() == 0 && linear_error_ <= good_solve &&
         !is_checked(solves_ + 1);
}

/// dx after evaluate_condensed().
void Newton::solve_condensed(bool fresh) {
  if (fresh) {
    const LogSpan span(LogEvent::factorise);
    blocks_.factorise_rest();
  }
  const LogSpan span(LogEvent::solve);
  ++solves_;
  blocks_.solve_rest(assembler_.has_rest() ? f_.data() : nullptr, dx_.data());
  assembler_.expand(dx_.data());
}

/// C of a part as two iterations show it. What is mostly rounding tells only how large it is at most.
void Newton::note_contraction(std::size_t part) {
  const StepNorm::Size& before = moved_before_[part];
  const double square = before.increments * (before.increments + before.multipliers);
  double& C = curvature_[part];
  if (square == 0)
    return;
  const double moved = moved_[part].increments, measured = moved / square;
  if (moved > clear_of_rounding * rounding_[part] && C < unknown_curvature)
    C = std::max(measured, forgetting * C);
  else
    C = std::min(C, measured);
}

/// Measures dx of an iteration; false if it is not finite.
bool Newton::measure_increments() {
  std::swap(moved_, moved_before_);
  norm_.measure(dx_.data(), moved_);
  return std::all_of(moved_.begin(), moved_.end(),
                     [](const StepNorm::Size& moved) { return std::isfinite(moved.increments + moved.multipliers); });
}

/// True if the iterate makes no sense any more: for the assembler to say so, which looks at it before an evaluation of
/// the whole matrix alone.
bool Newton::is_wild() const {
  constexpr double wild = 1e40;
  bool tame = true;
  for (std::size_t part = 0; part < size_.size(); ++part)
    tame = tame && size_[part] < wild && moved_[part].multipliers < wild;
  return !tame;
}

/// Looks at dx of an iteration: enough, or which one comes next.
Newton::Verdict Newton::judge_increments(int iteration, bool fresh) {
  bool done = true, chord = true;
  stands_ = false;
  for (std::size_t part = 0; part < moved_.size(); ++part) {
    const double e = moved_[part].increments, before = moved_before_[part].increments;
    const double enough = std::max(negligible_increment * std::max(size_[part], creep * step_length_),
                                   negligible_rounding * rounding_[part]);
    const double rate = iteration > 1 && before > 0 ? e / before : 1;
    if (iteration == 2) {
      note_contraction(part);
      looked_ = solves_;
    }
    // Rate of a next iteration: as measured, and no better than angles allow, of bodies and of what is between them,
    // since all that turns is nonlinear in them.
    const StepNorm::Size& moved = moved_[part];
    const double turns = e > 0 ? moved.largest_turn + moved.products() / e : 0;
    const double expected =
        std::max({curvature_[part] * (e + moved.multipliers), turns, bending_.rate(part, moved, size_[part])});
    const double left = (fresh ? std::max(expected, std::min(linear_error_, rate)) : rate) * e;
    const bool looks_again = iteration == 1 && solves_ - looked_ >= look_every; // convergence may have changed
    if ((left <= enough && !looks_again) || (iteration > 1 && e <= rounding_[part]))
      continue;
    done = false;
    // What is already lost in rounding needs no better tangent.
    chord = chord && (left <= rounding_[part] || keeping_pays(left, fresh ? expected : rate, curvature_[part], enough));
    stands_ = stands_ || (rate > standstill && e <= small_part * size_[part]);
  }
  return done ? Verdict::done : chord ? Verdict::chord : Verdict::newton;
}

/// True if the residual at x, evaluated once more, is at most so many times above its rounding floor.
bool Newton::is_near_floor(double band) {
  if (!assembler_.evaluate(x_.data(), f_.data(), false))
    return false;
  assembler_.settle(x_.data());
  assembler_.measure_magnitudes();
  return assembler_.gauge().relative(f_.data()) <= band * floor_factor * eps;
}

/// Rounding of the coordinates in the norm of increments.
void Newton::measure_coordinates(const State& n) {
  const Model& model = assembler_.model();
  scratch_.setZero();
  for (const Node& node : model.nodes()) {
    const double largest = n.values.segment(node.value, node.values()).lpNorm<Eigen::Infinity>();
    for (Index i = 0; i < node.unknowns(); ++i) // angles are counted in radians, and as exact as base vectors
      scratch_[assembler_.numbering().row_of_unknown[static_cast<std::size_t>(node.unknown + i)]] =
          node.kind == NodeKind::frame && i >= 3 ? 1 : std::max(largest, 1e-3);
  }
  norm_.measure(scratch_.data(), moved_);
  for (std::size_t part = 0; part < moved_.size(); ++part)
    rounding_[part] = rounding_units * eps * moved_[part].increments;
}

/// dx after an evaluation; false if the system is singular.
bool Newton::find_increments(bool fresh) {
  if (condensed_)
    solve_condensed(fresh);
  else if (fresh)
    return solve_linear();
  else if (uses_blocks())
    solve_with_factors();
  else
    return ksp_solve(true);
  return true;
}

/// Shows the end of an iteration to whoever looks.
NewtonReport Newton::watched(NewtonReport report) {
  if (!spectator_)
    return report;
  KSP ksp = nullptr;
  if (!uses_blocks())
    check(SNESGetKSP(snes_, &ksp));
  spectator_->see_end(x_.data(), report.iterations, report.converged, ksp);
  assembler_.settle(x_.data());
  return report;
}

NewtonReport Newton::solve_directly() {
  const LogSpan span(LogEvent::step);
  NewtonReport report;
  bool fresh = true;
  for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
    report.iterations = iteration;
    if (spectator_)
      spectator_->see_iterate(iteration - 1, x_.data());
    if (iteration > 1 && is_wild())
      fresh = true;
    if (fresh)
      condensed_ = may_condense() && !(iteration > 1 && is_wild());
    const bool evaluated = condensed_ ? assembler_.evaluate_condensed(x_.data(), f_.data(), fresh)
                                      : assembler_.evaluate(x_.data(), f_.data(), fresh);
    if (!evaluated) {
      report.why = explain(SNES_DIVERGED_FUNCTION_DOMAIN, iteration);
      return report;
    }
    if (iteration == 1 && bending_.exists())
      bending_.measure(assembler_.step(), assembler_.evaluated_ports());
    if (!find_increments(fresh) || !measure_increments()) {
      linear_failed_ = true;
      if (condensed_) // there is no residual to speak of
        assembler_.evaluate(x_.data(), f_.data(), false);
      if (!assembler_.beyond_bounds()) {
        assembler_.settle(x_.data());
        assembler_.measure_magnitudes();
      }
      report.why = explain(SNES_DIVERGED_LINEAR_SOLVE, iteration);
      return report;
    }
    if (spectator_ && uses_blocks())
      spectator_->see_solution(x_.data(), dx_.data());
    norm_.advance(x_.data(), dx_.data(), size_);
    const Verdict verdict = judge_increments(iteration, fresh);
    // Increments that no longer shrink may be rounding; and without factors small ones say nothing.
    const bool seems_done = verdict == Verdict::done, stalls = iteration > 2 && stands_;
    if ((seems_done && is_direct_) || ((seems_done || stalls) && is_near_floor(stall_band))) {
      report.converged = true;
      assembler_.settle(x_.data());
      return report;
    }
    fresh = verdict != Verdict::chord;
  }
  report.converged = is_near_floor(1); // nothing more can be asked for
  if (!report.converged)
    report.why = explain(SNES_DIVERGED_MAX_IT, options_.max_iterations);
  return report;
}

} // namespace emmy
