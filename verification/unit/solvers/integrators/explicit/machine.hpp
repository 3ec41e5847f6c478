#pragma once
/// The mechanism that explicit integrators are tested on with joints, and where it is after some steps.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "verification/support/explicit_models.hpp"

#include <cmath>

namespace emmy::test {

/// What machine() has beside two links, a hinge and a ball joint.
enum class Beside { nothing, springs, everything };

/// Two links on a hinge at the origin and a ball joint between them, in motion; springs, or also dampers, loads that
/// change, and a motor in the hinge.
inline Mechanism machine(Beside beside, const BodyMaker& kind = body_makers().front()) {
  Mechanism m;
  Model& model = *m.model;
  const Mat3 J = Vec3(0.9, 1, 0.2).asDiagonal();
  for (const char* name : {"upper", "lower"})
    m.bodies.push_back(&kind.add(model, name, 2, J));
  const Index upper = m.bodies[0]->port(), lower = m.bodies[1]->port();
  const Vec3 top(0, 0, 1), bottom(0, 0, -1);
  Mat3 axes; // the hinge turns about y
  axes << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const JointSide ground{Model::ground, Vec3::Zero(), axes}, hung{upper, top, axes};
  model.add(revolute_joint("hinge", model.ports(), ground, hung));
  model.add(spherical_joint("ball", model.ports(), {upper, bottom}, {lower, top}));
  for (const Body* body : m.bodies)
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), 2, Vec3(0, 0, -9.81)));
  if (beside != Beside::nothing) {
    const double c = beside == Beside::everything ? 0.5 : 0;
    model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3(1, 0.5, -2)),
                                             body_point(lower, bottom), SpringLaw{30, 0.5, c}));
    model.add(std::make_unique<RotationalSpringDamper>("coil", model.ports(), ground, hung, SpringLaw{5, 0.2, c}));
  }
  if (beside == Beside::everything) {
    const TimeFunction wave([](double t) { return 4 * std::sin(3 * t); });
    model.add(std::make_unique<AppliedForce>("wave", model.ports(), lower, Vec3(0.1, 0, 0),
                                             LoadComponents(wave, 1, wave), LoadAxes::body));
    model.add(std::make_unique<Drive>("motor", model.ports(), ground, hung, Drive::Coordinate::angle,
                                      Drive::Prescribes::value, TimeFunction([](auto t) { return 0.3 + 0.8 * t; })));
  }
  m.initial = model.rest_state();
  const Quaternion q = exponential({0, 0.3, 0}), r = exponential({0.4, -0.5, 0.2});
  const Vec3 spin(0, 0.8, 0), lower_spin(0.5, -0.2, 1);
  const Vec3 elbow = q * Vec3(0, 0, -2), elbow_velocity = spin.cross(elbow);
  m.bodies[0]->set_motion({q * Vec3(0, 0, -1), q, spin.cross(q * Vec3(0, 0, -1)), spin}, m.initial);
  m.bodies[1]->set_motion(
      {elbow + r * Vec3(0, 0, -1), r, elbow_velocity + lower_spin.cross(r * Vec3(0, 0, -1)), lower_spin}, m.initial);
  model.begin(m.initial);
  return m;
}

/// The motion of a mechanism after n steps of h.
inline State after(const Scheme& scheme, const Mechanism& m, double h, int n) {
  State state = m.initial;
  run(*scheme.on(*m.model), state, h, n);
  return state;
}

} // namespace emmy::test
