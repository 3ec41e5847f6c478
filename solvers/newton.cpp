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

/// A residual this many times above its floor that no longer falls is at the floor: the conditioning of the linear
/// solve adds that much to the rounding of the residual itself.
constexpr double stall_band = 1e4;
/// Less progress than this factor in one iteration, where Newton converges quadratically, is a stall.
constexpr double stall_factor = 0.5;
/// Part of the rounding floor below which the error of the iteration may stay.
constexpr double negligible = 0.02;
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
  unused_f_.resize(assembler.size());
  history_.reserve(static_cast<std::size_t>(options.max_iterations) + 2);

  check(SNESCreate(PETSC_COMM_SELF, snes_.out()));
  check(SNESSetType(snes_, SNESNEWTONLS));
  check(SNESSetFunction(snes_, f_, form_function, this));
  check(SNESSetJacobian(snes_, assembler.matrix(), assembler.matrix(), form_jacobian, this));
  check(SNESSetConvergenceTest(snes_, test_convergence, this, nullptr));
  // One more than wanted: our own test ends the iteration, and says why.
  check(
      SNESSetTolerances(snes_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, options.max_iterations + 1, PETSC_MAX_INT));
  SNESLineSearch line_search = nullptr;
  check(SNESGetLineSearch(snes_, &line_search));
  check(SNESLineSearchSetType(line_search, SNESLINESEARCHBASIC));
  check(SNESLineSearchSetComputeNorms(line_search, PETSC_FALSE)); // our test has norms of its own

  plain_name_ = petsc_name(options.linear);
  pivoting_name_ = MATSOLVERKLU;
  may_fall_back_ = options.linear == LinearSolver::automatic;
  use_factorisation(plain_name_);
}

void Newton::use_factorisation(const char* type) {
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  check(KSPSetType(ksp, KSPPREONLY));
  check(KSPGetPC(ksp, &pc));
  check(PCReset(pc));
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, type));
  check(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL)); // the numbering is the ordering
  // A pivot counts as zero only when it vanishes: small ones are natural where bodies are small against a metre, and
  // the residual tells when they spoil the solution.
  check(PCFactorSetZeroPivot(pc, 1e-200));
  check(SNESSetFromOptions(snes_)); // last, so the command line wins
}

NewtonReport Newton::solve(const State& n, double h) {
  NewtonReport report = attempt(n, h);
  if (report.converged || pivoting_ || !may_fall_back_)
    return report;
  // A zero or tiny pivot is the usual reason; the step is repeated with a factorisation that pivots, and if that
  // helps, the rest of the run stays with it.
  use_factorisation(pivoting_name_);
  const NewtonReport second = attempt(n, h);
  if (second.converged)
    pivoting_ = fell_back_ = true;
  else
    use_factorisation(plain_name_);
  return second;
}

NewtonReport Newton::attempt(const State& n, double h) {
  double* x = nullptr;
  check(VecGetArray(x_, &x));
  assembler_.begin_step(n, h, x);
  check(VecRestoreArray(x_, &x));
  history_.clear();
  nearly_done_ = false;
  const PetscErrorCode code = SNESSolve(snes_, nullptr, x_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    use_factorisation(pivoting_ ? pivoting_name_ : plain_name_);
    return {false, 0, explain(SNES_DIVERGED_LINEAR_SOLVE, 0)};
  }
  check(code);
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  check(SNESGetConvergedReason(snes_, &reason));
  check(SNESGetIterationNumber(snes_, &iterations));
  NewtonReport report;
  report.converged = reason > 0;
  report.iterations = static_cast<int>(iterations);
  if (!report.converged)
    report.why = explain(reason, iterations);
  return report;
}

double Newton::relative_norm(const ClassNorms& norms) const {
  double largest = 0;
  for (std::size_t c = 0; c < row_classes; ++c)
    if (assembler_.magnitudes()[c] > 0)
      largest = std::max(largest, norms[c] / assembler_.magnitudes()[c]);
  return largest;
}

/// Relative residual after iteration k as expected from those before, by quadratic convergence r_k = C r_{k-1}².
double Newton::predicted_residual(std::size_t k) const {
  const double before = history_[k - 1];
  if (k < 2)
    return before * before;                     // C = 1: relative residuals of a well scaled system
  const double rate = before / history_[k - 2]; // C from the two residuals before
  return before * rate * rate;
}

SNESConvergedReason Newton::judge(PetscInt iteration) {
  const ClassNorms& norm = assembler_.residual_norms();
  if (iteration == 0) { // the floor is not known yet
    first_norms_ = norm;
    last_excess_ = divergence;
    return SNES_CONVERGED_ITERATING;
  }
  if (iteration == 1)
    history_.push_back(relative_norm(first_norms_));
  history_.push_back(relative_norm(norm));
  nearly_done_ = std::max(predicted_residual(history_.size()), history_.back() * history_.back()) <= eps;
  double excess = 0; // residual over what is wanted: at most 1 is converged
  bool within_band = true;
  for (std::size_t c = 0; c < row_classes; ++c) {
    const double floor = assembler_.floors()[c];
    const double target = std::max(floor, options_.tolerance * assembler_.magnitudes()[c]);
    if (norm[c] > 0)
      excess = std::max(excess, target > 0 ? norm[c] / target : divergence);
    within_band = within_band && norm[c] <= stall_band * floor;
  }
  const double previous = std::exchange(last_excess_, excess);
  const bool stalled = excess > stall_factor * previous;
  if (excess <= 1 && (options_.tolerance > 0 || stalled || excess <= negligible ||
                      predicted_residual(history_.size() - 1) <= negligible * eps))
    return SNES_CONVERGED_FNORM_ABS;
  if (within_band && stalled)
    return SNES_CONVERGED_SNORM_RELATIVE;
  if (!std::isfinite(history_.back()) || history_.back() > divergence)
    return SNES_DIVERGED_DTOL;
  return iteration >= options_.max_iterations ? SNES_DIVERGED_MAX_IT : SNES_CONVERGED_ITERATING;
}

std::string Newton::explain(SNESConvergedReason reason, PetscInt iterations) const {
  if (assembler_.non_finite())
    return "element '" + assembler_.non_finite()->name() + "' (" + assembler_.non_finite()->kind() +
           ") returned a value that is not finite";
  if (reason == SNES_DIVERGED_LINEAR_SOLVE || assembler_.beyond_bounds())
    return "the linear system is singular: over-constrained bodies, or a configuration where the joints lock";
  static const char* const units[] = {"N", "N m", "m"};
  std::size_t worst = 0;
  double ratio = -1;
  for (std::size_t c = 0; c < row_classes; ++c) {
    const double floor = std::max(assembler_.floors()[c], 1e-300);
    if (assembler_.residual_norms()[c] / floor > ratio) {
      ratio = assembler_.residual_norms()[c] / floor;
      worst = c;
    }
  }
  const double* f = nullptr;
  check(VecGetArrayRead(f_, &f));
  const std::string row = assembler_.worst_row(f);
  check(VecRestoreArrayRead(f_, &f));
  char text[160];
  std::snprintf(text, sizeof text, "Newton stopped after %d iterations, |R| = %.1e %s (rounding floor %.1e %s)",
                static_cast<int>(iterations), assembler_.residual_norms()[worst], units[worst],
                assembler_.floors()[worst], units[worst]);
  return std::string(text) + "\n  largest residual: " + row;
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

PetscErrorCode Newton::form_jacobian(SNES, Vec x, Mat, Mat, void* self) {
  auto& newton = *static_cast<Newton*>(self);
  PetscFunctionBegin;
  if (!newton.assembler_.has_tangent()) { // one more iteration than expected
    const double* x_array = nullptr;
    PetscCall(VecGetArrayRead(x, &x_array));
    newton.assembler_.evaluate(x_array, newton.unused_f_.data());
    PetscCall(VecRestoreArrayRead(x, &x_array));
  }
  try {
    newton.assembler_.fill_matrix(); // evaluated at the same x as the residual
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failure.what());
  }
  PetscFunctionReturn(0);
}

PetscErrorCode Newton::test_convergence(SNES, PetscInt it, PetscReal, PetscReal, PetscReal, SNESConvergedReason* reason,
                                        void* self) {
  *reason = static_cast<Newton*>(self)->judge(it);
  return 0;
}

} // namespace emmy
