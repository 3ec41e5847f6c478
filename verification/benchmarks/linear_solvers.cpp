#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;
constexpr int untimed_steps = 60;

struct Choice {
  LinearSolver solver;
  const char* name;
  bool packs = true;
};
const std::vector<Choice> choices = {
    {LinearSolver::automatic, "auto"}, {LinearSolver::petsc, "petsc"},
    {LinearSolver::klu, "klu"},        {LinearSolver::umfpack, "umfpack"},
    {LinearSolver::mumps, "mumps"},    {LinearSolver::automatic, "auto, one at a time", false}};

std::vector<Mechanism> mechanisms(bool quick) {
  std::vector<Mechanism> list = {chain(4),    chain(32),    chain(256),        revolute_chain(256),
                                 tree(255),   star(128),    cage(16),          ring(128),
                                 net(2, 64),  net(12, 12),  spring_chain(256), bushing_chain(256),
                                 four_bar(2), four_bar(40), tied_chains(8, 16)};
  if (!quick)
    for (Mechanism& m :
         std::vector<Mechanism>{chain(2048), revolute_chain(2048), tree(2047), star(512), cage(64), net(2, 512),
                                net(24, 24), spring_chain(2048), four_bar(400), tied_chains(16, 16)})
      list.push_back(std::move(m));
  return list;
}

/// One choice on one problem.
class Entrant {
public:
  Entrant(const Problem& problem, const State& start, const Choice& choice, bool quick)
      : runner_(std::make_unique<Runner>(problem, h, Method{2, choice.solver, choice.packs})) {
    runner_->start_from(start);
    const double once = time();
    steps_ = steps_to_fill(quick ? 0.01 : 0.03, once, 400);
  }

  /// Time per step [s]; infinite once one has failed.
  double time() {
    if (!runner_)
      return std::numeric_limits<double>::infinity();
    try {
      return runner_->time(steps_) / steps_;
    } catch (const std::exception&) {
      runner_.reset();
      return std::numeric_limits<double>::infinity();
    }
  }

private:
  std::unique_ptr<Runner> runner_;
  int steps_ = 1;
};

} // namespace

void linear_solvers(bool quick, Report& report) {
  tables::Row header = {"problem", "unknowns", "best, µs"};
  for (const Choice& choice : choices)
    header.emplace_back(choice.name);
  std::vector<tables::Row> rows;
  for (Mechanism& mechanism : mechanisms(quick)) {
    const Problem problem(std::move(mechanism));
    std::vector<Entrant> entrants;
    std::vector<std::function<double()>> runs;
    Runner first(problem, h);
    first.warm_up(untimed_steps); // some are too slow to take these steps themselves
    for (const Choice& choice : choices)
      entrants.emplace_back(problem, first.state(), choice, quick);
    for (Entrant& entrant : entrants)
      runs.emplace_back([&entrant] { return entrant.time(); });
    const std::vector<double> times = best_times(runs, quick ? 3 : 5);
    const double best = *std::min_element(times.begin(), times.end());

    tables::Row row = {problem.name(), std::to_string(problem.unknowns()), microseconds(best)};
    nlohmann::json figures{{"problem", problem.name()}, {"unknowns", problem.unknowns()}};
    for (std::size_t c = 0; c < choices.size(); ++c) {
      row.push_back(std::isfinite(times[c]) ? ratio(times[c] / best) : "failed");
      figures["cpu_per_step"][choices[c].name] = times[c];
    }
    rows.push_back(row);
    report.figures["linear_solvers"].push_back(figures);
  }
  report.add("linear_solvers", "Direct solvers: CPU time per step relative to the best, h = 1 ms", header, rows);
}

} // namespace emmy::benchmark
