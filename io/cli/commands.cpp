#include "io/cli/commands.hpp"

#include "io/remedies.hpp"
#include "io/run.hpp"
#include "io/verify/verify.hpp"
#include "solvers/petsc/petsc.hpp"
#include "solvers/petsc/petsc_options.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>

namespace emmy::cli {

namespace {

/// What the options of one command are parsed into.
struct Arguments {
  RunRequest run;
  verify::Request verify;
  bool markdown = false;
  bool only_channels = false;
};

CLI::Option* add_deck(CLI::App& command, Arguments& arguments) {
  CLI::Option* deck = command.add_option("deck", arguments.run.deck, "Input deck (YAML file), or - for standard input");
  deck->type_name("DECK");
  command
      .add_option("--set", arguments.run.overrides, "Override an entry of the deck, e.g. --set integrator.step=0.001")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  return deck;
}

/// Of commands that solve nothing.
void refuse_options(const std::vector<std::string>& petsc_options) {
  if (!petsc_options.empty())
    throw CLI::ValidationError("--", "this command solves nothing, so it takes no options of PETSc");
}

/// Throws where options cannot work, before anything is written.
void start(std::optional<PetscSession>& petsc, const std::vector<std::string>& options) {
  petsc.emplace(options);
  std::string text;
  for (const RefusedOption& refused : refused_petsc_options()) {
    text += (text.empty() ? "PETSc option " : "\n") + refused.option + " cannot work: " + refused.reason;
    if (refused.remedy != Remedy::none)
      text += std::string("; ") + advice(refused.remedy);
  }
  if (!text.empty())
    throw PetscFailure(text);
}

} // namespace

void add_commands(CLI::App& app, const std::vector<std::string>& petsc_options, int& result) {
  const auto arguments = std::make_shared<Arguments>();

  CLI::App* run = app.add_subcommand("run", "Run a deck and write its results");
  add_deck(*run, *arguments);
  run->add_option("--restart", arguments->run.restart,
                  "Go on with the run whose results are in this directory, from its newest checkpoint; only "
                  "integrator.end, output, audit and checkpoint may be changed by --set")
      ->type_name("DIR");
  run->add_option("--stop-at", arguments->run.stop_at,
                  "Stop after the step that reaches this time, as if interrupted: --restart goes on from there")
      ->check([](const std::string& text) {
        return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : "expected a time in seconds, and not " + text;
      })
      ->type_name("SECONDS");
  run->add_option("-o,--output", arguments->run.directory,
                  "Directory of the results (default: deck name + .out; stdin.out for -; that of a restart)")
      ->type_name("DIR");
  run->add_flag("--force", arguments->run.force, "Overwrite the results in a directory that has something in it");
  run->add_flag(
      "--estimate", arguments->run.estimate,
      "Repeat the run with a half and a quarter of its step, and say how accurate it is (seven times the work)");
  run->callback([arguments, petsc_options, &result] {
    if (arguments->run.deck.empty() && arguments->run.restart.empty())
      throw CLI::RequiredError("deck, or --restart DIR,");
    std::optional<PetscSession> petsc;
    arguments->run.petsc_options = petsc_options;
    arguments->run.before_solving = [&](const std::vector<std::string>& options) { start(petsc, options); };
    arguments->run.progress = isatty(STDERR_FILENO) != 0;
    arguments->run.unused_options = [&] { return petsc->unused_options(); };
    result = run_deck(arguments->run, std::cout, std::cerr);
  });

  CLI::App* check = app.add_subcommand("check", "Read a deck and say what its model consists of");
  add_deck(*check, *arguments)->required();
  check->add_flag("--channels", arguments->only_channels, "List what results may have: names, columns, units");
  check->callback([arguments, petsc_options, &result] {
    refuse_options(petsc_options);
    result = check_deck(arguments->run.deck, arguments->run.overrides, arguments->only_channels, std::cout, std::cerr);
  });

  CLI::App* verify = app.add_subcommand("verify", "Run problems with known answers and compare");
  verify::Request& request = arguments->verify;
  verify->add_option("case", request.names, "Names of the cases (default: all)")->type_name("CASE");
  verify->add_flag("--list", request.list, "List the cases and run nothing");
  verify->add_option("--cases", request.cases, "Directory of the cases")->type_name("DIR");
  verify->add_option("-o,--output", request.output, "verification.json, or a directory for it")->type_name("FILE");
  verify->add_option("--keep", request.keep, "Keep the results of the runs in this directory")->type_name("DIR");
  verify
      ->add_option("--stops", request.stops,
                   "Stop every run so often at random steps and go on from there: results stay the same, bit by bit")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  verify->callback([arguments, petsc_options, &result] {
    std::optional<PetscSession> petsc;
    arguments->verify.before_running = [&] { start(petsc, petsc_options); };
    arguments->verify.progress = isatty(STDERR_FILENO) != 0;
    result = verify::verify(arguments->verify, std::cout, std::cerr);
    if (!petsc)
      return;
    for (const std::string& name : petsc->unused_options())
      std::cerr << "warning: PETSc option -" << name << " was not used\n";
  });

  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of decks");
  schema->add_flag("--markdown", arguments->markdown, "Print the deck reference of docs/deck.md instead");
  schema->callback([arguments, petsc_options] {
    refuse_options(petsc_options);
    if (arguments->markdown)
      std::cout << deck::markdown_reference();
    else
      std::cout << deck::json_schema();
  });
}

} // namespace emmy::cli
