#pragma once
/// Free flight of a rigid body over one step, with the energy-momentum rule of contact [C1]-[C6]: momenta are the
/// state, so they change by impulses alone and cannot drift; positions and quaternions are sums whose rounding is kept.
///
///   p1 = p + (impulses), pi1 = pi + (moments of impulses)
///   x1 = x + h (v + v1) / 2
///   Theta = h/2 (W + J^-1 rot(-Theta) a),   a = Q^T pi1,  W = J^-1 Q^T pi        solved for Theta [C5]
///   q1 = q o rot(Theta)
///
/// rot is the Cayley map, or the exponential of the paper.

#include "core/rotation.hpp"

namespace emmy {

enum class RotationMap { cayley, exponential };

/// What never changes of a body.
struct FreeBody {
  double inverse_mass = 0;       ///< [1/kg]
  Mat3 J = Mat3::Zero();         ///< about the centre of mass, body axes [kg m²]
  Mat3 J_inverse = Mat3::Zero(); ///< zero for a body that does not turn
  bool turns = true;
  double inverse_moment =
      0; ///< of a body whose inertia is the same about all axes: its axes do not matter; 0 otherwise
};

/// Where a body is and what it carries.
struct FreeMotion {
  Vec3 x = Vec3::Zero();      ///< centre of mass [m]
  Vec4 q = {1, 0, 0, 0};      ///< body to space, scalar first
  Vec3 lost_x = Vec3::Zero(); ///< of x by rounding
  Vec4 lost_q = Vec4::Zero();
  Vec3 p = Vec3::Zero();  ///< [N s]
  Vec3 pi = Vec3::Zero(); ///< about the centre of mass, in space [N m s]

  Quaternion orientation() const { return from_wxyz(q); }
};

/// A step of one body; zero before it is flown.
struct Flight {
  Vec3 p1 = Vec3::Zero(), pi1 = Vec3::Zero(); ///< momenta at the end
  Vec3 shift = Vec3::Zero();                  ///< x1 - x [m]
  Vec3 Theta = Vec3::Zero();                  ///< turn of the step, body components
};

/// Velocities in space that multiply arms: v + omega x A.
struct Spin {
  Vec3 v = Vec3::Zero();
  Vec3 omega = Vec3::Zero();
  Vec3 at(const Vec3& arm) const { return v + omega.cross(arm); }
};

/// Finds shift and turn of a step for the momenta in `flight`. False if the turn was not found: the body turns too far
/// in one step.
bool fly(const FreeBody& body, const FreeMotion& n, double h, RotationMap map, Flight& flight);

/// Ends a step: position, orientation and momenta at its end.
void land(const Flight& flight, RotationMap map, FreeMotion& motion);

/// Velocity and angular velocity at an instant.
Spin spin(const FreeBody& body, const FreeMotion& motion);

/// Means over the step: shift / h and turn / h, the velocities of [C3].
Spin mean_spin(const FreeMotion& n, double h, const Flight& flight);

/// Quaternion of the turn of a step.
Quaternion turn(const Vec3& Theta, RotationMap map);

} // namespace emmy
