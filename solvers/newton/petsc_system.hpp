#pragma once
/// Linear systems by a KSP of PETSc: LU by KLU, UMFPACK, MUMPS, PETSc itself or, as one more package, our own blocks,
/// or whatever the command line asks for.

#include "solvers/assembly/assembler.hpp"
#include "solvers/newton/findings.hpp"
#include "solvers/newton/linear_system.hpp"
#include "solvers/newton/newton_options.hpp"
#include "solvers/petsc/petsc.hpp"

namespace emmy {

/// How PETSc solves linear systems, in its own words.
struct LinearMethod {
  std::string ksp, pc;
  std::string package; ///< of the factors, if there are any

  /// "preonly/lu by klu"
  std::string text() const { return ksp + "/" + pc + (package.empty() ? "" : " by " + package); }
};

class PetscSystem final : public LinearSystem {
public:
  /// Solves with `ksp`, the residual and increments of `at` being its vectors.
  PetscSystem(Assembler& assembler, Findings& findings, KSP ksp, Iterate& at);

  /// Which factors are made, of the matrix with its proximal block: before options are read, and after.
  void choose(LinearSolver solver);
  void take_options();

  bool evaluate(Iterate& at, Factors factors, bool is_wild) override;
  bool solve(Iterate& at, Factors factors) override;
  bool solve_for(const double* b, double* x) override;
  bool is_direct() const override { return is_direct_; }
  bool has_residual() const override { return true; }
  KSPConvergedReason foreign_failure() const override { return is_direct_ ? KSP_CONVERGED_ITERATING : reason(); }

  KSP ksp() const { return ksp_; }
  LinearMethod method() const;
  /// Of the last solve, by whoever.
  KSPConvergedReason reason() const;
  /// The factors were found to be singular, which leaves some packages unusable: they are made anew.
  void start_again();

private:
  Assembler& assembler_;
  Findings& findings_;
  KSP ksp_;
  PetscVector f_, dx_;
  LinearSolver solver_ = LinearSolver::automatic;
  bool is_direct_ = true;
};

} // namespace emmy
