#pragma once
/// Integrators that take forces at instants, and the models that tests and tables run them on.

#include "elements/bodies/planar_chain.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/integrators/explicit/explicit_euler.hpp"
#include "solvers/integrators/pointwise/acceleration_scheme.hpp"
#include "solvers/integrators/pointwise/midpoint.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace emmy::test {

struct InstantScheme {
  std::string name;
  std::function<std::unique_ptr<Integrator>(const Model&, const NewtonOptions&)> make;

  std::unique_ptr<Integrator> on(const Model& model, const NewtonOptions& options = {}) const {
    return make(model, options);
  }
};

inline std::ostream& operator<<(std::ostream& out, const InstantScheme& scheme) {
  return out << scheme.name;
}

inline InstantScheme acceleration_scheme(const AccelerationRule& rule, AfterImpact after) {
  const std::string name = rule.name + std::string(after == AfterImpact::keep ? ", kept" : ", reset");
  return {name, [=](const Model& model, const NewtonOptions& options) {
            return std::make_unique<AccelerationScheme>(model, rule, after, options);
          }};
}

inline InstantScheme linear_acceleration(AfterImpact after = AfterImpact::reset) {
  return acceleration_scheme(AccelerationRule::linear_acceleration(), after);
}

inline InstantScheme high_order(AfterImpact after = AfterImpact::reset) {
  return acceleration_scheme(AccelerationRule::high_order(), after);
}

inline InstantScheme midpoint() {
  return {"midpoint",
          [](const Model& model, const NewtonOptions& options) { return std::make_unique<Midpoint>(model, options); }};
}

inline InstantScheme explicit_euler() {
  return {"explicit Euler", [](const Model& model, const NewtonOptions& options) {
            return std::make_unique<ExplicitEuler>(model, options);
          }};
}

inline std::vector<InstantScheme> instant_schemes() {
  return {linear_acceleration(), high_order(), midpoint(), explicit_euler()};
}

/// n steps of h; throws std::runtime_error if one fails.
inline void advance(Integrator& integrator, State& state, double h, int n) {
  for (int i = 0; i < n; ++i) {
    const StepReport report = integrator.step(state, h);
    if (!report.converged)
      throw std::runtime_error("step " + std::to_string(i) + ": " + report.why);
  }
}

/// Side of a joint whose axis is the unit vector n, in space.
inline JointSide side_along(const Vec3& at, const Vec3& n) {
  const Vec3 s1 = n.unitOrthogonal();
  JointSide side;
  side.at = at;
  side.axes << n, s1, n.cross(s1);
  return side;
}

/// 1 kg on a spring of stiffness k and no length at the origin, or on none, at x with velocity v along x.
struct Oscillator {
  Oscillator(double k, double x, double v) {
    body = &PointMass::add_to(model, "mass", 1);
    if (k > 0)
      model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                               body_point(body->port(), Vec3::Zero()), SpringLaw{k, 0, 0}));
    state = model.rest_state();
    set_motion(x, v);
  }
  void set_motion(double x, double v) {
    body->set_motion({Vec3(x, 0, 0), Quaternion::Identity(), Vec3(v, 0, 0), Vec3::Zero()}, state);
  }
  /// Keeps it where x is not negative.
  void stop(const Enforcement& how, double restitution = 1) {
    model.add(wall("wall", model.ports(), side_along(Vec3::Zero(), Vec3::UnitX()),
                   body_point(body->port(), Vec3::Zero()), 0, restitution),
              how);
    state.multipliers.setZero(1);
    model.begin(state);
  }
  Model model;
  const PointMass* body;
  State state;
};

/// Growth of the amplitude per step of x'' = -z² x with h = 1. Once the roots other than the pair of the oscillation
/// have died out, x_n x_{n+2} - x_{n+1}² grows by its square.
inline double growth(const InstantScheme& scheme, double z, int n) {
  Oscillator o(z * z, 1, 0.3 * z);
  const auto integrator = scheme.on(o.model);
  const auto measure = [&] {
    double x[3];
    for (double& x_n : x) {
      x_n = o.state.values[0];
      advance(*integrator, o.state, 1, 1);
    }
    return std::abs(x[0] * x[2] - x[1] * x[1]);
  };
  advance(*integrator, o.state, 1, 20);
  const double before = measure();
  advance(*integrator, o.state, 1, n - 3);
  return std::pow(measure() / before, 1.0 / (2 * n)) - 1;
}

/// The example of the theory: two uniform rods of 1 kg and 1 m, the tip and the joint between them kept off a wall at
/// x = -0.3 m; from rest at (pi/3, pi/2) unless told otherwise.
struct TwoLinks {
  explicit TwoLinks(const Enforcement& how) : TwoLinks(true, how) {}
  TwoLinks() : TwoLinks(false, {}) {}

  /// Above the hanging position [J].
  double energy(const State& at) const { return model.books_at(at).energy() - lowest; }

  Model model;
  std::vector<const ChainLink*> links;
  State state;

private:
  static constexpr double g = 9.81, lowest = -g * (0.5 + 1.5);

  TwoLinks(bool has_wall, const Enforcement& how) {
    PlanarChain chain;
    for (const char* name : {"upper", "lower"})
      chain.links.push_back({name, 1, 0.5, 1, 1.0 / 12});
    links = chain.add_to(model);
    const JointSide obstacle = side_along(Vec3(-0.3, 0, 0), Vec3::UnitX());
    for (const ChainLink* link : links) {
      model.add(std::make_unique<Gravity>("weight", model.ports(), link->port(), 1, Vec3(0, -g, 0)));
      if (has_wall)
        model.add(wall("wall", model.ports(), obstacle, body_point(link->port(), Vec3(0.5, 0, 0)), 0, 1), how);
    }
    state = model.rest_state();
    links[0]->set_angle(std::acos(-1.0) / 3, 0, state);
    links[1]->set_angle(std::acos(-1.0) / 2, 0, state);
    model.begin(state);
  }
};

} // namespace emmy::test
