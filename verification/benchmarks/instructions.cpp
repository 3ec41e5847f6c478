#include "solvers/integrators/explicit.hpp"
#include "verification/benchmarks/method.hpp"
#include "verification/benchmarks/sections.hpp"

#include <fstream>
#include <map>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;

enum class Work { steps, explicit_steps, books };

struct Job {
  const char* meaning;
  Mechanism (*make)(int);
  int size;
  Work work;
};
/// The names are those in the script `instructions`.
const std::map<std::string, Job> jobs = {
    {"free_body",
     {"step of a free body, `kick_drift_kick` with split rotations", free_bodies, 1, Work::explicit_steps}},
    {"chain_4", {"step of chain 4, `energy_momentum`", chain, 4, Work::steps}},
    {"chain_32", {"step of chain 32, `energy_momentum`", chain, 32, Work::steps}},
    {"four_bar_2", {"step of four-bar 2, `energy_momentum`", four_bar, 2, Work::steps}},
    {"books_32", {"entry of a step of chain 32 in the ledger", chain, 32, Work::books}}};

} // namespace

void counted_steps(const std::string& job, int steps) {
  const auto found = jobs.find(job);
  if (found == jobs.end())
    throw std::invalid_argument("no job '" + job + "' to count");
  const auto& [meaning, make, size, work] = found->second;
  const Problem problem(make(size));
  const auto integrator = work == Work::explicit_steps ? make_explicit(*problem.model, {}) : conserving(problem, h);
  State state = problem.initial;
  integrator->begin(state);
  for (int i = 0; i < (work == Work::books ? 1 : steps); ++i)
    if (!integrator->step(state, h).converged)
      throw std::runtime_error(job + ": a step failed");
  Ledger ledger;
  for (int i = 0; work == Work::books && i < steps; ++i)
    ledger.add(integrator->books(state));
}

void instructions(const std::string& file, Report& report) {
  std::vector<tables::Row> rows;
  std::ifstream counts(file);
  std::string job;
  for (double count = 0; counts >> job >> count;) {
    rows.push_back({jobs.at(job).meaning, tables::format("%.0f", count)});
    report.figures["instructions"][job] = count;
  }
  if (rows.empty())
    rows.push_back({"not counted in this run", nothing});
  report.add("instructions", "Instructions by callgrind, h = 1 ms", {"", "instructions"}, rows);
}

} // namespace emmy::benchmark
