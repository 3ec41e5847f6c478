#pragma once
/// Serves options of PETSc that only look (-snes_monitor, -ksp_view, -snes_test_jacobian, ...) where emmy's own
/// iteration runs, which is no SNES, or its own block LU, which is no KSP. It shows PETSc what was computed, in objects
/// that solve nothing. Evaluations for it come before those of the iteration at the same point, or after the linear
/// solve, so that nothing of it is seen by the iteration: looking does not change a bit.

#include "solvers/assembly/assembler.hpp"

namespace emmy {

class Spectator {
public:
  Spectator(Assembler& assembler, int max_iterations);

  /// Before the evaluation of iteration `number`, from 0, at x.
  void see_iterate(int number, const double* x);
  /// After our own factors gave dx, the solution of the system at x.
  void see_solution(const double* x, const double* dx);
  /// After the last iteration. `ksp` solved linear systems if our own factors did not.
  void see_end(const double* x, int iterations, bool converged, KSP ksp);

private:
  static PetscErrorCode form_function(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode form_jacobian(SNES, Vec x, Mat, Mat, void* self);
  void take(const double* numbers, Vec vector) const;
  void view(KSP ksp) const;

  Assembler& assembler_;
  int max_iterations_;
  int seen_ = 0; ///< the last iterate
  VecX scratch_;
  PetscVector x_, f_, dx_, shown_;
  PetscNewton snes_;
  bool tests_jacobian_ = false, sees_solutions_ = false, stands_in_ = false;
};

} // namespace emmy
