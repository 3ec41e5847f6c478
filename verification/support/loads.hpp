#pragma once
/// Applied forces and torques of every kind, for tests.

#include "core/model.hpp"
#include "elements/forces/load.hpp"
#include "verification/support/random.hpp"

#include <cmath>

namespace emmy::test {

/// Forces and torques, in space and in the body, constant or not.
inline constexpr int load_kinds = 8;

inline const Interaction& add_load(Model& model, Index port, int kind, Random& random) {
  const LoadAxes axes = kind % 2 == 0 ? LoadAxes::space : LoadAxes::body;
  const bool is_torque = kind / 2 % 2 != 0, changes = kind / 4 % 2 != 0;
  const Vec3 at = random.vector(), f = random.vector(5), w = random.vector(20);
  const auto wave = [=](int i) { return TimeFunction([=](double t) { return f[i] * std::cos(w[i] * t); }); };
  const LoadComponents components = changes ? LoadComponents(wave(0), wave(1), f.z()) : LoadComponents(f);
  if (is_torque)
    return model.add(std::make_unique<AppliedTorque>("torque", model.ports(), port, components, axes));
  return model.add(std::make_unique<AppliedForce>("force", model.ports(), port, at, components, axes));
}

} // namespace emmy::test
