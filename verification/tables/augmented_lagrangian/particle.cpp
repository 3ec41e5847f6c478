#include "verification/tables/augmented_lagrangian/particle.hpp"

#include "solvers/integrators/conserving/energy_momentum.hpp"

#include <cmath>
#include <stdexcept>

namespace emmy::tables::impact {

InstantScheme energy_momentum() {
  return {"energy_momentum", [](const Model& model, const NewtonOptions& options) {
            return std::make_unique<EnergyMomentum>(model, options);
          }};
}

Bounce::Bounce(const InstantScheme& scheme, const Enforcement& how, double restitution) : particle_(0, 0, -1) {
  particle_.stop(how, restitution);
  integrator_ = scheme.on(particle_.model);
}

double Bounce::operator()(double s) const {
  constexpr int memory = 2;  // steps for which an acceleration is remembered
  constexpr int most = 1000; // the softest spring pushes for some 30
  State state = particle_.state;
  state.values[0] = s;
  int since = 0;
  bool pushed = false;
  for (int i = 0; i < most; ++i) {
    test::advance(*integrator_, state, 1, 1);
    since = state.multipliers[0] > 0 ? 0 : since + 1;
    pushed = pushed || since == 0;
    if (pushed && since > memory)
      return state.rates[0];
  }
  throw std::runtime_error("a particle does not leave the wall");
}

Restitution restitution(const Bounce& bounce) {
  Restitution r;
  for (int i = 0; i < Restitution::samples; ++i) {
    const double e = bounce((i + 0.5) / Restitution::samples);
    r.e.push_back(e);
    r.range.add(e);
    r.mean += e / Restitution::samples;
    r.mean_square += e * e / Restitution::samples;
    r.above_one += (e > 1 ? 1.0 : 0.0) / Restitution::samples;
  }
  return r;
}

double growth_of_constraint(const InstantScheme& scheme) {
  constexpr double omega = 1e4; // the roots differ from their limits by 1/(ωh)²
  constexpr int steps = 20;     // until the largest of them is alone, to 1e-10 or so
  test::Oscillator o(omega * omega, 1, 0);
  const auto integrator = scheme.on(o.model);
  test::advance(*integrator, o.state, 1, steps);
  const double before = o.state.values[0];
  test::advance(*integrator, o.state, 1, 1);
  return std::abs(o.state.values[0] / before);
}

} // namespace emmy::tables::impact
