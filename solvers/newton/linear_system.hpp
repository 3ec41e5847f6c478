#pragma once
/// The linear systems of Newton's method: how equations are evaluated, and increments found from them.

#include "core/types.hpp"
#include "solvers/petsc/petsc.hpp"

namespace emmy {

/// Where an iteration is: the unknowns x, the residual f there, and the increments dx that were found, x <- x - dx. All
/// have room behind their ends, for kernels.
struct Iterate {
  explicit Iterate(Index rows, Index room) : size(rows), x(VecX::Zero(rows + room)), f(x), dx(x) {}

  Index size;
  VecX x, f, dx;

  bool is_finite() const { return dx.head(size).allFinite(); }
  void advance() { x.head(size) -= dx.head(size); }
};

/// Which factors a solve goes by.
enum class Factors {
  first,   ///< new ones, of the start values of a step
  renewed, ///< new ones, of a later iterate
  kept     ///< those of the iterate before
};

class LinearSystem {
public:
  virtual ~LinearSystem() = default;

  /// Residual at x, with the tangent unless factors are kept, in the form that solve() wants; a whole matrix where
  /// `is_wild` says that x may make no sense. False if something was not finite.
  virtual bool evaluate(Iterate& at, Factors factors, bool is_wild) = 0;
  /// dx after evaluate(), or after Assembler::evaluate(); false if the system is singular.
  virtual bool solve(Iterate& at, Factors factors) = 0;
  /// x for any right side b of the whole system, with the factors of the last solve(), whether or not these are of all
  /// of it. Both have room behind their ends. False if there is no solution.
  virtual bool solve_for(const double* b, double* x) = 0;

  /// True if solutions come from factors, so that small increments are small errors.
  virtual bool is_direct() const = 0;
  /// True if the residual of the last evaluation is known in every row.
  virtual bool has_residual() const = 0;
  /// Why a solver that iterates did not converge; not negative if it did, or if there are factors.
  virtual KSPConvergedReason foreign_failure() const { return KSP_CONVERGED_ITERATING; }
  /// True if PETSc does not see it solve, so that somebody else has to show what is found.
  virtual bool is_own() const { return false; }
  /// What the last solve with new factors left of the increments of a part of the model, if it was found out with
  /// them; null if only Findings::linear_error is known.
  virtual const double* unsolved() const { return nullptr; }
};

} // namespace emmy
