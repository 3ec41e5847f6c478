#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <cmath>

namespace emmy::benchmark {

namespace {

struct Goal {
  double h;    ///< [s]
  double most; ///< iterations per step
};

} // namespace

void iterations(bool quick, Report& report) {
  const double end = quick ? 2 : 10; // [s]
  const Problem problem(chain(4));
  std::vector<tables::Row> rows;
  for (const Goal& goal : {Goal{1e-2, 2.2}, Goal{1e-3, 1.1}}) {
    const int steps = static_cast<int>(std::lround(end / goal.h));
    Runner runner(problem, goal.h);
    const double per_step = runner.time(steps) / steps;
    const double mean = runner.iterations_per_step();
    const double imbalance = runner.energy_imbalance(steps);
    const std::string h = tables::short_number(goal.h);
    rows.push_back({h, std::to_string(steps), tables::format("%.2f", mean), microseconds(per_step),
                    microseconds(per_step / mean), power_of_ten(imbalance)});
    report.figures["iterations"].push_back({{"step", goal.h},
                                            {"steps", steps},
                                            {"iterations_per_step", mean},
                                            {"cpu_per_step", per_step},
                                            {"relative_energy_imbalance", imbalance}});
    report.promises.at_most("iterations per step, chain 4, h = " + h + " s", mean, goal.most);
  }
  report.add("iterations", "Newton iterations over a long run, chain of 4",
             {"h, s", "steps", "iterations per step", "µs per step", "µs per iteration", "energy imbalance"}, rows);
}

} // namespace emmy::benchmark
