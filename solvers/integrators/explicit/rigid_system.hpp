#pragma once
/// The bodies of a model as explicit integrators see them: poses and momenta instead of unknowns, so that every rigid
/// formulation moves in the same way (docs/theory/explicit_rotation.md).
///
///   x, q     pose      reference point, the centre of mass or a point fixed in space [m]; rotation body to space
///   p, pi    momentum  linear [N s], and angular about the reference point, in space [N m s]: the state [E3]
///   v, Omega twist     velocity of the reference point [m/s], convected angular velocity J^-1 Q^T pi [rad/s]

#include "core/model.hpp"

#include <vector>

namespace emmy {

struct Pose {
  Vec3 x = Vec3::Zero();
  Quaternion q = Quaternion::Identity();
  Vec3 lost = Vec3::Zero(); ///< of x by rounding when it was last shifted

  /// x += by. What the sum loses is made good the next time: steps of a steady flight would all lose the same, and the
  /// angular momentum x times p with them.
  void shift(const Vec3& by);
};

struct Momentum {
  Vec3 p = Vec3::Zero();
  Vec3 pi = Vec3::Zero();
};

struct Twist {
  Vec3 v = Vec3::Zero();
  Vec3 Omega = Vec3::Zero();
};

/// Force [N] and moment about the reference point [N m] on a body, in space.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();
};

using Poses = std::vector<Pose>;
using Momenta = std::vector<Momentum>;
using Twists = std::vector<Twist>;
using Wrenches = std::vector<Wrench>;

/// Poses and momenta of all bodies at one time, or at two times that belong together.
struct Motion {
  Poses poses;
  Momenta momenta;

  /// Numbers per body in State::memory.
  static constexpr Index size = 16;
  void read(const ConstVectorRef& memory, Index first);
  void write(VectorRef memory, Index first) const;
  bool is_finite() const;
};

/// One body; what never changes.
struct RigidUnit {
  const Body* body = nullptr;
  double inverse_mass = 0; ///< 0 where the reference point is fixed
  Mat3 J = Mat3::Zero(), J_inverse = Mat3::Zero();
  Mat3 axes = Mat3::Identity(); ///< principal axes as columns: intermediate, largest and smallest moment
  Vec3 moments = Vec3::Ones();  ///< about them [kg m²]
  bool turns = true;
  Vec3 pivot = Vec3::Zero(); ///< reference point from the centre of mass, body components [m]
};

/// Two turns after one another; normalised, which does not change the rotation that is represented.
Quaternion turned(const Quaternion& q, const Quaternion& by);

class RigidSystem {
public:
  /// Throws std::invalid_argument naming a body that cannot be integrated by its pose; see unfit_body().
  explicit RigidSystem(const Model& model);

  /// First body whose unknowns do not keep it rigid, null if there is none.
  static const Body* unfit_body(const Model& model);

  const Model& model() const { return model_; }
  std::size_t size() const { return units_.size(); }
  const std::vector<RigidUnit>& units() const { return units_; }
  /// Part that a port belongs to, -1 for the ground.
  Index unit_of(Index port) const { return unit_of_port_[static_cast<std::size_t>(port)]; }

  Motion motion(const State& state) const;
  /// The same without allocating, into a motion of the right size.
  void read(const State& state, Motion& motion) const;
  /// Of one body.
  Pose pose(std::size_t unit, const State& state) const { return pose_of(unit, units_[unit].body->motion(state)); }
  Twist twist(std::size_t unit, const State& state) const { return twist_of(units_[unit].body->motion(state)); }
  /// Writes the motion to values and rates of a state.
  void write(const Motion& motion, State& state) const;

  Twist twist(std::size_t unit, const Pose& pose, const Momentum& momentum) const {
    const RigidUnit& b = units_[unit];
    return {b.inverse_mass * momentum.p, b.J_inverse * (pose.q.conjugate() * momentum.pi)}; // [E3]
  }
  Momentum momentum(std::size_t unit, const Pose& pose, const Twist& twist) const;

  /// A rigid displacement by the twist in the time h: x + h v, q o exp(h Omega) [E2].
  Pose moved(std::size_t unit, const Pose& pose, const Twist& twist, double h) const;

  /// Acceleration of the reference point and convected angular acceleration under a wrench [E1].
  Twist acceleration(std::size_t unit, const Pose& pose, const Twist& twist, const Wrench& wrench) const;

  /// The inverse of the inertia on a wrench: change of velocity and of convected angular velocity per unit of time.
  Twist yielding(std::size_t unit, const Pose& pose, const Wrench& wrench) const {
    const RigidUnit& b = units_[unit];
    return {b.inverse_mass * wrench.force, b.J_inverse * (pose.q.conjugate() * wrench.moment)};
  }

  /// The twelve numbers of the port of a unit, and their rates.
  Vec12 port(std::size_t unit, const Pose& pose) const;
  Vec12 port_rate(std::size_t unit, const Pose& pose, const Twist& twist) const;

private:
  Pose pose_of(std::size_t unit, const BodyMotion& m) const;
  static Twist twist_of(const BodyMotion& m);

  const Model& model_;
  std::vector<RigidUnit> units_;
  std::vector<Index> unit_of_port_;
};

} // namespace emmy
