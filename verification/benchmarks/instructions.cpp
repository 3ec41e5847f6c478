#include "solvers/integrators/explicit/explicit.hpp"
#include "verification/benchmarks/method.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/benchmarks/steps.hpp"

#include <fstream>
#include <map>
#include <stdexcept>

namespace emmy::benchmark {

namespace {

enum class Work { steps, kicked_steps, explicit_steps, books };

struct Job {
  const char* meaning;
  Mechanism (*make)(int);
  int size;
  Work work;
  double most; ///< instructions: what was counted when this was last set, and 10 %
};
/// The names are those in the script `instructions`.
const std::map<std::string, Job> jobs = {
    {"free_body",
     {"step of a free body, `kick_drift_kick` with split rotations", free_bodies, 1, Work::explicit_steps, 3220}},
    {"chain_4", {"step of chain 4, `energy_momentum`", chain, 4, Work::steps, 8800}},
    {"chain_32", {"step of chain 32, `energy_momentum`", chain, 32, Work::steps, 56700}},
    {"kicks_32", {"step of chain 32 between kicks", chain, 32, Work::kicked_steps, 121000}},
    {"revolute_32", {"step of revolute chain 32, `energy_momentum`", revolute_chain, 32, Work::steps, 151900}},
    {"four_bar_2", {"step of four-bar 2, `energy_momentum`", four_bar, 2, Work::steps, 50500}},
    {"books_32", {"entry of a step of chain 32 in the ledger", chain, 32, Work::books, 17500}}};

} // namespace

void counted_steps(const std::string& job, int steps) {
  const auto found = jobs.find(job);
  if (found == jobs.end())
    throw std::invalid_argument("no job '" + job + "' to count");
  const auto& [meaning, make, size, work, most] = found->second;
  const Problem problem(make(size));
  Method method;
  if (work == Work::kicked_steps)
    method.velocities = VelocityConstraints::on;
  const auto integrator =
      work == Work::explicit_steps ? make_explicit(*problem.model, {}) : conserving(problem, step_length, method);
  State state = problem.initial;
  integrator->begin(state);
  for (int i = 0; i < (work == Work::books ? 1 : steps); ++i)
    if (!integrator->step(state, step_length).converged)
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
    const auto& [meaning, make, size, work, most] = jobs.at(job);
    rows.push_back({meaning, tables::format("%.0f", count), tables::format("%.0f", most)});
    report.promises.at_most(std::string("instructions, ") + meaning, count, most);
    report.figures["instructions"][job] = count;
  }
  if (rows.empty())
    rows.push_back({"not counted in this run", nothing, nothing});
  report.add("instructions", "Instructions by callgrind, h = 1 ms", {"", "instructions", "at most"}, rows);
}

} // namespace emmy::benchmark
