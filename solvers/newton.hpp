#pragma once
/// Newton's method on the assembled system, by PETSc's SNES, with linear solves by KSP/PC.
///
/// Stopping rule. The energy error of a step is residual times increment, so the residual is brought down to its
/// rounding floor, which the assembler knows from the size of the terms that cancel. At the floor, what is left of the
/// iteration error must be negligible too, as quadratic convergence predicts it: unlike rounding it has the same sign
/// in every step and would add up. An iteration that no longer makes progress within a narrow band above the floor has
/// converged as well; one that stalls higher up has failed.
///
/// Multipliers of augmented Lagrangians are found on the way: with every linear solve (merged [A22]), or in a loop
/// around Newton (nested [A4]), which is also what a step is left to where the merged form fails.

#include "solvers/assembler.hpp"

#include <limits>

namespace emmy {

enum class LinearSolver { automatic, petsc, klu, umfpack, mumps };

/// The proximal block: what makes dependent constraints solvable without changing the solution
/// (docs/theory/redundancy.md). Without scales there is none.
struct Proximal {
  VecX scales;                ///< S of [S4], for each multiplier
  double epsilon = 1e-12;     ///< below the weakest mode of a mechanism, above rounding
  bool always = false;        ///< constraints are redundant everywhere; otherwise only where a step fails without it
  std::vector<bool> cold;     ///< multipliers that start every step from zero
  std::vector<bool> left_out; ///< multipliers that stay zero: their rows are met because others are
};

struct NewtonOptions {
  LinearSolver linear = LinearSolver::automatic;
  int max_iterations = 20;
  double tolerance = 0; ///< residual relative to its largest term; 0: down to the rounding floor
  Proximal proximal{};
  AugmentedLagrangianOptions augmented{};
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  std::string why;      ///< of a failure: what happened, how far it got, where
  bool rescued = false; ///< solved only with more regularisation than usual: near a singular configuration
  int sweeps = 0;       ///< updates of the multipliers of augmented Lagrangians
  double violation = 0; ///< what is left of their constraints, e of [A4]
  std::string warning;  ///< of constraints that contradict one another
};

class Newton {
public:
  Newton(Assembler& assembler, const NewtonOptions& options);

  /// One step from `n`: the solution is in assembler.step() afterwards.
  NewtonReport solve(const State& n, double h);

  /// How linear systems are solved: "preonly/lu by petsc".
  std::string factorisation() const;
  /// True once `automatic` had to give up the factorisation without pivoting.
  bool fell_back() const { return pivoting_ && may_pivot_; }

  /// Residual before the first and after each iteration of the last solve, relative to its largest terms: shows
  /// quadratic convergence.
  const std::vector<double>& history() const { return history_; }

private:
  static PetscErrorCode form_function(SNES, Vec x, Vec f, void* self);
  static PetscErrorCode form_jacobian(SNES, Vec x, Mat, Mat, void* self);
  static PetscErrorCode test_convergence(SNES, PetscInt it, PetscReal, PetscReal, PetscReal, SNESConvergedReason*,
                                         void* self);
  SNESConvergedReason judge(PetscInt iteration);
  bool accept_foreign();
  double wanted() const; ///< relative residual
  double predicted_residual(std::size_t k) const;
  NewtonReport attempt(const State& n, double h);
  NewtonReport solve_by_snes();
  NewtonReport solve_merged();
  NewtonReport solve_nested();
  bool evaluate(bool tangent);
  bool solve_linear();
  struct Standstill {                                           ///< of an iteration of the merged form
    double error = std::numeric_limits<double>::infinity();     ///< of joints
    double equations = std::numeric_limits<double>::infinity(); ///< relative residual of all others
  };
  bool is_contradiction(const Standstill& before, const Standstill& now, double moved) const;
  void search_by_halving();
  static PetscErrorCode halve(SNESLineSearch search, void* self);
  std::string explain(SNESConvergedReason reason, PetscInt iterations) const;
  void use_factorisation(bool pivoting, double epsilon);

  Assembler& assembler_;
  NewtonOptions options_;
  PetscVector x_, f_, dx_;
  VecX unused_f_; ///< residual of an evaluation that only the tangent is wanted of
  PetscNewton snes_;
  double base_epsilon_ = 0;                   ///< of the proximal block in ordinary steps
  bool pivoting_ = false, may_pivot_ = false; ///< `automatic` may change to a factorisation that pivots
  bool converged_ = false;                    ///< by our own judgement
  double last_excess_ = 0;                    ///< residual over target after the previous iteration
  double enough_ = 0;                         ///< change of x at which the loop around Newton needs no more of it
  bool nearly_done_ = false; ///< the next residual is expected to be the last: its tangent would be for nothing
  bool contradiction_told_ = false;
  std::vector<double> history_;
};

} // namespace emmy
