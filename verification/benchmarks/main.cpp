/// emmy_bench: how fast emmy is, in figures that mean something on any machine: growth with the size of the model,
/// ratios between solvers, ratios to other programs at equal error. docs/performance.md says how to read them.

#include "solvers/petsc.hpp"
#include "verification/benchmarks/sections.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <fstream>

int main(int argc, char** argv) {
  using namespace emmy::benchmark;
  CLI::App app{"Measures emmy's speed: growth with the size of the model, solvers, other programs"};
  bool quick = false;
  std::string json_file;
  app.add_flag("--quick", quick, "fewer and shorter repeats: figures are rougher");
  long only_free = 0;
  app.add_option("--free-body-steps", only_free,
                 "take this many steps of a free body, and no more: to count instructions")
      ->type_name("N");
  app.add_option("--json", json_file, "also write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    if (only_free > 0) {
      free_body_steps(only_free);
      return 0;
    }
    const emmy::PetscSession petsc;
    const Growth growth = chain_growth(quick);
    nlohmann::json figures = growth.figures;
    figures["explicit_steps"] = explicit_steps(quick);
    figures["linear_solvers"] = linear_solvers(quick);
    figures["work_precision"] = work_precision(quick);
    figures["quick"] = quick;
    if (!json_file.empty() && !(std::ofstream(json_file) << figures.dump(2) << '\n')) {
      std::fprintf(stderr, "emmy_bench: cannot write '%s'\n", json_file.c_str());
      return 2;
    }
    return growth.exponent <= largest_exponent ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "emmy_bench: %s\n", failure.what());
    return 2;
  }
}
