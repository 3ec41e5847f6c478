#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <utility>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A sum of about ten rounded terms per row is not known better than this many units in the last place.
constexpr double floor_factor = 8;
/// A residual this many times above its floor that no longer falls is at the floor: the conditioning of the linear
/// solve adds that much to the rounding of the residual itself.
constexpr double stall_band = 1e4;
/// Less progress than this factor in one iteration, where Newton converges quadratically, is a stall.
constexpr double stall_factor = 0.5;
/// Part of the rounding floor below which the error of the iteration may stay.
constexpr double negligible = 0.02;
/// Relative residual at which the solution of another method of SNES is accepted.
constexpr double foreign_tolerance = 1e-8;
/// A residual that grows to this multiple of its largest term leads nowhere.
constexpr double divergence = 1e12;

/// `automatic` is PETSc's own LU in our order, without pivoting, at every size: in `make bench` it was the fastest on
/// each kind of model (whole steps of h = 1e-3 s, time relative to it; figures move by 20 %).
///                           unknowns    KLU   UMFPACK   MUMPS
///   chain of 4                    36    1.3     2.9      17
///   chain of 256                2304    1.5     3.4     5.8
///   chain of 2048              18432    1.4     3.2     5.1
///   binary tree of 2047        18423    1.5     3.4     5.1
///   hub with 511 arms           4608    1.5     3.4     7.3
///   two hubs, 64 limbs          1359    1.1     3.7     2.0
///   ladder of 512 rungs        15339    1.6     3.5     4.9
///   net of 24 x 24 knots       11523    2.2     5.6     5.8
const char* petsc_name(LinearSolver solver) {
  switch (solver) {
  case LinearSolver::petsc:
    return MATSOLVERPETSC;
  case LinearSolver::klu:
    return MATSOLVERKLU;
  case LinearSolver::umfpack:
    return MATSOLVERUMFPACK;
  case LinearSolver::mumps:
    return MATSOLVERMUMPS;
  case LinearSolver::automatic:
    break;
  }
  return MATSOLVERPETSC;
}

} // namespace

Newton::Newton(Assembler& assembler, const NewtonOptions& options) : assembler_(assembler), options_(options) {
  const auto size = static_cast<PetscInt>(assembler.size());
  check(VecCreateSeq(PETSC_COMM_SELF, size, x_.out()));
  check(VecDuplicate(x_, f_.out()));
  check(VecDuplicate(x_, dx_.out()));
  unused_f_.resize(assembler.size());
  history_.reserve(static_cast<std::size_t>(options.max_iterations) + 2);

  check(SNESCreate(PETSC_COMM_SELF, snes_.out()));
  check(SNESSetType(snes_, SNESNEWTONLS));
  check(SNESSetFunction(snes_, f_, form_function, this));
  check(SNESSetConvergenceTest(snes_, test_convergence, this, nullptr));
  // One more than wanted: our own test ends the iteration, and says why.
  check(
      SNESSetTolerances(snes_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, options.max_iterations + 1, PETSC_MAX_INT));
  SNESLineSearch line_search = nullptr;
  check(SNESGetLineSearch(snes_, &line_search));
  check(SNESLineSearchSetType(line_search, SNESLINESEARCHBASIC));
  if (assembler.constraints().switches())
    search_by_halving();
  PetscBool monitored = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, nullptr, "-snes_monitor", &monitored));
  check(SNESLineSearchSetComputeNorms(line_search, monitored)); // our test has norms of its own

  assembler.admit_violation(options.augmented.tolerance);
  const Proximal& proximal = options.proximal;
  if (proximal.scales.size() > 0)
    assembler.prepare_proximal(proximal.scales, proximal.cold);
  assembler.leave_out(proximal.left_out);
  base_epsilon_ = proximal.always ? proximal.epsilon : 0;
  may_pivot_ = options.linear == LinearSolver::automatic;
  use_factorisation(false, base_epsilon_);
}

void Newton::use_factorisation(bool pivoting, double epsilon) {
  pivoting_ = pivoting;
  assembler_.set_epsilon(epsilon);
  check(SNESSetJacobian(snes_, assembler_.matrix(), assembler_.factorised(), form_jacobian, this));
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  if (epsilon > 0) {
    // x <- x + A_epsilon^-1 (b - A x), one refinement: a mode of relative stiffness sigma is off by
    // (epsilon / (epsilon + sigma))² [S5].
    check(KSPSetType(ksp, KSPRICHARDSON));
    check(KSPSetNormType(ksp, KSP_NORM_NONE));
    check(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  } else {
    check(KSPSetType(ksp, KSPPREONLY));
  }
  check(KSPGetPC(ksp, &pc));
  check(PCReset(pc));
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, pivoting ? MATSOLVERKLU : petsc_name(options_.linear)));
  check(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL)); // the numbering is the ordering
  // A pivot counts as zero only when it vanishes: small ones are natural where bodies are small against a metre, and
  // the residual tells when they spoil the solution.
  check(PCFactorSetZeroPivot(pc, 1e-200));
  check(SNESSetFromOptions(snes_)); // last, so the command line wins
}

std::string Newton::factorisation() const {
  KSP ksp = nullptr;
  PC pc = nullptr;
  KSPType ksp_type = nullptr;
  PCType pc_type = nullptr;
  MatSolverType solver = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  check(KSPGetPC(ksp, &pc));
  check(KSPGetType(ksp, &ksp_type));
  check(PCGetType(pc, &pc_type));
  check(PCFactorGetMatSolverType(pc, &solver));
  return std::string(ksp_type) + "/" + pc_type + (solver ? std::string(" by ") + solver : "");
}

NewtonReport Newton::solve(const State& n, double h) {
  NewtonReport report = attempt(n, h);
  if (!report.converged && may_pivot_ && !pivoting_) {
    // A zero or tiny pivot is the usual reason; the step is repeated with a factorisation that pivots, and if that
    // helps, the rest of the run stays with it.
    use_factorisation(true, base_epsilon_);
    report = attempt(n, h);
    if (report.converged)
      return report;
    use_factorisation(false, base_epsilon_);
  }
  if (!report.converged && options_.proximal.scales.size() > 0) {
    // Near a singular configuration: a block where there was none, a weaker one where modes are weaker than usual.
    const bool pivoting = pivoting_;
    use_factorisation(may_pivot_ || pivoting, base_epsilon_ > 0 ? base_epsilon_ / 100 : options_.proximal.epsilon);
    NewtonReport last = attempt(n, h);
    use_factorisation(pivoting, base_epsilon_);
    last.rescued = last.converged;
    if (last.converged)
      return last;
  }
  ConstraintSet& constraints = assembler_.constraints();
  if (!report.converged && constraints.is_merged()) {
    constraints.use_merged(false);
    NewtonReport last = attempt(n, h);
    constraints.use_merged(true);
    if (last.converged)
      return last;
  }
  return report;
}

NewtonReport Newton::attempt(const State& n, double h) {
  double* x = nullptr;
  check(VecGetArray(x_, &x));
  assembler_.begin_step(n, h, x);
  check(VecRestoreArray(x_, &x));
  history_.clear();
  nearly_done_ = false;
  const ConstraintSet& constraints = assembler_.constraints();
  if (!constraints.iterates())
    return solve_by_snes();
  return constraints.is_merged() ? solve_merged() : solve_nested();
}

NewtonReport Newton::solve_by_snes() {
  const PetscErrorCode code = SNESSolve(snes_, nullptr, x_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    use_factorisation(pivoting_, assembler_.epsilon());
    NewtonReport singular;
    singular.why = explain(SNES_DIVERGED_LINEAR_SOLVE, 0);
    return singular;
  }
  check(code);
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(SNESGetConvergedReason(snes_, &reason));
  check(SNESGetIterationNumber(snes_, &iterations));
  NewtonReport report;
  report.iterations = static_cast<int>(iterations);
  report.converged = reason > 0 && (converged_ || accept_foreign());
  if (!report.converged)
    report.why = explain(reason, iterations);
  return report;
}

/// Other methods of SNES, chosen on the command line, have tests of their own and may not have evaluated the residual
/// at their solution; it is done here, so that the step is that solution, and it must be one.
bool Newton::accept_foreign() {
  const double* x = nullptr;
  double* f = nullptr;
  check(VecGetArrayRead(x_, &x));
  check(VecGetArray(f_, &f));
  bool good = true;
  while (good && !assembler_.gauge().measured()) // the second evaluation measures
    good = assembler_.evaluate(x, f);
  good = good && assembler_.evaluate(x, f) &&
         assembler_.gauge().relative(assembler_.balance()) <= std::max(wanted(), foreign_tolerance);
  check(VecRestoreArray(f_, &f));
  check(VecRestoreArrayRead(x_, &x));
  return good;
}

/// Relative residual after iteration k as expected from those before, by quadratic convergence r_k = C r_{k-1}²; no
/// better than what multipliers of merged augmented Lagrangians contract.
double Newton::predicted_residual(std::size_t k) const {
  const double before = history_[k - 1], linear = before * assembler_.constraints().contraction();
  if (k < 2)
    return std::max(before * before, linear);   // C = 1: relative residuals of a well scaled system
  const double rate = before / history_[k - 2]; // C from the two residuals before
  return std::max(before * rate * rate, linear);
}

double Newton::wanted() const {
  return std::max(floor_factor * eps, options_.tolerance);
}

SNESConvergedReason Newton::judge(PetscInt iteration) {
  converged_ = false;
  if (iteration == 0) { // what cancels is not known yet
    last_excess_ = divergence;
    return SNES_CONVERGED_ITERATING;
  }
  const ResidualGauge& gauge = assembler_.gauge();
  if (iteration == 1)
    history_.push_back(gauge.relative_first());
  history_.push_back(gauge.relative(assembler_.balance()));
  if (history_.back() > history_.front())
    assembler_.measure_again(); // the first step led astray, and so do the sizes that were found there
  nearly_done_ = std::max(predicted_residual(history_.size()), history_.back() * history_.back()) <= eps;
  const double excess = history_.back() / wanted(); // at most 1 is converged
  const double previous = std::exchange(last_excess_, excess);
  const bool stalled = excess > stall_factor * previous;
  const bool last = iteration >= options_.max_iterations;
  converged_ = excess <= 1 && (options_.tolerance > 0 || stalled || last || excess <= negligible ||
                               predicted_residual(history_.size() - 1) <= negligible * eps);
  converged_ = converged_ || (stalled && history_.back() <= stall_band * floor_factor * eps);
  converged_ = converged_ && gauge.admits(assembler_.balance(), floor_factor * eps);
  if (converged_)
    return SNES_CONVERGED_FNORM_ABS;
  if (!std::isfinite(history_.back()) || history_.back() > divergence)
    return SNES_DIVERGED_DTOL;
  return last ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_ITERATING;
}

std::string Newton::explain(SNESConvergedReason reason, PetscInt iterations) const {
  if (assembler_.non_finite())
    return "element '" + assembler_.non_finite()->name() + "' (" + assembler_.non_finite()->kind() +
           ") returned a value that is not finite";
  const ResidualGauge::Worst worst = assembler_.gauge().worst(assembler_.balance());
  const std::string where = "\n  largest residual: " + assembler_.row_name(worst.row);
  if (reason == SNES_DIVERGED_LINEAR_SOLVE || assembler_.beyond_bounds())
    return "the linear system is singular: over-constrained bodies, or a configuration where the joints lock" + where;
  static const char* const units[] = {"N", "N m", "m"};
  const char* unit = units[static_cast<std::size_t>(worst.row_class)];
  char text[200];
  std::snprintf(text, sizeof text,
                "Newton stopped after %d iteration%s, |R| = %.1e %s (wanted %.1e %s, rounding floor %.1e %s)",
                static_cast<int>(iterations), iterations == 1 ? "" : "s", worst.residual, unit,
                wanted() * worst.magnitude, unit, floor_factor * eps * worst.magnitude, unit);
  return text + where;
}

PetscErrorCode Newton::form_function(SNES snes, Vec x, Vec f, void* self) {
  // PETSc is C: no exception may pass through it. The assembler throws only if a PETSc call fails.
  auto& newton = *static_cast<Newton*>(self);
  const double* x_array = nullptr;
  double* f_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  PetscCall(VecGetArray(f, &f_array));
  const bool finite = newton.assembler_.evaluate(x_array, f_array, !newton.nearly_done_);
  PetscCall(VecRestoreArray(f, &f_array));
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetFunctionDomainError(snes));
  PetscFunctionReturn(0);
}

PetscErrorCode Newton::form_jacobian(SNES snes, Vec x, Mat, Mat, void* self) {
  auto& newton = *static_cast<Newton*>(self);
  PetscFunctionBegin;
  if (!newton.assembler_.has_tangent()) { // one more iteration than expected
    const double* x_array = nullptr;
    PetscCall(VecGetArrayRead(x, &x_array));
    const bool finite = newton.assembler_.evaluate(x_array, newton.unused_f_.data());
    PetscCall(VecRestoreArrayRead(x, &x_array));
    if (!finite)
      PetscCall(SNESSetJacobianDomainError(snes));
  }
  try {
    newton.assembler_.fill_matrix(); // evaluated at the same x as the residual
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failure.what());
  }
  PetscFunctionReturn(0);
}

PetscErrorCode Newton::test_convergence(SNES snes, PetscInt it, PetscReal, PetscReal, PetscReal,
                                        SNESConvergedReason* reason, void* self) {
  PetscFunctionBegin;
  auto& newton = *static_cast<Newton*>(self);
  *reason = newton.judge(it);
  if (it > 0 && newton.enough_ > 0 && *reason == SNES_CONVERGED_ITERATING) {
    Vec update = nullptr;
    PetscReal moved = 0;
    PetscCall(SNESGetSolutionUpdate(snes, &update));
    PetscCall(VecNorm(update, NORM_INFINITY, &moved));
    newton.converged_ = moved < newton.enough_;
    if (newton.converged_)
      *reason = SNES_CONVERGED_SNORM_RELATIVE;
  }
  PetscFunctionReturn(0);
}

} // namespace emmy
