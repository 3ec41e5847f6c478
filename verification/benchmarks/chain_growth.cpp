#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;
constexpr std::array<int, 4> lengths = {4, 32, 256, 2048};

struct Row {
  Problem problem;
  std::unique_ptr<Runner> runner;
  int steps = 0;
  double per_step = 0; ///< [s]
};

} // namespace

Growth chain_growth(bool quick) {
  std::printf("Hanging chain of N boxes, spherical joints, h = %g s: CPU time per step\n\n", h);
  std::printf("%6s %9s %11s %7s %9s %9s %9s %9s %6s %9s %10s\n", "N", "unknowns", "us/step", "Newton", "elements",
              "assembly", "factor", "solve", "rest", "ledger us", "imbalance");
  std::vector<Row> rows;
  for (const int N : lengths)
    rows.push_back({chain(N), nullptr, std::max(8, (quick ? 4096 : 16384) / N), 0});
  for (Row& row : rows) // now that the problems stay where they are
    row.runner = std::make_unique<Runner>(row.problem, h);
  const int rounds = quick ? 12 : 30; // interleaved, so that a busy moment of the machine spoils one round only
  for (int round = 0; round < rounds; ++round)
    for (Row& row : rows) {
      const double per_step = row.runner->time(row.steps) / row.steps;
      row.per_step = round == 0 ? per_step : std::min(row.per_step, per_step);
    }

  Growth growth;
  for (Row& row : rows) {
    const double iterations = row.runner->iterations_per_step();
    const double booking = row.runner->booking_time(row.steps);
    const Shares share = shares(*row.runner, row.steps);
    const double imbalance = row.runner->energy_imbalance(std::min(row.steps, 100));
    const auto N = row.problem.bodies.size();
    const Index unknowns = row.problem.model->unknowns() + row.problem.model->multipliers();
    std::printf("%6zu %9td %11.2f %7.2f %8.0f%% %8.0f%% %8.0f%% %8.0f%% %5.0f%% %9.2f %10.1e\n", N, unknowns,
                1e6 * row.per_step, iterations, 100 * share.evaluation, 100 * share.assembly, 100 * share.factorisation,
                100 * share.solution, 100 * share.rest(), 1e6 * booking, imbalance);
    growth.figures["chain"].push_back({{"bodies", N},
                                       {"unknowns", unknowns},
                                       {"step", h},
                                       {"cpu_per_step", row.per_step},
                                       {"booking_per_step", booking},
                                       {"iterations_per_step", iterations},
                                       {"shares",
                                        {{"elements", share.evaluation},
                                         {"assembly", share.assembly},
                                         {"factorisation", share.factorisation},
                                         {"solution", share.solution},
                                         {"rest", share.rest()}}},
                                       {"relative_energy_imbalance", imbalance}});
  }
  const Row &longest = rows.back(), &shorter = rows[rows.size() - 2];
  growth.exponent =
      std::log(longest.per_step / shorter.per_step) /
      std::log(static_cast<double>(longest.problem.bodies.size()) / static_cast<double>(shorter.problem.bodies.size()));
  const bool linear = growth.exponent <= largest_exponent;
  std::printf("\nTime per step grows like N^%.3f from N = %zu to %zu (at most N^%.2f wanted): %s\n\n", growth.exponent,
              shorter.problem.bodies.size(), longest.problem.bodies.size(), largest_exponent,
              linear ? "ok" : "too high");
  growth.figures["growth_exponent"] = growth.exponent;
  growth.figures["growth_exponent_limit"] = largest_exponent;
  return growth;
}

} // namespace emmy::benchmark
