#pragma once
/// Mechanisms that the benchmarks run, and emmy's models of them. Bodies start from rest unless it says otherwise.

#include "solvers/analysis/constraint_analysis.hpp"
#include "verification/benchmarks/mechanism.hpp"

#include <memory>

namespace emmy::benchmark {

/// N boxes that tumble freely, without weight, about changing axes.
Mechanism free_bodies(int N);

/// N boxes, one hanging from the other by spherical joints, the first one from a fixed point: inclined by pi/4 in the
/// upper half and 3 pi/4 in the lower, all turned by pi/4 about y.
Mechanism chain(int N);

/// The same boxes on hinges about x, in the plane across it.
Mechanism revolute_chain(int N);

/// chain(N) with a spring beside every joint, from box to box.
Mechanism spring_chain(int N);

/// chain(N) of director bodies, and of rigid tetrahedra of springs.
Mechanism director_chain(int N);
Mechanism spring_tetra_chain(int N);

/// N boxes that hang from one another by bushings alone: no multipliers.
Mechanism bushing_chain(int N);

/// `chains` hanging chains of `length` boxes side by side, every box tied to its neighbours in the next chains by
/// springs.
Mechanism tied_chains(int chains, int length);

/// Binary tree: two boxes hang from the lower end of each.
Mechanism tree(int N);

/// A hub that hangs from a fixed point, with N - 1 arms on a circle.
Mechanism star(int N);

/// Two hubs, the upper one hanging from a fixed point, with `limbs` limbs of two boxes from one to the other.
Mechanism cage(int limbs);

/// A closed polygon of N boxes that hangs from one corner.
Mechanism ring(int N);

/// A net of rods, rows x columns knots, that hangs from one corner; two rows are a ladder.
Mechanism net(int rows, int columns);

/// N windows of uniform slender rods, 1 m and 1 kg: N + 1 uprights on hinges at (i, 0, 0), N couplers between their
/// tops, every hinge a full one about z. Weight along -y; it starts upright with the tops moving at 1 m/s along +x,
/// crosses singular positions, and 3 N of its rows are redundant (docs/theory/redundancy.md).
Mechanism four_bar(int windows);

/// Centres of four_bar(windows) at time t [s], all bars parallel: a pendulum, integrated to rounding.
std::vector<Vec3> four_bar_centres(int windows, double t);

/// emmy's model of a mechanism, with the state it starts from.
struct Problem {
  explicit Problem(Mechanism of);

  Mechanism mechanism;
  std::unique_ptr<Model> model = std::make_unique<Model>(); // elements point to its ports
  State initial;
  std::vector<const Body*> bodies;
  ConstraintAnalysis analysis; ///< of redundant joints; of others it says nothing

  const std::string& name() const { return mechanism.name; }
  Index unknowns() const { return model->unknowns() + model->multipliers(); }
  std::vector<BodyMotion> motions(const State& state) const;
};

} // namespace emmy::benchmark
