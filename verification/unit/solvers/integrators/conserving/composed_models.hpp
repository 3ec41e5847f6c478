#pragma once
/// Models that composed steps and steps back in time are tested on.
#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "elements/joints/drive.hpp"
#include "verification/support/mechanisms.hpp"

#include <cmath>
#include <memory>

namespace emmy::test {

/// A spinning body that nothing holds.
inline Mechanism free_body(const BodyMaker& maker = body_makers().front()) {
  Mechanism m;
  const Body& body = maker.add(*m.model, "body", 2, Vec3(1, 2, 2.5).asDiagonal());
  m.bodies = {&body};
  m.initial = m.model->rest_state();
  body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3(1, 2, 3), Vec3(0.3, 4, 0.2)}, m.initial);
  begin(m);
  return m;
}

/// One with a force and a torque that change in time, in its own axes or in those of space.
inline Mechanism loaded_body(LoadAxes axes) {
  Mechanism m = free_body();
  const Index port = m.bodies[0]->port();
  const TimeFunction wave([](double t) { return 4 * std::sin(3 * t) + t * t; });
  m.model->add(std::make_unique<AppliedForce>("push", m.model->ports(), port, Vec3(0.2, 0.1, 1),
                                              LoadComponents(wave, 2, wave), axes));
  m.model->add(std::make_unique<AppliedTorque>("twist", m.model->ports(), port, LoadComponents(wave, wave, 1), axes));
  begin(m);
  return m;
}

/// Two links on hinges, the first with a motor.
template <class Function>
Mechanism driven_chain(Drive::Prescribes prescribes, Function function) {
  Mechanism m = hanging_chain(2, ChainJoint::revolute);
  m.model->add(std::make_unique<Drive>("motor", m.model->ports(), JointSide{}, JointSide{m.bodies[0]->port()},
                                       Drive::Coordinate::angle, prescribes, TimeFunction(std::move(function))));
  begin(m);
  return m;
}

inline const double quarter = std::atan(1.0); // where the first half of a hanging chain starts

} // namespace emmy::test
