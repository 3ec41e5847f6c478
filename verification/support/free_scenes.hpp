#pragma once
/// Scenes of free bodies with surfaces, for tests of contact.

#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/integrators/conserving/free_bodies.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy::test {

inline Mat3 box_inertia(double mass, const Vec3& size) {
  const Vec3 s = size.cwiseAbs2();
  return (mass / 12 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y())).asDiagonal();
}

inline contact::NodeSet corners(const Vec3& size) {
  contact::NodeSet nodes;
  for (int i = 0; i < 8; ++i)
    nodes.at.push_back(size.cwiseProduct(Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)));
  return nodes;
}

/// A model that grows body by body. All surfaces meet by the rule 0.
struct FreeScene {
  Model model;
  contact::Scene scene;
  std::vector<BodyMotion> motions;
  std::vector<const Body*> bodies;
  FreeBodiesOptions options;

  FreeScene() {
    scene.rules = {contact::Rule()};
    scene.rule_of = Eigen::MatrixXi::Zero(1, 1);
  }

  std::string next_name() const { return "body" + std::to_string(bodies.size() + 1); }
  /// Of a body that the model has already.
  const Body& enter(const Body& body, const BodyMotion& motion) {
    bodies.push_back(&body);
    motions.push_back(motion);
    return body;
  }
  const Body& add(double mass, const Mat3& J, const BodyMotion& motion) {
    return enter(FrameBody::add_to(model, next_name(), mass, J), motion);
  }
  void surface(Index port, contact::Geometry geometry) {
    scene.surfaces.push_back({"surface" + std::to_string(scene.surfaces.size() + 1), port, std::move(geometry)});
    scene.class_of.push_back(0);
  }
  const Body& ball(double mass, double radius, const Vec3& at, const Vec3& v, const Vec3& omega = Vec3::Zero()) {
    const Body& body = add(mass, 0.4 * mass * radius * radius * Mat3::Identity(), {at, {1, 0, 0, 0}, v, omega});
    surface(body.port(), contact::Sphere{Vec3::Zero(), radius});
    return body;
  }
  /// A block whose corners touch others.
  const Body& cornered(double mass, const Vec3& size, const BodyMotion& motion) {
    const Body& body = add(mass, box_inertia(mass, size), motion);
    surface(body.port(), corners(size));
    return body;
  }
  /// A block that others touch.
  const Body& block(double mass, const Vec3& size, const BodyMotion& motion) {
    const Body& body = add(mass, box_inertia(mass, size), motion);
    surface(body.port(), contact::Box{Vec3::Zero(), size / 2, Mat3::Identity(), false});
    return body;
  }
  void floor() { surface(Model::ground, contact::HalfSpace{Vec3::UnitZ(), 0}); }
  void gravity(const Vec3& g) {
    for (const Body* body : bodies)
      model.add(std::make_unique<Gravity>("gravity of " + body->name(), model.ports(), body->port(), body->mass(), g));
  }
  void restitution(double e) { scene.rules[0].material.restitution = e; }

  State state() const {
    State s = model.rest_state();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      bodies[i]->set_motion(motions[i], s);
    return s;
  }
  FreeBodies engine() const { return FreeBodies(model, scene, options); }
};

/// The rod in the cube of Puso & Zywicz: six nodes on the axis of a rod, in a room that floats free; walls of 0.1 m
/// outside of an inner width of 2 m.
inline FreeScene rod_in_cube() {
  FreeScene scene;
  scene.options.exponential = true;
  const double density = 7e-4; // [kg/m³]
  const Body& rod = scene.add(7e-6, box_inertia(7e-6, Vec3(1, 0.1, 0.1)),
                              {Vec3::Zero(), {1, 0, 0, 0}, Vec3(50, 2, 0), Vec3(0, 40, 0)});
  contact::NodeSet nodes;
  for (int i = 0; i < 6; ++i)
    nodes.at.push_back(Vec3(-0.5 + 0.2 * i, 0, 0));
  scene.surface(rod.port(), nodes);
  const double J = density / 6 * (std::pow(2.2, 5) - std::pow(2, 5));
  const Body& cube = scene.add(density * (std::pow(2.2, 3) - 8), J * Mat3::Identity(),
                               {Vec3::Zero(), {1, 0, 0, 0}, Vec3::Zero(), Vec3::Zero()});
  scene.surface(cube.port(), contact::Box{Vec3::Zero(), Vec3::Ones(), Mat3::Identity(), true});
  return scene;
}

/// Kinetic energy and momenta of all bodies, from their positions and velocities alone.
struct Invariants {
  double energy = 0;                    ///< [J]
  Vec3 linear_momentum = Vec3::Zero();  ///< [N s]
  Vec3 angular_momentum = Vec3::Zero(); ///< about the origin [N m s]
};

inline Invariants invariants(const FreeScene& scene, const State& s) {
  Invariants sum;
  for (const Body* body : scene.bodies) {
    const BodyMotion m = body->motion(s);
    const Mat3 Q = m.orientation.toRotationMatrix();
    const Vec3 p = body->mass() * m.velocity;
    const Vec3 pi = Q * (body->rigid_inertia()->J * (Q.transpose() * m.angular_velocity));
    sum.energy += (p.dot(m.velocity) + pi.dot(m.angular_velocity)) / 2;
    sum.linear_momentum += p;
    sum.angular_momentum += m.position.cross(p) + pi;
  }
  return sum;
}

/// Books of a run, and where it ended.
struct Course {
  Ledger ledger;
  State end;
  long impacts = 0;
  long contact_steps = 0; ///< steps with impulses
  double lowest_loss = 0; ///< of a step [J]
};

/// `look` is shown the state after every step.
template <class Look>
Course run(const FreeScene& scene, double h, long steps, const Look& look) {
  FreeBodies engine = scene.engine();
  Course course;
  course.end = scene.state();
  engine.begin(course.end);
  course.ledger.open(scene.model.books_at(course.end));
  for (long i = 0; i < steps; ++i) {
    if (const StepReport report = engine.step(course.end, h); !report.converged)
      throw std::runtime_error(report.why);
    const StepBooks books = engine.books(course.end);
    course.ledger.add(books);
    course.lowest_loss = std::min(course.lowest_loss, books.dissipation);
    course.contact_steps += books.contacts > 0 ? 1 : 0;
    look(course.end);
  }
  course.impacts = course.ledger.impacts();
  return course;
}

inline Course run(const FreeScene& scene, double h, long steps) {
  return run(scene, h, steps, [](const State&) {});
}

} // namespace emmy::test
