#pragma once
/// Explicit integrators for tests that run over all of them.

#include "solvers/integrators/explicit/explicit.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/mechanisms.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace emmy::test {

struct Scheme {
  std::string name;
  ExplicitOptions options;

  std::unique_ptr<ExplicitIntegrator> on(const Model& model) const { return make_explicit(model, options); }
  bool is(ExplicitMethod method) const { return options.method == method; }
};

inline std::ostream& operator<<(std::ostream& out, const Scheme& scheme) {
  return out << scheme.name;
}

/// Every method with every kernel and rule that it takes.
inline std::vector<Scheme> schemes() {
  const auto scheme = [](std::string name, ExplicitMethod method, ImpulseRule rule,
                         RotationDrift kernel = RotationDrift::split) {
    Scheme s{std::move(name), {}};
    s.options.method = method;
    s.options.rule = rule;
    s.options.drift = kernel;
    return s;
  };
  using Method = ExplicitMethod;
  using Rule = ImpulseRule;
  Scheme predicted = scheme("staggered, started by prediction", Method::staggered, Rule::midpoint);
  predicted.options.starts_by_prediction = true;
  return {scheme("kick-drift-kick, split", Method::kick_drift_kick, Rule::midpoint),
          scheme("kick-drift-kick, LM", Method::kick_drift_kick, Rule::midpoint, RotationDrift::lie_midpoint),
          scheme("Simo-Wong, trapezoidal", Method::simo_wong, Rule::trapezoidal),
          scheme("Simo-Wong, midpoint", Method::simo_wong, Rule::midpoint),
          scheme("Simo-Wong, symmetric", Method::simo_wong, Rule::symmetric_midpoint),
          scheme("predictor-corrector, midpoint", Method::predictor_corrector, Rule::midpoint),
          scheme("predictor-corrector, trapezoidal", Method::predictor_corrector, Rule::trapezoidal),
          scheme("staggered, midpoint", Method::staggered, Rule::midpoint),
          scheme("staggered, trapezoidal", Method::staggered, Rule::trapezoidal),
          scheme("Park-Chiou-Downer", Method::park_chiou_downer, Rule::midpoint),
          predicted};
}

/// Those of kick-drift-kick: both kernels.
inline std::vector<Scheme> recommended_schemes() {
  const std::vector<Scheme> all = schemes();
  return {all[0], all[1]};
}

} // namespace emmy::test
