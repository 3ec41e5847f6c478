#pragma once
/// Position stabilisation, algorithm S: moves bodies that stay pressed into each other apart, after a step, by the
/// smallest displacement in the metric of their masses [R16]. Velocity-level contact alone would leave them where they
/// are. Momentum is kept; on islands that float free so is angular momentum [R19]; what it does to the energy is booked
/// [R21].

#include "contact/problem/solver.hpp"
#include "core/ledger.hpp"
#include "solvers/contact/contact_set.hpp"

namespace emmy {

class Stabiliser {
public:
  Stabiliser(const ContactFinder& finder, const contact::ContactSolverOptions& options);

  /// Corrects the positions of bodies at the end of a step that is finished, for the points of `pairs` that are deeper
  /// than `slop`, to half of it [R17]. `conservative` are the loads that have a potential. Enters the work done and, of
  /// bodies that touch the ground, the change of angular momentum.
  void correct(FreeStep& step, const std::vector<contact::SurfacePair>& pairs, double slop,
               const Wrenches& conservative, StepBooks& books);

private:
  bool find_points(const FreeStep& step, const std::vector<contact::SurfacePair>& pairs, double slop);
  void solve(const FreeStep& step, double slop);
  void move(FreeStep& step, const Wrenches& conservative, StepBooks& books);
  void restore_angular_momentum(FreeStep& step, std::size_t island, StepBooks& books);

  const ContactFinder& finder_;
  contact::ContactSolver solver_;
  contact::FreeCompliance compliance_;
  ContactSet set_;
  std::vector<contact::ContactPoint> near_;
  std::vector<FreeContact> points_;
  std::vector<Vec3> moved_;          ///< by body
  std::vector<std::size_t> members_; ///< of an island
  GrowingVector r_, pushed_;
  contact::ContactProblem problem_;
};

} // namespace emmy
