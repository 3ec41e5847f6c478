#include "solvers/newton/spectator.hpp"

#include "solvers/linear/block_mat_solver.hpp"
#include "solvers/petsc/petsc_options.hpp"

#include <algorithm>

namespace emmy {

Spectator::Spectator(Assembler& assembler, int max_iterations)
    : assembler_(assembler), max_iterations_(max_iterations), scratch_(assembler.size()),
      tests_jacobian_(has_petsc_option("-snes_test_jacobian")),
      sees_solutions_(has_petsc_option("-ksp_") || has_petsc_option("-mat_view") || has_petsc_option("-snes_view")) {
  const auto size = static_cast<PetscInt>(assembler.size());
  for (PetscVector* vector : {&x_, &f_, &dx_, &shown_})
    check(VecCreateSeq(PETSC_COMM_SELF, size, vector->out()));
  check(SNESCreate(PETSC_COMM_SELF, snes_.out()));
  check(SNESSetFunction(snes_, f_, form_function, this));
  check(SNESSetSolution(snes_, x_));
  if (tests_jacobian_ || sees_solutions_)
    check(SNESSetJacobian(snes_, assembler.matrix(), assembler.matrix(), form_jacobian, this));
  KSP ksp = nullptr;
  PC pc = nullptr;
  check(SNESGetKSP(snes_, &ksp));
  check(KSPSetType(ksp, KSPPREONLY));
  check(KSPGetPC(ksp, &pc));
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, block_solver_name));
  check(SNESSetFromOptions(snes_));
  if (tests_jacobian_)
    check(SNESSetUp(snes_));
}

/// Through PETSc, which remembers norms of vectors that it has not seen change.
void Spectator::take(const double* numbers, Vec vector) const {
  double* to = nullptr;
  check(VecGetArrayWrite(vector, &to));
  std::copy_n(numbers, assembler_.size(), to);
  check(VecRestoreArrayWrite(vector, &to));
}

void Spectator::see_iterate(int number, const double* x) {
  PetscReal norm = 0;
  seen_ = number;
  take(x, x_);
  check(SNESSetIterationNumber(snes_, number));
  check(SNESComputeFunction(snes_, x_, f_));
  check(VecNorm(f_, NORM_2, &norm));
  check(SNESMonitor(snes_, number, norm));
  if (tests_jacobian_)
    check(SNESComputeJacobian(snes_, x_, assembler_.matrix(), assembler_.matrix()));
}

void Spectator::see_solution(const double* x, const double* dx) {
  if (!sees_solutions_)
    return;
  KSP ksp = nullptr;
  take(x, x_);
  take(dx, dx_);
  check(SNESComputeFunction(snes_, x_, f_));
  check(form_jacobian(snes_, x_, assembler_.matrix(), assembler_.matrix(), this));
  check(SNESGetKSP(snes_, &ksp));
  check(KSPSetOperators(ksp, assembler_.matrix(), assembler_.matrix()));
  if (!stands_in_) {
    PC pc = nullptr;
    Mat factors = nullptr;
    check(KSPGetPC(ksp, &pc));
    check(PCFactorSetUpMatSolverType(pc));
    check(PCFactorGetMatrix(pc, &factors));
    let_hand_out(factors, dx_);
    stands_in_ = true;
  }
  check(KSPSolve(ksp, f_, shown_));
}

void Spectator::see_end(const double* x, int iterations, bool converged, KSP ksp) {
  if (converged && seen_ < iterations)
    see_iterate(iterations, x);
  check(SNESSetIterationNumber(snes_, iterations));
  check(SNESSetConvergedReason(snes_, converged ? SNES_CONVERGED_SNORM_RELATIVE : SNES_DIVERGED_MAX_IT));
  check(SNESConvergedReasonViewFromOptions(snes_));
  KSP own = nullptr;
  check(SNESGetKSP(snes_, &own));
  view(ksp != nullptr ? ksp : own);
}

void Spectator::view(KSP ksp) const {
  PetscViewer viewer = nullptr;
  PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
  PetscBool wanted = PETSC_FALSE;
  check(PetscOptionsGetViewer(PETSC_COMM_SELF, nullptr, nullptr, "-snes_view", &viewer, &format, &wanted));
  if (wanted == PETSC_FALSE)
    return;
  check(PetscViewerPushFormat(viewer, format));
  check(PetscViewerASCIIPrintf(viewer,
                               "SNES Object: 1 MPI process\n"
                               "  type: emmy, Newton's method that goes by increments\n"
                               "  maximum iterations=%d\n",
                               max_iterations_));
  check(PetscViewerASCIIPushTab(viewer));
  check(KSPView(ksp, viewer));
  check(PetscViewerASCIIPopTab(viewer));
  check(PetscViewerPopFormat(viewer));
  check(PetscViewerDestroy(&viewer));
}

PetscErrorCode Spectator::form_function(SNES snes, Vec x, Vec f, void* self) {
  auto& assembler = static_cast<Spectator*>(self)->assembler_;
  const double* x_array = nullptr;
  double* f_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  PetscCall(VecGetArray(f, &f_array));
  const bool finite = assembler.evaluate_closely(x_array, f_array, false);
  PetscCall(VecRestoreArray(f, &f_array));
  PetscCall(VecRestoreArrayRead(x, &x_array));
  if (!finite)
    PetscCall(SNESSetFunctionDomainError(snes));
  PetscFunctionReturn(0);
}

PetscErrorCode Spectator::form_jacobian(SNES, Vec x, Mat, Mat, void* self) {
  auto& spectator = *static_cast<Spectator*>(self);
  const double* x_array = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &x_array));
  spectator.assembler_.evaluate_closely(x_array, spectator.scratch_.data(), true);
  PetscCall(VecRestoreArrayRead(x, &x_array));
  try { // no exception may pass through PETSc
    spectator.assembler_.fill_matrix();
  } catch (const std::exception& failure) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failure.what());
  }
  PetscFunctionReturn(0);
}

} // namespace emmy
