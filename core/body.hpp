#pragma once
/// A body is the element of its own inertia and the owner of a port to which everything else attaches.

#include "core/element.hpp"
#include "core/rotation.hpp"

#include <optional>

namespace emmy {

/// Where a body is and how it moves, the same words for every formulation.
struct BodyMotion {
  Vec3 position;                                   ///< centre of mass [m]
  Quaternion orientation = Quaternion::Identity(); ///< body to space
  Vec3 velocity;                                   ///< of the centre of mass [m/s]
  Vec3 angular_velocity;                           ///< spatial components [rad/s]
};

/// What keeps a body rigid beyond its multipliers, linearised at an instant: e = 0 with de = C dz. Empty where the
/// unknowns cannot deform the body.
struct Rigidity {
  VecX e;
  MatX C; ///< rows x unknowns of the body
  /// True if the body meets e = 0 exactly, as part of its own equations of motion; false if springs hold it.
  bool is_exact = true;
};

/// Inertia of a body that moves as a rigid one, for integrators that keep poses and momenta themselves. Its reference
/// point is the centre of mass, or the point about which the body turns if that is fixed.
struct RigidInertia {
  double mass = 0;           ///< [kg]
  Mat3 J = Mat3::Zero();     ///< about the reference point, body axes [kg m²]; of no meaning if the body does not turn
  bool turns = true;         ///< false: a point mass
  bool is_pivoted = false;   ///< the reference point is fixed in space
  Vec3 pivot = Vec3::Zero(); ///< where, if it is, in body components from the centre of mass [m]
};

/// How all unknowns of a model move at an instant, for schemes that insert accelerations in the equations of motion.
struct MotionAt {
  const VecX& values; ///< configuration, as in State
  const VecX& v;      ///< rates of the unknowns
  const VecX& a;      ///< their second derivatives
};

/// Inertia of a body at an instant, f = M a + h(q, v) [A1], with the derivatives of [A7].
struct InertiaSystem {
  VectorRef f;
  MatrixRef M, C, K; ///< derivatives of f by a, v and q; only if `tangent`
  bool tangent;
};

class Body : public Element {
public:
  Body(std::string name, std::string kind, std::vector<Node> nodes, Index port, double mass, const BodyFacts& facts)
      : Element(std::move(name), std::move(kind), std::move(nodes), {port},
                {facts.rows, facts.history, facts.nonlinear, facts.rates}),
        mass_(mass), inertia_at_instant_(facts.inertia) {}

  Index port() const { return ports().front(); }
  double mass() const { return mass_; } ///< [kg]

  virtual BodyMotion motion(const State& state) const = 0;
  virtual void set_motion(const BodyMotion& motion, State& state) const = 0;
  /// Adds a rigid motion to the rates: velocity of the centre of mass and angular velocity, both in space. Only bodies
  /// with rigid_inertia() are asked.
  virtual void add_velocity(const Vec3& v, const Vec3& omega, State& state) const;

  /// Nothing for a body that is not rigid by its unknowns alone.
  virtual std::optional<RigidInertia> rigid_inertia() const { return std::nullopt; }

  bool has_inertia_at_instant() const { return inertia_at_instant_ == InertiaAtInstant::known; }
  /// Adds inertia at an instant, in the unknowns of the nodes of this body; for those that have it.
  virtual void evaluate_inertia(const MotionAt&, InertiaSystem&) const {}

  virtual Rigidity rigidity(const State&) const { return {VecX(0), MatX(0, unknowns()), true}; }

  /// Rotation of this step [rad]; more than about one radian is too coarse to be trusted.
  virtual double rotation_in(const Step& s) const = 0;

private:
  double mass_;
  InertiaAtInstant inertia_at_instant_;
};

} // namespace emmy
