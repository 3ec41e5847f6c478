#pragma once
/// Newton's method as PETSc's SNES runs it: on request, where forces are switched on and off, and where a tolerance is
/// given. Residuals are judged by ResidualTest. Its KSP also serves iterations that SNES does not run.

#include "solvers/newton/petsc_system.hpp"
#include "solvers/newton/residual_test.hpp"
#include "solvers/petsc/petsc_options.hpp"

namespace emmy {

class SnesAdapter {
public:
  SnesAdapter(Assembler& assembler, ResidualTest& test, Findings& findings, Iterate& at, int max_iterations,
              const PetscWishes& wishes);

  /// Which factors are made from now on; the command line wins.
  void choose(LinearSolver solver);

  struct Outcome {
    bool converged = false;
    SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
    int iterations = 0;
    bool linear_failed = false;
  };
  /// From x to the solution. An iterate that moves by less than `enough` is good enough, if that is positive.
  Outcome solve(double enough = 0);

  PetscSystem& system() { return system_; }
  const PetscSystem& system() const { return system_; }

private:
  static PetscErrorCode form_function(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode form_jacobian(SNES, Vec x, Mat, Mat, void* self);
  static PetscErrorCode test_convergence(SNES, PetscInt it, PetscReal, PetscReal, PetscReal, SNESConvergedReason*,
                                         void* self);
  static PetscErrorCode halve(SNESLineSearch search, void* self);
  static PetscNewton create();
  KSP ksp() const;
  bool evaluate_at(const double* x, bool tangent);
  bool accept_foreign();

  Assembler& assembler_;
  ResidualTest& test_;
  Iterate& at_;
  PetscVector x_, f_;
  VecX scratch_;
  PetscNewton snes_;
  PetscSystem system_;
  double enough_ = 0;
};

} // namespace emmy
