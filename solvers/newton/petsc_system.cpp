#include "solvers/newton/petsc_system.hpp"

#include "solvers/linear/block_mat_solver.hpp"
#include "solvers/petsc/log_events.hpp"
#include "solvers/petsc/petsc_options.hpp"

namespace emmy {

namespace {

/// Relative error of solvers which pivot.
constexpr double pivoted_solve = 1e-12;

/// Whose factors. All take the equations in our order of elimination; PETSc's own LU too, which an option that is about
/// LU and names no package asks for.
const char* package_of(LinearSolver solver) {
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
  case LinearSolver::block:
    break;
  }
  return has_petsc_option("-pc_type lu") || has_petsc_option("-pc_factor_") ? MATSOLVERPETSC : block_solver_name;
}

/// True if linear systems are solved by factors, with the refinement that the proximal block wants.
bool is_direct(const LinearMethod& method) {
  return (method.ksp == KSPPREONLY || method.ksp == KSPRICHARDSON) && method.pc == PCLU;
}

/// Equations come scaled [S1]: what MUMPS makes of them otherwise is less accurate near singular configurations. To be
/// called once the operators are known; the command line still wins.
void leave_scales_to_us(PC pc) {
  constexpr PetscInt scaling = 8;
  Mat factors = nullptr;
  check(PCFactorSetUpMatSolverType(pc));
  check(PCFactorGetMatrix(pc, &factors));
  check(MatMumpsSetIcntl(factors, scaling, 0));
}

} // namespace

PetscSystem::PetscSystem(Assembler& assembler, Findings& findings, KSP ksp, Iterate& at)
    : assembler_(assembler), findings_(findings), ksp_(ksp) {
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(at.size), at.f.data(), f_.out()));
  check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(at.size), at.dx.data(), dx_.out()));
}

void PetscSystem::choose(LinearSolver solver) {
  solver_ = solver;
  if (assembler_.epsilon() > 0) {
    // x <- x + A_epsilon^-1 (b - A x), one refinement: a mode of relative stiffness sigma is off by
    // (epsilon / (epsilon + sigma))² [S5].
    check(KSPSetType(ksp_, KSPRICHARDSON));
    check(KSPSetNormType(ksp_, KSP_NORM_NONE));
    check(KSPSetTolerances(ksp_, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 2));
  } else {
    check(KSPSetType(ksp_, KSPPREONLY));
  }
  PC pc = nullptr;
  check(KSPGetPC(ksp_, &pc));
  check(PCReset(pc));
  check(PCSetType(pc, PCLU));
  check(PCFactorSetMatSolverType(pc, package_of(solver)));
  check(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL)); // the numbering is the ordering
  // A pivot counts as zero only when it vanishes: small ones are natural where bodies are small against a metre, and
  // the residual tells when they spoil the solution.
  check(PCFactorSetZeroPivot(pc, 1e-200));
}

void PetscSystem::take_options() {
  check(KSPSetOperators(ksp_, assembler_.matrix(), assembler_.factorised()));
  const LinearMethod chosen = method();
  if (chosen.package == MATSOLVERMUMPS) {
    PC pc = nullptr;
    check(KSPGetPC(ksp_, &pc));
    leave_scales_to_us(pc);
  }
  is_direct_ = emmy::is_direct(chosen);
}

void PetscSystem::start_again() {
  choose(solver_);
  check(KSPSetFromOptions(ksp_));
  take_options();
}

LinearMethod PetscSystem::method() const {
  PC pc = nullptr;
  KSPType ksp_type = nullptr;
  PCType pc_type = nullptr;
  MatSolverType package = nullptr;
  check(KSPGetPC(ksp_, &pc));
  check(KSPGetType(ksp_, &ksp_type));
  check(PCGetType(pc, &pc_type));
  if (std::string(pc_type) == PCLU)
    check(PCFactorGetMatSolverType(pc, &package));
  return {ksp_type, pc_type, package != nullptr ? package : ""};
}

KSPConvergedReason PetscSystem::reason() const {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check(KSPGetConvergedReason(ksp_, &reason));
  return reason;
}

bool PetscSystem::evaluate(Iterate& at, Factors factors, bool) {
  return assembler_.evaluate(at.x.data(), at.f.data(), factors != Factors::kept);
}

bool PetscSystem::solve(Iterate&, Factors factors) {
  const bool keeps = factors == Factors::kept;
  if (!keeps) {
    const LogSpan span(LogEvent::assemble);
    assembler_.fill_matrix();
    findings_.linear_error = is_direct_ && assembler_.epsilon() == 0 ? pivoted_solve : 1;
  }
  const LogSpan span(keeps ? LogEvent::solve : LogEvent::factorise); // which includes a first solve
  check(KSPSetOperators(ksp_, assembler_.matrix(), assembler_.factorised()));
  check(KSPSetReusePreconditioner(ksp_, keeps ? PETSC_TRUE : PETSC_FALSE));
  double* f = nullptr; // PETSc remembers norms of vectors that it has not seen change, and shows them or goes by them
  check(VecGetArray(f_, &f));
  check(VecRestoreArray(f_, &f));
  ++findings_.solves;
  const PetscErrorCode code = KSPSolve(ksp_, f_, dx_);
  if (code == PETSC_ERR_LIB) { // how KLU and others report a singular matrix
    start_again();
    return false;
  }
  check(code);
  return reason() > 0;
}

bool PetscSystem::solve_for(const double* b, double* x) {
  const LogSpan span(LogEvent::solve);
  check(KSPSetReusePreconditioner(ksp_, PETSC_TRUE));
  check(VecPlaceArray(f_, b));
  check(VecPlaceArray(dx_, x));
  const PetscErrorCode code = KSPSolve(ksp_, f_, dx_);
  check(VecResetArray(f_));
  check(VecResetArray(dx_));
  if (code == PETSC_ERR_LIB) {
    start_again();
    return false;
  }
  check(code);
  return reason() > 0;
}

} // namespace emmy
