#pragma once
/// Impulses at the contacts of free bodies in one step. A law links every impulse with the relative velocity in the
/// mean of the step, which follows from the impulses by the flights of the bodies. For given momenta these are not
/// linear, so linear problems are solved one after the other, each with what the exact flights left [R2].

#include "contact/problem/solver.hpp"
#include "solvers/contact/targets.hpp"

namespace emmy {

struct ImpulseReport {
  bool is_flown = true;  ///< false: a body turned too far in the step
  double residual = 0;   ///< of the laws at the exact velocities, relative to the velocity scale
  std::size_t worst = 0; ///< contact where it is
  int passes = 0;        ///< linear problems that were solved
  contact::SolveGrade grade = contact::SolveGrade::converged;
};

class ImpulseSolve {
public:
  ImpulseSolve(const ContactFinder& finder, const contact::ContactSolverOptions& options);

  /// Finds the impulses of all contacts, starting from those that they have, and flies the bodies with them.
  /// `least_speed` is a velocity that does not matter, for residuals of contacts at rest [R3].
  ImpulseReport solve(FreeStep& step, std::vector<FreeContact>& contacts, double least_speed);

  /// Bodies that the contacts of the last solve touch.
  const std::vector<std::size_t>& bodies() const { return set_.bodies(); }

private:
  bool push(FreeStep& step);
  /// Flies the bodies with the impulses r_ and finds the velocities at contacts.
  bool fly(FreeStep& step, std::vector<FreeContact>& contacts);
  /// Residual of the laws at the exact velocities [m/s].
  double residual(const std::vector<FreeContact>& contacts, std::size_t& worst) const;

  const ContactFinder& finder_;
  contact::ContactSolver solver_;
  contact::FreeCompliance compliance_;
  Targets targets_;
  ContactSet set_;
  GrowingVector r_, best_, s_, u_; ///< impulses, targets, velocities less targets
  GrowingVector pushed_;           ///< impulse and moment on every body
  contact::ContactProblem problem_;
};

} // namespace emmy
