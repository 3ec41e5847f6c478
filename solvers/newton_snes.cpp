// The part of Newton that PETSc's SNES runs.
#include "solvers/newton.hpp"

#include <algorithm>
#include <exception>

namespace emmy {

namespace {

/// Relative residual at which the solution of another method of SNES is accepted.
constexpr double foreign_tolerance = 1e-8;

} // namespace

/// Only where it is used: its matrices take as much memory as our own.
void Newton::create_snes() {
  const auto size = static_cast<PetscInt>(assembler_.size());
  const auto wrap = [&](VecX& numbers, PetscVector& vector) {
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, numbers.data(), vector.out()));
  };
  wrap(x_, x_vec_);
  wrap(f_, f_vec_);
  wrap(dx_, dx_vec_);
  if (wishes_.newton)
    assembler_.fill_matrix(); // differences are coloured by its structure
  check(SNESCreate(PETSC_COMM_SELF, snes_.out()));
  check(SNESSetType(snes_, SNESNEWTONLS));
  check(SNESSetFunction(snes_, f_vec_, form_function, this));
  check(SNESSetConvergenceTest(snes_, test_convergence, this, nullptr));
  // Our own test ends the iteration, and says why: one iteration more than wanted, and a line search that fails at a
  // small increment is no convergence.
  check(SNESSetTolerances(snes_, PETSC_DEFAULT, PETSC_DEFAULT, 0, options_.max_iterations + 1, PETSC_MAX_INT));
  SNESLineSearch line_search = nullptr;
  check(SNESGetLineSearch(snes_, &line_search));
  check(SNESLineSearchSetType(line_search, SNESLINESEARCHBASIC));
  if (assembler_.constraints().switches())
    search_by_halving();
  // Our test has norms of its own; a monitor may want PETSc's.
  check(SNESLineSearchSetComputeNorms(line_search, wishes_.newton || wishes_.looks ? PETSC_TRUE : PETSC_FALSE));
}

NewtonReport Newton::solve_by_snes() {
  const PetscErrorCode code = SNESSolve(snes_, nullptr, x_vec_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    use_factorisation(pivoting_, assembler_.epsilon());
    NewtonReport singular;
    linear_failed_ = true;
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
  linear_failed_ = reason == SNES_DIVERGED_LINEAR_SOLVE || assembler_.beyond_bounds();
  KSP ksp = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  check(KSPGetConvergedReason(ksp, &ksp_reason_));
  if (!report.converged)
    report.why = explain(reason, iterations);
  return report;
}

/// Other methods of SNES, chosen on the command line, have tests of their own and may not have evaluated the residual
/// at their solution; it is done here, so that the step is that solution, and it must be one.
bool Newton::accept_foreign() {
  if (!assembler_.evaluate(x_.data(), f_.data()))
    return false;
  assembler_.measure_magnitudes();
  return assembler_.gauge().relative(assembler_.balance()) <= std::max(wanted(), foreign_tolerance);
}

PetscErrorCode Newton::form_function(SNES snes, Vec x, Vec f, void* self) {
  // PETSc is C: no exception may pass through it. The assembler throws only if a PETSc call fails.
  auto& newton = *static_cast<Newton*>(self);
  const double* x_array = nullptr;
  double* f_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  PetscCall(VecGetArray(f, &f_array));
  const bool finite = newton.assembler_.evaluate_closely(x_array, f_array, !newton.nearly_done_);
  PetscCall(VecRestoreArray(f, &f_array));
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetFunctionDomainError(snes));
  PetscFunctionReturn(0);
}

/// PETSc evaluates at points that are no iterates, too: trials of a line search, or differences.
bool Newton::evaluate_at(const double* x, bool tangent) {
  return (assembler_.is_at(x) && (assembler_.has_tangent() || !tangent)) ||
         assembler_.evaluate_closely(x, scratch_.data(), tangent);
}

PetscErrorCode Newton::form_jacobian(SNES snes, Vec x, Mat operators, Mat factorised, void* self) {
  auto& newton = *static_cast<Newton*>(self);
  const double* x_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  const bool finite = newton.evaluate_at(x_array, true);
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetJacobianDomainError(snes));
  try {
    newton.assembler_.fill_matrix();
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failure.what());
  }
  if (operators != factorised) { // products by differences take their base from here
    PetscCall(MatAssemblyBegin(operators, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(operators, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode Newton::test_convergence(SNES snes, PetscInt it, PetscReal, PetscReal, PetscReal,
                                        SNESConvergedReason* reason, void* self) {
  auto& newton = *static_cast<Newton*>(self);
  Vec x = nullptr;
  const double* x_array = nullptr;
  PetscFunctionBegin;
  PetscCall(SNESGetSolution(snes, &x));
  PetscCall(VecGetArrayRead(x, &x_array));
  const bool finite = newton.evaluate_at(x_array, false);
  PetscCall(VecRestoreArrayRead(x, &x_array));
  *reason = finite ? newton.judge(it) : SNES_DIVERGED_FUNCTION_DOMAIN;
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
