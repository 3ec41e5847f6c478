#pragma once
/// Models whose constraints are enforced in different ways, and runs that say what it took.

#include "elements/bodies/point_mass.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"

#include <algorithm>
#include <string>

namespace emmy::test {

inline constexpr double g_earth = 9.81;
inline const Enforcement lagrange{};

inline Enforcement augmented(double beta = 0, double stiffness = 0) {
  return {EnforcementMethod::augmented_lagrangian, stiffness, beta};
}

inline Enforcement penalty(double stiffness) {
  return {EnforcementMethod::penalty, stiffness, 0};
}

inline void enforce_joints(Model& model, const Enforcement& how) {
  for (const auto& element : model.elements())
    if (element->multipliers() > 0 && !element->is_one_sided())
      model.enforce(*element, how);
}

inline NewtonOptions form(bool merged, double tolerance = 0) {
  NewtonOptions options;
  options.augmented.form = merged ? AugmentedForm::merged : AugmentedForm::nested;
  options.augmented.tolerance = tolerance;
  return options;
}

/// A model in motion, and what is to be known of its steps.
struct Run {
  Run(const Model& model, const State& initial, const NewtonOptions& options)
      : model_(model), integrator(model, options), state(initial) {
    ledger.open(model.books_at(state));
  }

  bool steps(int count, double h) {
    for (int i = 0; i < count; ++i) {
      const double before = ledger.last().energy();
      const StepReport report = integrator.step(state, h);
      why = report.why;
      if (!report.converged)
        return false;
      ledger.add(integrator.books(state));
      gain = std::max(gain, ledger.last().energy() - before);
      iterations += report.iterations;
      sweeps += report.sweeps;
      max_iterations = std::max(max_iterations, report.iterations);
      max_sweeps = std::max(max_sweeps, report.sweeps);
      warnings += report.warning;
      taken += 1;
    }
    return true;
  }
  double mean_iterations() const { return static_cast<double>(iterations) / taken; }

  const Model& model_;
  EnergyMomentum integrator;
  State state;
  Ledger ledger;
  std::string why, warnings;
  double gain = 0; ///< largest growth of the energy in a step
  long iterations = 0, sweeps = 0;
  int max_iterations = 0, max_sweeps = 0, taken = 0;
};

/// A ball of 2 kg above a wall at z = 0, without gravity unless asked for.
struct Ball {
  explicit Ball(double restitution, const Enforcement& how, double gravity = 0) {
    body = &PointMass::add_to(model, "ball", mass);
    if (gravity != 0)
      model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), mass, Vec3(0, 0, -gravity)));
    Mat3 axes;
    axes << 0, 1, 0, 0, 0, 1, 1, 0, 0; // columns z, x, y
    floor = &model.add(wall("floor", model.ports(), {Model::ground, Vec3::Zero(), axes},
                            body_point(body->port(), Vec3::Zero()), 0, restitution),
                       how);
    initial = model.rest_state();
  }
  State at(double height, double velocity) const {
    State state = initial;
    body->set_motion({Vec3(0.3, 0.1, height), Quaternion::Identity(), Vec3(1, 0, velocity), Vec3::Zero()}, state);
    return state;
  }
  static constexpr double mass = 2;
  Model model;
  const Body* body = nullptr;
  Limit* floor = nullptr;
  State initial;
};

/// A body on four points that turns freely, kept in shape in one way or another.
struct Spinner {
  explicit Spinner(const SpringTetraOptions& options, const Enforcement& how = {}) {
    SpringTetra& body = SpringTetra::add_to(model, "body", 2, Vec3(1, 2, 2.5).asDiagonal(), options);
    model.enforce(body, how);
    initial = model.rest_state();
    body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3(1, 2, 3), Vec3(0.3, 4, 0.2)}, initial);
    model.begin(initial);
  }
  Model model;
  State initial;
};

} // namespace emmy::test
