#include "solvers/integrators/explicit.hpp"
#include "verification/benchmarks/method.hpp"
#include "verification/benchmarks/sections.hpp"

#include <fstream>
#include <map>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

constexpr double h = 1e-3;

struct Job {
  const char* meaning;
  Mechanism (*make)(int);
  int size;
  bool is_explicit;
};
/// The names are those in the script `instructions`.
const std::map<std::string, Job> jobs = {
    {"free_body", {"free body, `kick_drift_kick` with split rotations", free_bodies, 1, true}},
    {"chain_4", {"chain 4, `energy_momentum`", chain, 4, false}},
    {"chain_32", {"chain 32, `energy_momentum`", chain, 32, false}},
    {"four_bar_2", {"four-bar 2, `energy_momentum`", four_bar, 2, false}}};

} // namespace

void counted_steps(const std::string& job, int steps) {
  const auto found = jobs.find(job);
  if (found == jobs.end())
    throw std::invalid_argument("no job '" + job + "' to count");
  const Problem problem(found->second.make(found->second.size));
  const auto integrator = found->second.is_explicit ? make_explicit(*problem.model, {}) : conserving(problem, h);
  State state = problem.initial;
  integrator->begin(state);
  for (int i = 0; i < steps; ++i)
    if (!integrator->step(state, h).converged)
      throw std::runtime_error(job + ": a step failed");
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
  report.add("instructions", "Instructions per step by callgrind, h = 1 ms", {"step of", "instructions"}, rows);
}

} // namespace emmy::benchmark
