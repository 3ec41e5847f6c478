// The linear systems of Newton: factors, solutions, refinement.
#include "solvers/log_events.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

namespace {

/// Relative error of a linear solve without regularisation that calls for pivoting.
constexpr double poor_solve = 1e-3;
/// One that needs no refinement.
constexpr double good_solve = 1e-9;
/// That of solvers which pivot.
constexpr double pivoted_solve = 1e-12;

} // namespace

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
  if (is_regularised()) {
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

/// dx = A^-1 f with the factors of factorise(). With a proximal block the first solve of a step also pulls what its
/// multipliers do to no body to zero [S20].
void Newton::solve_with_factors() {
  const LogSpan span(LogEvent::solve);
  ++solves_;
  dx_ = f_;
  if (is_first_solve_ && is_regularised())
    assembler_.pull_idle(x_.data(), dx_.data());
  blocks_.solve(dx_.data());
}

/// One refinement where the solve may not be good enough by itself: with a proximal block x <- x + A_epsilon^-1 (b - A
/// x), after which a mode of relative stiffness sigma is off by (epsilon / (epsilon + sigma))² [S5]; without one where
/// it was found to be inaccurate. False if it cannot be trusted.
bool Newton::refine_if_needed() {
  if (!is_regularised() && !is_checked(solves_) && linear_error_ <= good_solve)
    return true;
  const double size = norm_.total(dx_.data());
  if (!std::isfinite(size)) {
    linear_error_ = std::numeric_limits<double>::infinity();
    return false;
  }
  const VecX& correction = blocks_.refine(f_.data(), dx_.data());
  if (is_regularised()) {
    measure_unsolved(correction.data());
    return true;
  }
  checked_ = solves_;
  linear_error_ = size > 0 ? norm_.total(correction.data()) / size : 0;
  return linear_error_ <= poor_solve;
}

/// What refinement leaves of the increments. The block holds back multipliers mu which move bodies by y_0 = K^-1
/// G_bar^T mu; the first solve misses y_1 of that, which refinement corrects, and leaves y_2: each time the same part
/// [S21]. In the motion alone, for redundant multipliers may be anything. y_0 needs to be known by its order only.
void Newton::measure_unsolved(const double* correction) {
  norm_.measure(correction, corrected_);
  if (is_first_solve_ && is_checked(solves_))
    measure_reactions();
  for (std::size_t part = 0; part < corrected_.size(); ++part) {
    const double missed = corrected_[part].increments;
    if (is_first_solve_)
      block_rate_[part] = missed < reactions_[part] ? missed / reactions_[part] : 1;
    unsolved_[part] = block_rate_[part] * missed;
  }
}

/// How far the reactions that a step ends with move bodies.
void Newton::measure_reactions() {
  checked_ = solves_;
  const Index rows = assembler_.size();
  scratch_ = (norm_.weights().array() > 0).select(0.0, x_.head(rows) - dx_.head(rows));
  blocks_.multiply(scratch_.data(), force_.data());
  norm_.measure_forces(force_.data(), forces_);
  std::transform(forces_.begin(), forces_.end(), reactions_.begin(),
                 [](const StepNorm::Force& force) { return force.size; });
}

/// dx from the system of the last evaluation; false if it is singular.
bool Newton::solve_linear() {
  factorise();
  if (!uses_blocks()) {
    linear_error_ = is_direct_ && assembler_.epsilon() == 0 ? pivoted_solve : 1;
    return ksp_solve(false);
  }
  solve_with_factors();
  if (!refine_if_needed())
    return false;
  if (checked_ == solves_ && assembler_.wrenches() != nullptr)
    check_wrenches();
  return true;
}

/// True if the next system may be solved by eliminating bodies as they are evaluated. Where its accuracy is in doubt,
/// the whole matrix is wanted, to look at it or to refine.
bool Newton::may_condense() const {
  return assembler_.condenses() && uses_blocks() && (!is_regularised() || assembler_.wrenches() != nullptr) &&
         linear_error_ <= good_solve && !is_checked(solves_ + 1);
}

/// dx after evaluate_condensed().
void Newton::solve_condensed(bool fresh) {
  if (assembler_.wrenches() != nullptr)
    return solve_wrenches(fresh);
  if (fresh) {
    const LogSpan span(LogEvent::factorise);
    blocks_.factorise_rest();
  }
  const LogSpan span(LogEvent::solve);
  ++solves_;
  blocks_.solve_rest(assembler_.has_rest() ? f_.data() : nullptr, dx_.data());
  assembler_.expand(dx_.data());
}

/// The same by wrenches, refined where there is a proximal block.
void Newton::solve_wrenches(bool fresh) {
  WrenchSystem& wrenches = *assembler_.wrenches();
  if (fresh) {
    const LogSpan span(LogEvent::factorise);
    wrenches.factorise(assembler_.epsilon(), assembler_.scale_of_rows());
  }
  const LogSpan span(LogEvent::solve);
  ++solves_;
  if (fresh && is_regularised())
    measure_unsolved(wrenches.solve_refined(is_first_solve_ ? x_.data() : nullptr, dx_.data()).data());
  else
    wrenches.solve(dx_.data());
}

/// How far the solution by wrenches is from that of the whole matrix, for the same right side.
void Newton::check_wrenches() {
  WrenchSystem& wrenches = *assembler_.wrenches();
  assembler_.evaluate_condensed(x_.data(), spare_.data(), true);
  wrenches.factorise(assembler_.epsilon(), assembler_.scale_of_rows());
  wrenches.reduce(f_.data());
  if (is_regularised())
    wrenches.solve_refined(is_first_solve_ ? x_.data() : nullptr, spare_.data());
  else
    wrenches.solve(spare_.data());
  spare_ -= dx_;
  const double size = norm_.total(dx_.data()), error = size > 0 ? norm_.total(spare_.data()) / size : 0;
  linear_error_ = is_regularised() ? error : std::max(linear_error_, error);
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

} // namespace emmy
