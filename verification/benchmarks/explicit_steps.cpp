#include "solvers/integrators/explicit/explicit.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

namespace emmy::benchmark {

namespace {

struct Contender {
  const char* name;
  ExplicitOptions options; ///< of an explicit one
  bool is_explicit = true;
};

std::vector<Contender> contenders() {
  const auto of = [](ExplicitMethod method, RotationDrift kernel, ImpulseRule rule) {
    ExplicitOptions options;
    options.method = method;
    options.drift = kernel;
    options.rule = rule;
    return options;
  };
  const auto split = RotationDrift::split;
  const auto mid = ImpulseRule::midpoint;
  return {{"kick_drift_kick, split", of(ExplicitMethod::kick_drift_kick, split, mid)},
          {"kick_drift_kick, lie_midpoint", of(ExplicitMethod::kick_drift_kick, RotationDrift::lie_midpoint, mid)},
          {"simo_wong_explicit", of(ExplicitMethod::simo_wong, split, ImpulseRule::trapezoidal)},
          {"predictor_corrector", of(ExplicitMethod::predictor_corrector, split, mid)},
          {"staggered", of(ExplicitMethod::staggered, split, mid)},
          {"park_chiou_downer", of(ExplicitMethod::park_chiou_downer, split, mid)},
          {"energy_momentum", {}, false}};
}

std::unique_ptr<Runner> runner(const Problem& problem, const Contender& c) {
  if (!c.is_explicit)
    return std::make_unique<Runner>(problem, step_length);
  return std::make_unique<Runner>(problem, step_length, make_explicit(*problem.model, c.options));
}

} // namespace

void explicit_steps(bool quick, Report& report) {
  std::vector<Problem> problems;
  problems.emplace_back(free_bodies(1));
  problems.emplace_back(chain(10));
  problems.emplace_back(free_bodies(1000));
  tables::Row header = {"integrator"};
  for (const Problem& problem : problems)
    header.push_back(problem.name());
  std::vector<tables::Row> rows;
  for (const Contender& c : contenders())
    rows.push_back({c.name});
  for (const Problem& problem : problems) {
    std::vector<std::unique_ptr<Runner>> runners;
    std::vector<std::function<double()>> runs;
    for (const Contender& c : contenders()) {
      runners.push_back(runner(problem, c));
      Runner& r = *runners.back();
      const int steps = steps_to_fill(quick ? 0.005 : 0.03, r.time(3) / 3, 20000);
      runs.emplace_back([&r, steps] { return r.time(steps) / steps; });
    }
    const std::vector<double> times = best_times(runs, quick ? 4 : 8);
    for (std::size_t c = 0; c < times.size(); ++c) {
      rows[c].push_back(microseconds(times[c]) + " µs, " + tables::short_number(1 / times[c], 2) + "/s");
      report.figures["explicit_steps"].push_back({{"integrator", rows[c].front()},
                                                  {"problem", problem.name()},
                                                  {"cpu_per_step", times[c]},
                                                  {"iterations_per_step", runners[c]->iterations_per_step()}});
    }
  }
  report.add("explicit_steps", "Explicit and implicit integrators, h = 1 ms: CPU time per step, steps per second",
             header, rows);
}

} // namespace emmy::benchmark
