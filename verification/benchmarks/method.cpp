#include "verification/benchmarks/method.hpp"

#include "solvers/integrators/energy_momentum.hpp"
#include "solvers/redundancy.hpp"

#include <stdexcept>

namespace emmy::benchmark {

std::unique_ptr<Integrator> conserving(const Problem& problem, double h, const Method& method) {
  if (method.order != 2)
    throw std::invalid_argument("the energy-momentum step has order 2");
  NewtonOptions options;
  options.linear = method.linear;
  if (problem.mechanism.is_redundant)
    options.proximal = proximal_block(*problem.model, problem.initial, problem.analysis, h);
  return std::make_unique<EnergyMomentum>(*problem.model, options);
}

} // namespace emmy::benchmark
