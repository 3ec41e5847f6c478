#include "solvers/integrators/explicit.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <cstdio>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;

struct Contender {
  const char* name;
  ExplicitOptions options; ///< of an explicit one
  bool is_explicit = true;
};

std::vector<Contender> contenders() {
  const auto of = [](ExplicitMethod method, RotationKernel kernel, ImpulseRule rule) {
    ExplicitOptions options;
    options.method = method;
    options.kernel = kernel;
    options.rule = rule;
    return options;
  };
  const auto split = RotationKernel::split;
  const auto mid = ImpulseRule::midpoint;
  return {{"kick_drift_kick, split", of(ExplicitMethod::kick_drift_kick, split, mid)},
          {"kick_drift_kick, lie_midpoint", of(ExplicitMethod::kick_drift_kick, RotationKernel::lie_midpoint, mid)},
          {"simo_wong_explicit", of(ExplicitMethod::simo_wong, split, ImpulseRule::trapezoidal)},
          {"predictor_corrector", of(ExplicitMethod::predictor_corrector, split, mid)},
          {"staggered", of(ExplicitMethod::staggered, split, mid)},
          {"park_chiou_downer", of(ExplicitMethod::park_chiou_downer, split, mid)},
          {"energy_momentum", {}, false}};
}

std::unique_ptr<Runner> runner(const Problem& problem, const Contender& c) {
  if (!c.is_explicit)
    return std::make_unique<Runner>(problem, h);
  return std::make_unique<Runner>(problem, h, make_explicit(*problem.model, c.options));
}

} // namespace

nlohmann::json explicit_steps(bool quick) {
  std::printf("Explicit and implicit integrators, h = %g s: CPU time per step [us] and steps per second\n\n", h);
  std::vector<Problem> problems;
  problems.push_back(free_bodies(1));
  problems.push_back(chain(10));
  problems.push_back(free_bodies(1000));
  const std::vector<int> steps = {quick ? 2000 : 20000, quick ? 200 : 2000, quick ? 4 : 20};
  std::printf("%-30s", "");
  for (const Problem& problem : problems)
    std::printf(" %26s", problem.name.c_str());
  std::printf("\n");
  nlohmann::json figures;
  const int rounds = quick ? 6 : 15;
  for (const Contender& c : contenders()) {
    std::printf("%-30s", c.name);
    for (std::size_t p = 0; p < problems.size(); ++p) {
      const auto timed = runner(problems[p], c);
      double best = timed->time(steps[p]);
      for (int round = 1; round < rounds; ++round)
        best = std::min(best, timed->time(steps[p]));
      const double per_step = best / steps[p];
      std::printf(" %11.3f %12.4g /s", 1e6 * per_step, 1 / per_step);
      figures.push_back({{"integrator", c.name},
                         {"problem", problems[p].name},
                         {"cpu_per_step", per_step},
                         {"iterations_per_step", timed->iterations_per_step()}});
    }
    std::printf("\n");
  }
  std::printf("\n");
  return figures;
}

void free_body_steps(long steps) {
  const Problem problem = free_bodies(1);
  const auto integrator = make_explicit(*problem.model, {});
  State state = problem.initial;
  for (long i = 0; i < steps; ++i)
    integrator->step(state, h);
}

} // namespace emmy::benchmark
