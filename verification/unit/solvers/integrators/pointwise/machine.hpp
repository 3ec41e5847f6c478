#pragma once
/// The mechanism that schemes with forces at instants are tested on.
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/schemes.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace emmy::test {

enum class Enforced { penalty, multipliers, augmented_lagrangian };

inline Enforcement enforcement(Enforced how) {
  switch (how) {
  case Enforced::penalty:
    return {EnforcementMethod::penalty, 300, 0};
  case Enforced::augmented_lagrangian:
    return {EnforcementMethod::augmented_lagrangian, 0, 10};
  case Enforced::multipliers:
    break;
  }
  return {};
}

/// Two links and two points with springs between them, a coil, loads that change in time and turn with a link, a wall
/// that is passed and one that is not, joints between points, and a motor.
struct Machine {
  explicit Machine(Enforced how, bool has_joints = true) {
    PlanarChain chain;
    chain.links = {{"upper", 1, 0.4, 1.2, 0.1}, {"lower", 0.8, 0.5, 0.7, 0.05}};
    links = chain.add_to(model);
    const Index upper = links[0]->port(), lower = links[1]->port();
    const Index a = PointMass::add_to(model, "a", 0.6).port(), b = PointMass::add_to(model, "b", 0.9).port();
    const Ports& ports = model.ports();
    const Vec3 centre = Vec3::Zero();
    for (const Index port : {upper, lower, a, b})
      model.add(std::make_unique<Gravity>("weight", ports, port, 1, Vec3(0, -9.81, 0)));
    model.add(std::make_unique<SpringDamper>("spring", ports, body_point(lower, {0.3, 0, 0}), body_point(a, centre),
                                             SpringLaw{40, 0.5, 0}));
    model.add(std::make_unique<SpringDamper>("cord", ports, body_point(Model::ground, {1, 0, 1}), body_point(b, centre),
                                             SpringLaw{30, 0.2, 0}));
    model.add(std::make_unique<RotationalSpringDamper>("coil", ports, link_side(upper), link_side(lower),
                                                       SpringLaw{3, 0.4, 0}));
    const TimeFunction wave([](double t) { return 2 * std::sin(3 * t + 0.4); });
    model.add(std::make_unique<AppliedForce>("push", ports, lower, Vec3(0.3, 0, 0), LoadComponents(wave, 1, 0),
                                             LoadAxes::body));
    add(wall("floor", ports, side_along({0, 5, 0}, Vec3::UnitY()), body_point(lower, {0.3, 0, 0}), 0, 1), how);
    add(wall("far", ports, side_along({0, -50, 0}, Vec3::UnitY()), body_point(a, centre), 0, 1), how);
    if (has_joints) {
      add(distance_joint("rod", ports, {a, centre}, {b, centre}, 1.3), how);
      add(std::make_unique<Drive>("motor", ports, side_along({0, 0, 0}, Vec3::UnitX()), JointSide{b, centre},
                                  Drive::Coordinate::displacement, Drive::Prescribes::rate,
                                  TimeFunction([](double t) { return 0.3 + t; })),
          how);
    }
    state = model.rest_state();
    links[0]->set_angle(0.3, 1.1, state);
    links[1]->set_angle(0.9, -0.7, state);
    model.bodies()[2]->set_motion({{0.9, -1.4, 0.2}, Quaternion::Identity(), {0.3, 0.2, -0.1}, centre}, state);
    model.bodies()[3]->set_motion({{0.5, -0.3, 0.7}, Quaternion::Identity(), {0.3, -0.2, 0.4}, centre}, state);
    state.time = 0.3;
    model.begin(state);
  }

  Model model;
  std::vector<const ChainLink*> links;
  State state;

private:
  static JointSide link_side(Index port) {
    JointSide side = side_along(Vec3::Zero(), Vec3::UnitZ()); // q3 of a link is the normal of the plane
    side.port = port;
    return side;
  }
  template <class E>
  void add(std::unique_ptr<E> element, Enforced how) {
    model.add(std::move(element), enforcement(how));
  }
};

} // namespace emmy::test
