#pragma once
/// Integrators that take forces at instants, and the models that tests run them on.

#include "elements/bodies/planar_chain.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/integrators/acceleration_scheme.hpp"
#include "solvers/integrators/explicit_euler.hpp"
#include "solvers/integrators/midpoint.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
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
  return {"explicit_euler", [](const Model& model, const NewtonOptions& options) {
            return std::make_unique<ExplicitEuler>(model, options);
          }};
}

inline std::vector<InstantScheme> instant_schemes() {
  return {linear_acceleration(), high_order(), midpoint(), explicit_euler()};
}

/// n steps of h; fails the test if one does.
inline void advance(Integrator& integrator, State& state, double h, int n) {
  for (int i = 0; i < n; ++i) {
    const StepReport report = integrator.step(state, h);
    BOOST_TEST_REQUIRE(report.converged, report.why);
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
        model.add(wall("wall", model.ports(), obstacle, body_point(link->port(), Vec3(0.5, 0, 0)), 0, 1)).enforce(how);
    }
    state = model.rest_state();
    links[0]->set_angle(std::acos(-1.0) / 3, 0, state);
    links[1]->set_angle(std::acos(-1.0) / 2, 0, state);
    model.begin(state);
  }
};

} // namespace emmy::test
