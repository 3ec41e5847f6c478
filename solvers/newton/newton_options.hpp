#pragma once
/// What Newton's method is told, and what it reports.

#include "solvers/batches/kernel_options.hpp"
#include "solvers/enforcement/strategy.hpp"
#include "solvers/remedy.hpp"

#include <string>
#include <vector>

namespace emmy {

/// `automatic` is our own block LU, and KLU in the same order if that fails.
enum class LinearSolver { automatic, block, petsc, klu, umfpack, mumps };

/// The proximal block: what makes dependent constraints solvable without changing the solution
/// (docs/theory/redundancy.md). Without scales there is none.
struct Proximal {
  VecX scales;                 ///< S of [S4], for each multiplier
  double epsilon = 1e-12;      ///< below the weakest mode of a mechanism, above rounding
  bool always = false;         ///< constraints are redundant everywhere; otherwise only where a step fails without it
  std::vector<bool> redundant; ///< multipliers of redundant joints, which are not unique
  std::vector<bool> left_out;  ///< multipliers that stay zero: their rows are met because others are
};

struct NewtonOptions {
  LinearSolver linear = LinearSolver::automatic;
  int max_iterations = 20;
  double tolerance = 0; ///< residual relative to its largest term; 0: down to the rounding floor
  Proximal proximal{};
  AugmentedLagrangianOptions augmented{};
  bool by_snes = false; ///< PETSc runs the iteration, judged by residuals
  /// What is found out in a step is kept with the state. Without that no step may depend on the ones before.
  bool remembers = true;
  KernelOptions kernels{};
};

struct NewtonReport {
  bool converged = false;
  int iterations = 0;
  std::string why;              ///< of a failure: what happened, how far it got, where
  bool rescued = false;         ///< solved only with more regularisation than usual: near a singular configuration
  int sweeps = 0;               ///< updates of the multipliers of augmented Lagrangians
  double violation = 0;         ///< what is left of their constraints, e of [A4]
  std::string warning;          ///< something that a person should know
  std::string topic;            ///< of a warning that comes again and again: told once a run
  Remedy remedy = Remedy::none; ///< of a failure
};

} // namespace emmy
