#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"
#include "verification/benchmarks/timing.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace emmy::benchmark {

namespace {

struct Choice {
  LinearSolver solver;
  const char* name;
  bool packs = true;
};
const std::vector<Choice> choices = {
    {LinearSolver::automatic, "auto"}, {LinearSolver::petsc, "petsc"},
    {LinearSolver::klu, "klu"},        {LinearSolver::umfpack, "umfpack"},
    {LinearSolver::mumps, "mumps"},    {LinearSolver::automatic, "auto, one at a time", false}};

/// Sizes of one kind, in the order in which they are tried; the last one is left out of a quick run.
using Family = std::vector<Mechanism>;
std::vector<Family> families() {
  return {{chain(4), chain(32), chain(256), chain(2048)},
          {revolute_chain(256), revolute_chain(2048)},
          {tree(255), tree(2047)},
          {star(128), star(512)},
          {cage(16), cage(64)},
          {ring(128), ring(1024)},
          {net(2, 64), net(2, 512)},
          {net(12, 12), net(24, 24)},
          {spring_chain(256), spring_chain(2048)},
          {bushing_chain(64), bushing_chain(256)},
          {four_bar(2), four_bar(40), four_bar(400)},
          {tied_chains(8, 16), tied_chains(16, 16)}};
}

/// A choice that takes so many times as long as the best is not tried with larger models of the kind.
constexpr double hopeless = 50;

/// One choice on one problem.
class Entrant {
public:
  Entrant(const Problem& problem, const State& start, const Choice& choice, bool quick)
      : runner_(std::make_unique<Runner>(problem, step_length, Method{2, choice.solver, choice.packs})) {
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

/// A row of the table; whoever is hopeless is not tried again.
tables::Row compare(const Problem& problem, bool quick, std::vector<bool>& is_tried, nlohmann::json& all_figures) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Runner first(problem, step_length);
  first.warm_up(untimed_steps); // some are too slow to take these steps themselves
  std::vector<std::unique_ptr<Entrant>> entrants;
  std::vector<std::function<double()>> runs;
  for (std::size_t c = 0; c < choices.size(); ++c) {
    entrants.push_back(is_tried[c] ? std::make_unique<Entrant>(problem, first.state(), choices[c], quick) : nullptr);
    runs.emplace_back([entrant = entrants.back().get()] { return entrant != nullptr ? entrant->time() : infinity; });
  }
  const std::vector<double> times = best_times(runs, 3);
  const double best = *std::min_element(times.begin(), times.end());

  tables::Row row = {problem.name(), std::to_string(problem.unknowns()), microseconds(best)};
  nlohmann::json figures{{"problem", problem.name()}, {"unknowns", problem.unknowns()}};
  for (std::size_t c = 0; c < choices.size(); ++c) {
    row.push_back(!is_tried[c] ? "not tried" : std::isfinite(times[c]) ? ratio(times[c] / best) : "failed");
    is_tried[c] = is_tried[c] && times[c] < hopeless * best;
    figures["cpu_per_step"][choices[c].name] = times[c];
  }
  all_figures.push_back(figures);
  return row;
}

} // namespace

void linear_solvers(bool quick, Report& report) {
  tables::Row header = {"problem", "unknowns", "best, µs"};
  for (const Choice& choice : choices)
    header.emplace_back(choice.name);
  std::vector<tables::Row> rows;
  for (Family& family : families()) {
    if (quick)
      family.pop_back();
    std::vector<bool> is_tried(choices.size(), true);
    for (Mechanism& mechanism : family)
      rows.push_back(compare(Problem(std::move(mechanism)), quick, is_tried, report.figures["linear_solvers"]));
  }
  report.add("linear_solvers", "Direct solvers: CPU time per step relative to the best, h = 1 ms", header, rows);
}

} // namespace emmy::benchmark
