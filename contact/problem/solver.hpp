#pragma once
/// Solves a contact problem: islands apart, each by the first method of a ladder that gets there.

#include "contact/problem/contact_problem.hpp"

#include <memory>

namespace emmy::contact {

enum class ContactMethod { automatic, constraint_planes, semismooth, interior_point, gauss_seidel };

struct ContactSolverOptions {
  ContactMethod method = ContactMethod::automatic;
  bool fast = false;             ///< large islands by a few sweeps of Gauss-Seidel, with the books exact all the same
  double tolerance = 1e-8;       ///< of the residual, in units of the velocity scale, that is still called good
  long most_applications = 2000; ///< a budget for each island, counted so that runs repeat
};

class ContactSolver {
public:
  explicit ContactSolver(const ContactSolverOptions& options = {});
  ~ContactSolver();

  /// `r` is where to start from, and the result: the best that was found. Goes on below the tolerance to the floor of
  /// rounding where that costs little.
  SolveReport solve(const ContactProblem& problem, VectorRef r);

private:
  struct Work;
  ContactSolverOptions options_;
  std::unique_ptr<Work> work_;
};

} // namespace emmy::contact
