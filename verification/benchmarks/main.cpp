/// emmy_bench: how fast emmy is, in figures that mean something on any machine: growth with the size of the model,
/// ratios between solvers, ratios to other programs. It fills the page docs/performance.md, which says how to read
/// them, and exits with 1 if a promise is not kept.

#include "solvers/petsc/petsc.hpp"
#include "verification/benchmarks/sections.hpp"
#include "verification/tables/page.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>

namespace {

using emmy::benchmark::Report;

void write(const std::string& path, const std::string& text) {
  if (!(std::ofstream(path) << text))
    throw std::runtime_error("cannot write '" + path + "'");
}

/// Prints what was promised; true if all of it is kept.
bool tell(const std::vector<emmy::tables::Finding>& promises) {
  bool kept = true;
  std::printf("Promises\n\n");
  for (const emmy::tables::Finding& p : promises) {
    std::printf("  %-6s %10s   %-10s %s\n", p.holds ? "" : "MISSED", p.found.c_str(), p.expected.c_str(),
                p.statement.c_str());
    kept &= p.holds;
  }
  return kept;
}

} // namespace

int main(int argc, char** argv) {
  namespace benchmark = emmy::benchmark;
  const std::vector<std::pair<std::string, void (*)(bool, Report&)>> sections = {
      {"step_costs", benchmark::step_costs},
      {"ratios", benchmark::ratios},
      {"iterations", benchmark::iterations},
      {"equal_steps", benchmark::equal_steps},
      {"work_precision", benchmark::work_precision},
      {"newton_iteration", benchmark::newton_iteration},
      {"linear_solvers", benchmark::linear_solvers},
      {"explicit_steps", benchmark::explicit_steps},
      {"contact_steps", benchmark::contact_steps},
      {"search", benchmark::search},
      {"set_up", benchmark::set_up},
      {"output_costs", benchmark::output_costs}};

  CLI::App app{"Measures emmy's speed: growth with the size of the model, solvers, other programs"};
  bool quick = false;
  std::string only, text, page, json, counts, job;
  int steps = 1;
  app.add_flag("--quick", quick, "fewer, shorter and smaller runs: figures are rougher");
  std::vector<std::string> names;
  for (const auto& section : sections)
    names.push_back(section.first);
  app.add_option("--only", only, "run this section alone")->check(CLI::IsMember(names));
  auto* template_option = app.add_option("--template", text, "text with {{names}} of tables")->check(CLI::ExistingFile);
  app.add_option("--page", page, "write the text with its tables to this file")
      ->needs(template_option)
      ->excludes("--only");
  app.add_option("--json", json, "write the figures to this file");
  app.add_option("--instructions", counts, "what verification/benchmarks/instructions has counted");
  app.add_option("--count", job, "take steps of this job and do nothing else: to count instructions");
  app.add_option("--steps", steps, "of the job that is counted")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    const emmy::PetscSession petsc;
    if (!job.empty()) {
      benchmark::counted_steps(job, steps);
      return 0;
    }
    Report report;
    benchmark::machine(report);
    for (const auto& [name, run] : sections)
      if (only.empty() || only == name)
        run(quick, report);
    benchmark::instructions(counts, report);
    const auto promises = report.promises.take();
    if (!page.empty())
      write(page, emmy::tables::page(
                      emmy::tables::read(text), [&](const std::string& name) { return report.table(name); }, promises));
    report.figures["quick"] = quick;
    if (!json.empty())
      write(json, report.figures.dump(2) + "\n");
    return tell(promises) ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "emmy_bench: %s\n", failure.what());
    return 2;
  }
}
