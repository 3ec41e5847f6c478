#pragma once
/// A model with something of everything, in which nothing may be allocated once time runs.

#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/planar_chain.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/forces/translational_spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "elements/joints/joint.hpp"
#include "elements/limits/limit.hpp"

#include <memory>

namespace emmy::test {

/// A chain of all formulations with every kind of primitive, a motor and every load, tied to one in absolute angles.
struct Machine {
  Machine() {
    const Mat3 J = Vec3(9.25, 10, 1.25).asDiagonal();
    std::vector<const Body*> links;
    for (const char* name : {"first", "second", "third"})
      links.push_back(&FrameBody::add_to(model, name, 12, J));
    links.push_back(&DirectorBody::add_to(model, "fourth", 12, J));
    links.push_back(&SpringTetra::add_to(model, "fifth", 12, J, SpringTetraOptions{}));
    for (const Body* link : links)
      model.add(std::make_unique<Gravity>("weight", model.ports(), link->port(), 12, Vec3(0, 0, -9.81)));
    const Vec3 top(0, 0, 1.5), bottom(0, 0, -1.5);
    const auto side = [](Index port, const Vec3& at) { return JointSide{port, at, Mat3::Identity()}; };
    model.add(fixed_joint("base", model.ports(), side(Model::ground, Vec3::Zero()), side(links[0]->port(), top)));
    model.add(revolute_joint("hip", model.ports(), side(links[0]->port(), bottom), side(links[1]->port(), top)));
    model.add(spherical_joint("knee", model.ports(), side(links[1]->port(), bottom), side(links[2]->port(), top)));
    model.add(universal_joint("ankle", model.ports(), side(links[2]->port(), bottom), side(links[3]->port(), top)));
    model.add(screw_joint("toe", model.ports(), side(links[3]->port(), bottom), side(links[4]->port(), top), 0.1));
    model.add(std::make_unique<Drive>("motor", model.ports(), side(links[0]->port(), bottom),
                                      side(links[1]->port(), top), Drive::Coordinate::angle, Drive::Prescribes::value,
                                      TimeFunction([](auto t) { return t * t; })));
    const Index port = links[2]->port();
    for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
      model.add(std::make_unique<AppliedForce>("push", model.ports(), port, bottom, Vec3(3, 1, -2), axes));
      model.add(std::make_unique<AppliedTorque>("twist", model.ports(), port, Vec3(1, 2, 0.5), axes));
      const TimeFunction wave([](double t) { return std::sin(t); });
      model.add(std::make_unique<AppliedForce>("wave", model.ports(), port, top, LoadComponents(wave, 2, wave), axes));
    }
    const JointSide ground = side(Model::ground, Vec3(1, 0, 0)), end = side(port, bottom);
    model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(ground.port, ground.at),
                                             body_point(end.port, end.at), SpringLaw{5, 1, 2}));
    model.add(std::make_unique<RotationalSpringDamper>("coil", model.ports(), side(links[0]->port(), bottom),
                                                       side(links[1]->port(), top), SpringLaw{5, 1, 2}));
    model.add(translational_spring_damper("strut", model.ports(), ground, end, {5, 1, 2}));
    model.add(bushing("bushing", model.ports(), ground, end, {Mat6::Identity(), Mat6::Identity(), Vec6::Zero()}));
    PlanarChain planar{{Vec3(5, 0, 0), -Vec3::UnitZ(), Vec3::UnitX()}, {}};
    for (int i = 0; i < 12; ++i)
      planar.links.push_back({"planar", 1, 0.5, 1, 0.1});
    const std::vector<const ChainLink*> planar_links = planar.add_to(model);
    for (const ChainLink* link : planar_links)
      model.add(std::make_unique<Gravity>("weight", model.ports(), link->port(), 1, Vec3(0, 0, -9.81)));
    model.add(std::make_unique<SpringDamper>("tie", model.ports(), body_point(planar_links[11]->port(), bottom),
                                             body_point(end.port, end.at), SpringLaw{5, 1, 2}));
    state = model.rest_state();
    for (const ChainLink* link : planar_links)
      link->set_angle(0.1, 0, state);
    for (std::size_t i = 0; i < links.size(); ++i)
      links[i]->set_motion(
          {Vec3(0, 0, -1.5 - 3 * static_cast<double>(i)), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    model.begin(state);
  }
  Model model;
  State state;
};

} // namespace emmy::test
