#include "solvers/newton/snes_adapter.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace emmy {

namespace {

/// Relative residual at which the solution of another method of SNES is accepted.
constexpr double foreign_tolerance = 1e-8;
/// How often a correction may be halved.
constexpr int most_halvings = 12;

} // namespace

SnesAdapter::SnesAdapter(Assembler& assembler, ResidualTest& test, Findings& findings, Iterate& at, int max_iterations,
                         const PetscWishes& wishes)
    : assembler_(assembler), test_(test), at_(at), scratch_(at.size), snes_(create()),
      system_(assembler, findings, ksp(), at) {
  const auto size = static_cast<PetscInt>(at.size);
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, at.x.data(), x_.out()));
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, at.f.data(), f_.out()));
  if (wishes.newton)
    assembler_.fill_matrix(); // differences are coloured by its structure
  check(SNESSetType(snes_, SNESNEWTONLS));
  check(SNESSetFunction(snes_, f_, form_function, this));
  check(SNESSetConvergenceTest(snes_, test_convergence, this, nullptr));
  // Our own test ends the iteration, and says why: one iteration more than wanted, and a line search that fails at a
  // small increment is no convergence.
  check(SNESSetTolerances(snes_, PETSC_DEFAULT, PETSC_DEFAULT, 0, max_iterations + 1, PETSC_MAX_INT));
  SNESLineSearch search = nullptr;
  check(SNESGetLineSearch(snes_, &search));
  check(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
  if (assembler_.constraints().switches()) {
    check(SNESLineSearchSetType(search, SNESLINESEARCHSHELL));
    check(SNESLineSearchShellSetUserFunc(search, halve, this));
  }
  // Our test has norms of its own; a monitor may want PETSc's.
  check(SNESLineSearchSetComputeNorms(search, wishes.newton || wishes.looks ? PETSC_TRUE : PETSC_FALSE));
}

PetscNewton SnesAdapter::create() {
  PetscNewton snes;
  check(SNESCreate(PETSC_COMM_SELF, snes.out()));
  return snes;
}

KSP SnesAdapter::ksp() const {
  KSP ksp = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  return ksp;
}

void SnesAdapter::choose(LinearSolver solver) {
  check(SNESSetJacobian(snes_, assembler_.matrix(), assembler_.factorised(), form_jacobian, this));
  system_.choose(solver);
  check(SNESSetFromOptions(snes_)); // last, so the command line wins
  system_.take_options();
}

SnesAdapter::Outcome SnesAdapter::solve(double enough) {
  enough_ = enough;
  Outcome outcome;
  const PetscErrorCode code = SNESSolve(snes_, nullptr, x_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    system_.start_again();
    outcome.reason = SNES_DIVERGED_LINEAR_SOLVE;
    outcome.linear_failed = true;
    return outcome;
  }
  check(code);
  PetscInt iterations = 0;
  check(SNESGetConvergedReason(snes_, &outcome.reason));
  check(SNESGetIterationNumber(snes_, &iterations));
  outcome.iterations = static_cast<int>(iterations);
  outcome.converged = outcome.reason > 0 && (test_.is_converged() || accept_foreign());
  outcome.linear_failed = outcome.reason == SNES_DIVERGED_LINEAR_SOLVE || assembler_.beyond_bounds();
  return outcome;
}

/// Other methods of SNES, chosen on the command line, have tests of their own and may not have evaluated the residual
/// at their solution; it is done here, so that the step is that solution, and it must be one.
bool SnesAdapter::accept_foreign() {
  if (!assembler_.evaluate(at_.x.data(), at_.f.data()))
    return false;
  assembler_.measure_magnitudes();
  return assembler_.gauge().relative(assembler_.balance()) <= std::max(test_.wanted(), foreign_tolerance);
}

/// PETSc evaluates at points that are no iterates, too: trials of a line search, or differences.
bool SnesAdapter::evaluate_at(const double* x, bool tangent) {
  return (assembler_.is_at(x) && (assembler_.has_tangent() || !tangent)) ||
         assembler_.evaluate_closely(x, scratch_.data(), tangent);
}

// --- what PETSc calls. It is C: no exception may pass through it; the assembler throws only if a PETSc call fails.

PetscErrorCode SnesAdapter::form_function(SNES snes, Vec x, Vec f, void* self) {
  auto& adapter = *static_cast<SnesAdapter*>(self);
  const double* x_array = nullptr;
  double* f_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  PetscCall(VecGetArray(f, &f_array));
  const bool finite = adapter.assembler_.evaluate_closely(x_array, f_array, !adapter.test_.is_nearly_done());
  PetscCall(VecRestoreArray(f, &f_array));
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetFunctionDomainError(snes));
  PetscFunctionReturn(0);
}

PetscErrorCode SnesAdapter::form_jacobian(SNES snes, Vec x, Mat operators, Mat factorised, void* self) {
  auto& adapter = *static_cast<SnesAdapter*>(self);
  const double* x_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  const bool finite = adapter.evaluate_at(x_array, true);
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetJacobianDomainError(snes));
  try {
    adapter.assembler_.fill_matrix();
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failure.what());
  }
  if (operators != factorised) { // products by differences take their base from here
    PetscCall(MatAssemblyBegin(operators, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(operators, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode SnesAdapter::test_convergence(SNES snes, PetscInt it, PetscReal, PetscReal, PetscReal,
                                             SNESConvergedReason* reason, void* self) {
  auto& adapter = *static_cast<SnesAdapter*>(self);
  Vec x = nullptr;
  const double* x_array = nullptr;
  PetscFunctionBegin;
  PetscCall(SNESGetSolution(snes, &x));
  PetscCall(VecGetArrayRead(x, &x_array));
  const bool finite = adapter.evaluate_at(x_array, false);
  PetscCall(VecRestoreArrayRead(x, &x_array));
  *reason = finite ? adapter.test_.judge(it) : SNES_DIVERGED_FUNCTION_DOMAIN;
  if (it > 0 && adapter.enough_ > 0 && *reason == SNES_CONVERGED_ITERATING) {
    Vec update = nullptr;
    PetscReal moved = 0;
    PetscCall(SNESGetSolutionUpdate(snes, &update));
    PetscCall(VecNorm(update, NORM_INFINITY, &moved));
    if (moved < adapter.enough_) {
      adapter.test_.accept();
      *reason = SNES_CONVERGED_SNORM_RELATIVE;
    }
  }
  PetscFunctionReturn(0);
}

/// Halves the step until the residual decreases: where forces are switched on and off, a full step may lead from one
/// side to the other for ever.
PetscErrorCode SnesAdapter::halve(SNESLineSearch search, void* self) {
  auto& adapter = *static_cast<SnesAdapter*>(self);
  Assembler& assembler = adapter.assembler_;
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
    if (!assembler.gauge().measured())
      assembler.measure_magnitudes();
    if (assembler.gauge().relative(assembler.balance()) <= adapter.test_.wanted()) // at the floor
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
  adapter.test_.note_shortened(length < 1);
  PetscCall(VecCopy(trial, x));
  PetscCall(SNESLineSearchSetReason(search, SNES_LINESEARCH_SUCCEEDED));
  PetscFunctionReturn(0);
}

} // namespace emmy
