#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;

struct Choice {
  LinearSolver solver;
  const char* name;
};
constexpr std::array<Choice, 5> choices = {{{LinearSolver::automatic, "auto"},
                                            {LinearSolver::petsc, "petsc"},
                                            {LinearSolver::klu, "klu"},
                                            {LinearSolver::umfpack, "umfpack"},
                                            {LinearSolver::mumps, "mumps"}}};

std::vector<Problem> problems(bool quick) {
  std::vector<Problem> list;
  for (const int N : {4, 32, 256})
    list.push_back(chain(N));
  list.push_back(tree(31));
  list.push_back(tree(255));
  list.push_back(star(16));
  list.push_back(star(128));
  list.push_back(cage(16));
  list.push_back(ring(128));
  list.push_back(net(2, 64));
  list.push_back(net(6, 6));
  list.push_back(net(12, 12));
  if (!quick) {
    list.push_back(chain(2048));
    list.push_back(tree(2047));
    list.push_back(star(512));
    list.push_back(cage(64));
    list.push_back(net(2, 512));
    list.push_back(net(24, 24));
  }
  return list;
}

/// Best CPU time per step of each choice [s]; 0 where the factorisation failed.
std::array<double, choices.size()> compare(const Problem& problem, bool quick, std::string& automatic) {
  std::array<double, choices.size()> best{};
  std::array<std::unique_ptr<Runner>, choices.size()> runners;
  for (std::size_t c = 0; c < choices.size(); ++c)
    runners[c] = std::make_unique<Runner>(problem, h, NewtonOptions{choices[c].solver});
  for (int round = 0; round < (quick ? 3 : 6); ++round)
    for (std::size_t c = 0; c < choices.size(); ++c) {
      if (!runners[c])
        continue;
      try {
        const double once = runners[c]->time(1);
        if (round > 0 && once > 20 * best[0])
          continue; // out of the race: one round is enough
        const double goal = quick ? 0.01 : 0.04;
        const int steps = std::clamp(static_cast<int>(goal / once), 1, 400);
        const double per_step = std::min(once, runners[c]->time(steps) / steps);
        best[c] = round == 0 ? per_step : std::min(best[c], per_step);
      } catch (const std::exception&) {
        runners[c].reset();
        best[c] = 0;
      }
    }
  if (runners[0])
    automatic = dynamic_cast<const EnergyMomentum&>(runners[0]->integrator()).newton().factorisation();
  return best;
}

} // namespace

nlohmann::json linear_solvers(bool quick) {
  std::printf("Direct solvers, CPU time per step relative to the best; h = %g s, spherical joints\n\n", h);
  std::printf("%-14s %9s %12s %10s", "model", "unknowns", "best us/step", "auto is");
  for (const Choice& choice : choices)
    std::printf(" %8s", choice.name);
  std::printf("\n");
  nlohmann::json figures;
  for (const Problem& problem : problems(quick)) {
    std::string automatic;
    const auto times = compare(problem, quick, automatic);
    double best = 0;
    for (const double time : times)
      if (time > 0 && (best == 0 || time < best))
        best = time;
    const Index unknowns = problem.model->unknowns() + problem.model->multipliers();
    std::printf("%-14s %9td %12.1f %10s", problem.name.c_str(), unknowns, 1e6 * best, automatic.c_str());
    nlohmann::json row{{"model", problem.name}, {"unknowns", unknowns}, {"auto", automatic}};
    for (std::size_t c = 0; c < choices.size(); ++c) {
      if (times[c] > 0)
        std::printf(" %8.2f", times[c] / best);
      else
        std::printf(" %8s", "failed");
      row["cpu_per_step"][choices[c].name] = times[c] > 0 ? nlohmann::json(times[c]) : nlohmann::json();
    }
    std::printf("\n");
    std::fflush(stdout);
    figures.push_back(row);
  }
  std::printf("\n");
  return figures;
}

} // namespace emmy::benchmark
