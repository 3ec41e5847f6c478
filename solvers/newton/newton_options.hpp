#pragma once
/// What Newton's method is told.

#include "solvers/batches/kernel_options.hpp"
#include "solvers/enforcement/strategy.hpp"

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

} // namespace emmy
