#pragma once
/// What acts on rigid bodies, between natural variables and wrenches: an interaction sees points and directions, a body
/// receives a force and a moment about its reference point.

#include "solvers/integrators/explicit/rigid_system.hpp"

namespace emmy {

/// An interaction and the bodies behind its natural variables.
class RigidInteraction {
public:
  RigidInteraction(const RigidSystem& system, const Interaction& interaction);

  const Interaction& element() const { return *interaction_; }
  const std::vector<Index>& units() const { return units_; } ///< of each variable; -1 is the ground

  /// Natural variables at port values; `of_ground` stands for the ground.
  void gather(const std::vector<Vec12>& ports, const Vec12& of_ground, NaturalVector& q) const;

  /// Wrench on a body of a force `acting` on variable a, where the variable is at X.
  Wrench wrench(std::size_t a, const Vec3& X, const Vec3& acting, const Pose& pose) const {
    return {interaction_->variables()[a].w[0] * acting, arm(a, X, pose).cross(acting)};
  }
  /// Of variable a at X, from the reference point of its body.
  Vec3 arm(std::size_t a, const Vec3& X, const Pose& pose) const {
    return X - interaction_->variables()[a].w[0] * pose.x;
  }

  /// Adds the wrenches of -r.
  void add_wrenches(const NaturalVector& q, const NaturalVector& r, const Poses& poses, Wrenches& wrenches) const;

private:
  const Interaction* interaction_;
  std::vector<Index> units_;
};

/// Port of the ground, and its rate, which is zero.
Vec12 ground_port();

/// Wrenches of all forces on the bodies, with what the ledger wants to know of them.
struct Loading {
  Wrenches total;
  Wrenches given;     ///< part that does work from outside
  Wrenches viscous;   ///< part that dissipates
  StepBooks external; ///< impulses from outside per second

  explicit Loading(std::size_t bodies = 0) : total(bodies), given(bodies), viscous(bodies) {}
  void clear();
  void add(const Loading& other) { combine(1, 1, other); }
  /// Takes the mean with another one.
  void average(const Loading& other) { combine(0.5, 0.5, other); }

private:
  void combine(double a, double b, const Loading& other);
};

/// Adds impulses from outside, `factor` times those of `rates`.
void add_impulses(const StepBooks& rates, double factor, StepBooks& books);

/// An instant at which forces are asked for.
struct Instant {
  const Poses& poses;
  const Twists& twists;
  double from, to; ///< span of time over which given loads are averaged [s]
  const VecX& history;
};

/// All forces of a model: springs, dampers, gravity, loads; not constraints.
class RigidForces {
public:
  explicit RigidForces(const RigidSystem& system);

  /// Adds the forces that depend on nothing but the poses, and the others.
  void add_configurational(const Instant& at, Loading& out) { add(configurational_, at, false, out); }
  void add_varying(const Instant& at, Loading& out) { add(varying_, at, true, out); }
  void add_all(const Instant& at, Loading& out) {
    add_configurational(at, out);
    add_varying(at, out);
  }
  bool has_varying() const { return !varying_.empty(); }
  bool empty() const { return configurational_.empty() && varying_.empty(); }

  /// First element that returned something that is not finite since forget_fault(), null if none did.
  const Interaction* fault() const { return fault_; }
  void forget_fault() { fault_ = nullptr; }

private:
  void add(const std::vector<RigidInteraction>& forces, const Instant& at, bool rates, Loading& out);

  const RigidSystem& system_;
  std::vector<RigidInteraction> configurational_, varying_;
  std::vector<Vec12> ports_, port_rates_; // work space
  Vec12 ground_ = ground_port();
  const Interaction* fault_ = nullptr;
};

} // namespace emmy
