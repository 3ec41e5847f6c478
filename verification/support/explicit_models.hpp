#pragma once
/// Models and runs that the tests of explicit integrators share.

#include "elements/bodies/frame.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/explicit.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace emmy::test {

/// One frame body without forces, in general motion.
struct Free {
  explicit Free(const Mat3& J = Vec3(1.4, 2, 0.9).asDiagonal())
      : body(FrameBody::add_to(model, "body", 2, J)), state(model.rest_state()) {
    body.set_motion({{1, -2, 0.5}, exponential({0.3, 0.2, -0.4}), {0.4, 0.1, -0.2}, {1.2, -0.7, 1.5}}, state);
  }
  Model model;
  const Body& body;
  State state;
};

/// Two bodies of a kind on springs, with gravity; damped and loaded if wanted.
struct Springs {
  explicit Springs(const BodyMaker& kind, bool dissipates = false) {
    const Mat3 J = Vec3(0.3, 0.5, 0.4).asDiagonal();
    const Body& a = kind.add(model, "a", 2, J);
    const Body& b = kind.add(model, "b", 1.5, J);
    const double c = dissipates ? 0.6 : 0;
    const auto spring = [&](Index I, const Vec3& at_I, Index K, const Vec3& at_K, double k, double L0) {
      model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(I, at_I), body_point(K, at_K),
                                               SpringLaw{k, L0, c}));
    };
    spring(Model::ground, {0, 0, 1}, a.port(), {0.4, 0, 0}, 60, 0.5);
    spring(Model::ground, {1, 0, 1}, a.port(), {-0.3, 0.2, 0}, 40, 0.2);
    spring(a.port(), {0, 0, -0.3}, b.port(), {0, 0.2, 0.3}, 80, 0);
    BushingLaw law;
    law.K = 10 * Mat6::Identity();
    law.C = c * Mat6::Identity();
    model.add(bushing("bushing", model.ports(), {a.port(), {0.1, 0, 0}}, {b.port(), {0, 0, 0.5}}, law));
    for (const Body* body : {&a, &b})
      model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), Vec3(0, 0, -9.81)));
    if (dissipates) {
      const TimeFunction wave([](double t) { return 3 * std::sin(2 * t); });
      model.add(std::make_unique<AppliedForce>("wave", model.ports(), b.port(), Vec3(0.2, 0, 0),
                                               LoadComponents(wave, 1, wave), LoadAxes::space));
      model.add(std::make_unique<AppliedTorque>("twist", model.ports(), a.port(), LoadComponents(0, wave, 1),
                                                LoadAxes::body));
    }
    state = model.rest_state();
    a.set_motion({{0.2, 0, 0}, exponential({0.1, 0.2, 0}), {0.3, 0, 0}, {0.5, -1, 0.4}}, state);
    b.set_motion({{0.2, 0, -0.8}, exponential({0, -0.1, 0.3}), {0, 0.5, 0}, {-0.3, 0.2, 1}}, state);
    model.begin(state);
  }
  Model model;
  State state;
};

/// Runs n steps; fails the test if one does.
inline void run(ExplicitIntegrator& integrator, State& state, double h, int n) {
  for (int i = 0; i < n; ++i) {
    const StepReport report = integrator.step(state, h);
    BOOST_REQUIRE_MESSAGE(report.converged, report.why);
  }
}

/// What the same scheme leads to at t = n h.
inline State after(const Scheme& scheme, const Model& model, const State& start, double h, int n) {
  State state = start;
  run(*scheme.on(model), state, h, n);
  return state;
}

/// Distance of the configuration at t = n h from a reference.
inline double error_of(const Scheme& scheme, const Model& model, const State& start, const State& reference, double h,
                       int n) {
  return (after(scheme, model, start, h, n).values - reference.values).norm();
}

} // namespace emmy::test
