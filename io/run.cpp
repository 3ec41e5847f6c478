#include "io/run.hpp"

#include "core/counted.hpp"
#include "io/analyses.hpp"
#include "io/assembly_report.hpp"
#include "io/contact_log.hpp"
#include "io/contact_start.hpp"
#include "io/loading.hpp"
#include "io/output_size.hpp"
#include "io/remedies.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"
#include "io/transient.hpp"
#include "io/turns.hpp"

#include <filesystem>
#include <optional>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;

/// Makes the directory of the results; the text of an error otherwise.
std::string prepare_directory(const fs::path& directory, bool force) {
  std::error_code failed;
  if (fs::exists(directory, failed) && !fs::is_directory(directory, failed))
    return directory.string() + ": error: cannot write results here: it is not a directory\n";
  if (fs::is_directory(directory, failed) && !fs::is_empty(directory, failed) && !force)
    return directory.string() + ": error: the directory exists and is not empty\n"
                                "  give another one with -o DIR, or --force to overwrite the results in it\n";
  fs::create_directories(directory, failed);
  if (failed)
    return directory.string() + ": error: cannot create the directory: " + failed.message() + "\n";
  return {};
}

std::string default_directory(const std::string& path) {
  return path == deck::standard_input ? "stdin.out" : fs::path(path).filename().replace_extension(".out").string();
}

/// What `emmy check` and the log say about a model.
std::string full_report(const Loaded& m) {
  std::string text = model_report(m.deck, m.built, m.analysis) + contact_report(m.deck, m.built.scene);
  if (m.assembly)
    text += assembly_report(*m.assembly);
  return text + critical_step_report(m);
}

/// The warning of a run whose surfaces are as fast as they are at the start.
std::string initial_tunnel_warning(const Loaded& m) {
  return TunnelWatch(*m.built.model, m.built.scene, m.deck.integrator.step).look(m.built.initial);
}

/// The warning of a run whose bodies turn as they do at the start.
std::string initial_turn_warning(const Loaded& m) {
  if (m.deck.analysis.type != "transient")
    return {};
  const TurnWatch watch(*m.built.model, turn_law(m.deck));
  return turn_warning(watch.findings(watch.begin(m.built.initial, m.deck.integrator.step)));
}

/// Tells which options of PETSc made no difference: those that nobody asked for, and those that steps do not end by.
void judge_options(const RunRequest& request, const Desk& desk) {
  const auto warn = [&](const std::string& text) {
    const std::string line = "warning: PETSc option " + text + "\n";
    desk.log.write(line);
    desk.err << line;
  };
  for (const std::string& option : request.petsc_options)
    for (const char* tolerance : {"-snes_rtol", "-snes_atol", "-snes_stol"})
      if (option == tolerance)
        warn(option + " changes nothing: " + advice(Remedy::tolerance));
  if (request.unused_options)
    for (const std::string& name : request.unused_options())
      warn("-" + name + " was not used");
}

ExitCode run_loaded(const Loaded& m, const Desk& desk, const RunRequest& request) {
  for (const char* name :
       {"audit.json", "history.csv", "impacts.csv", "modes.csv"}) // of an earlier run: none may stand beside ours
    if (const fs::path result = fs::path(desk.directory) / name; fs::is_regular_file(result))
      fs::remove(result);
  desk.log.write("emmy " EMMY_VERSION ", deck " + m.deck.file + "\n");
  if (!request.petsc_options.empty()) {
    desk.log.write("PETSc options:");
    for (const std::string& word : request.petsc_options)
      desk.log.write(" " + word);
    desk.log.write("\n");
  }
  for (const std::string& set : request.overrides)
    desk.log.write("--set " + set + "\n");
  desk.log.write(full_report(m) + "\n");
  desk.log.flush();
  if (m.deck.analysis.type == "static")
    return run_static(m, desk);
  if (m.deck.analysis.type == "modes")
    return run_modes(m, desk);
  return run_transient(m, desk, request);
}

} // namespace

ExitCode run_deck(const RunRequest& request, std::ostream& out, std::ostream& err) {
  const std::optional<Loaded> loaded = load(request.deck, request.overrides, err);
  if (!loaded)
    return exit_bad_input;
  if (request.estimate && loaded->deck.analysis.type != "transient") {
    err << "emmy: error: --estimate compares motions in time, and 'analysis' of " << request.deck << " is '"
        << loaded->deck.analysis.type << "'\n  expected 'transient', or no --estimate\n";
    return exit_bad_input;
  }
  if (request.before_solving) // refuses options of PETSc before anything is written
    request.before_solving();
  const std::string directory = request.directory.empty() ? default_directory(request.deck) : request.directory;
  std::string problem = refusal(*loaded);
  if (problem.empty())
    problem = output_refusal(*loaded, free_space(directory));
  if (problem.empty())
    problem = prepare_directory(directory, request.force);
  if (!problem.empty()) {
    err << problem;
    return exit_bad_input;
  }
  TextFile log(directory + "/run.log");
  const Desk desk{directory, log, out, err, request.progress};
  const ExitCode code = run_loaded(*loaded, desk, request);
  judge_options(request, desk);
  return code;
}

ExitCode check_deck(const std::string& path, const std::vector<std::string>& overrides, std::ostream& out,
                    std::ostream& err) {
  const std::optional<Loaded> loaded = load(path, overrides, err);
  if (!loaded)
    return exit_bad_input;
  out << full_report(*loaded);
  for (const std::string& warning :
       {critical_step_warning(*loaded), misfit_warning(*loaded), initial_turn_warning(*loaded),
        initial_tunnel_warning(*loaded), output_warning(*loaded, free_space("."))})
    if (!warning.empty())
      err << "warning: " << warning << "\n";
  const std::string refused = refusal(*loaded);
  err << refused;
  return refused.empty() ? exit_ok : exit_bad_input;
}

} // namespace emmy
