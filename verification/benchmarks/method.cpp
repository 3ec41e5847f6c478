#include "verification/benchmarks/method.hpp"

#include "solvers/analysis/redundancy.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"

namespace emmy::benchmark {

std::unique_ptr<Integrator> conserving(const Problem& problem, double h, const Method& method) {
  NewtonOptions options;
  options.linear = method.linear;
  options.kernels.packs = method.packs;
  if (problem.mechanism.is_redundant)
    options.proximal = proximal_block(*problem.model, problem.initial, problem.analysis, h);
  if (method.order == 2)
    return std::make_unique<EnergyMomentum>(*problem.model, options, method.velocities);
  auto composition = std::make_unique<Composition>(*problem.model, stages_of_order(method.order, method.velocities),
                                                   options, method.velocities);
  composition->keep_books(false); // the ledger is timed apart
  return composition;
}

} // namespace emmy::benchmark
