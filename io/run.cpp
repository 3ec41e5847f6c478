#include "io/run.hpp"

#include "core/counted.hpp"
#include "io/analyses.hpp"
#include "io/assembly_report.hpp"
#include "io/channels/catalogue.hpp"
#include "io/channels/selection.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/checkpoint/restart.hpp"
#include "io/contact_log.hpp"
#include "io/contact_start.hpp"
#include "io/directory_lock.hpp"
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
std::string prepare_directory(const fs::path& directory) {
  std::error_code failed;
  if (fs::exists(directory, failed) && !fs::is_directory(directory, failed))
    return directory.string() + ": error: cannot write results here: it is not a directory\n";
  make_directories(directory.string(), failed);
  if (failed)
    return directory.string() + ": error: cannot create the directory: " + failed.message() + "\n";
  return {};
}

/// Why a directory that is ours cannot be filled.
std::string occupied(const std::string& directory, bool force) {
  std::error_code failed;
  if (force || fs::is_empty(directory, failed) || failed)
    return {};
  return directory + ": error: the directory exists and is not empty\n"
                     "  give another one with -o DIR, or --force to overwrite the results in it\n";
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

/// Results of an earlier run: none may stand beside ours.
void remove_results(const fs::path& directory) {
  for (const char* name : {"audit.json", "history.csv", "impacts.csv", "modes.csv"})
    if (fs::is_regular_file(directory / name))
      remove_file((directory / name).string());
  std::vector<fs::path> groups;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (const std::string name = entry.path().filename().string();
        entry.is_regular_file() && name.compare(0, 8, "history.") == 0 && entry.path().extension() == ".csv")
      groups.push_back(entry.path());
  for (const fs::path& group : groups)
    remove_file(group.string());
  remove_checkpoints(directory.string());
}

void write_log_head(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart) {
  desk.log.write("emmy " EMMY_VERSION ", deck " + m.deck.file + "\n");
  if (restart != nullptr)
    desk.log.write(formatted("goes on from t = %.9g s, step %ld, of %s\n", restart->checkpoint.run.state.time,
                             restart->checkpoint.run.outcome.whole_steps, restart->directory.c_str()));
  if (!request.petsc_options.empty()) {
    desk.log.write("PETSc options:");
    for (const std::string& word : request.petsc_options)
      desk.log.write(" " + word);
    desk.log.write("\n");
  }
  for (const std::string& set : request.overrides)
    desk.log.write("--set " + set + "\n");
  if (restart == nullptr)
    desk.log.write(full_report(m) + "\n");
  desk.log.flush();
}

ExitCode run_loaded(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart) {
  write_log_head(m, desk, request, restart);
  if (m.deck.analysis.type == "static")
    return run_static(m, desk);
  if (m.deck.analysis.type == "modes")
    return run_modes(m, desk);
  return run_transient(m, desk, request, restart);
}

/// Why results cannot be written, before anything is; otherwise makes their directory.
std::string prepare_output(const Loaded& m, const RunRequest& request, const Restart* restart) {
  const long done = restart != nullptr ? restart->checkpoint.run.outcome.whole_steps : 0;
  std::string problem = refusal(m);
  if (problem.empty())
    problem = output_refusal(m, free_space(request.directory), done);
  if (problem.empty())
    problem = prepare_directory(request.directory);
  return problem;
}

/// Whether nobody else writes to a directory; says so on `err` if somebody does.
bool is_ours(const DirectoryLock& lock, const std::string& directory, std::ostream& err) {
  if (lock.is_taken())
    err << directory << ": error: another run is writing its results here\n";
  return !lock.is_taken();
}

/// Runs, and says what can be done if the disk is full.
ExitCode run_to_the_end(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart) {
  try {
    const ExitCode code = run_loaded(m, desk, request, restart);
    judge_options(request, desk);
    return code;
  } catch (const FileError& error) {
    desk.err << error.what() << "\n";
    if (!checkpoint_files(desk.directory).empty())
      desk.err << "  once it can be written, the run goes on from its newest checkpoint by: emmy run --restart "
               << desk.directory << "\n";
    return exit_bad_input;
  }
}

/// Adds to the results of a run whose directory is ours.
ExitCode run_on_here(const Loaded& m, const RunRequest& request, const Restart& restart, std::ostream& out,
                     std::ostream& err) {
  const std::string log_path = request.directory + "/run.log";
  const std::optional<FileMark> log_end = mark_of(log_path);
  std::optional<TextFile> log;
  if (log_end)
    log.emplace(log_path, *log_end);
  else
    log.emplace(log_path);
  remove_file(request.directory + "/audit.json"); // of the part before
  return run_to_the_end(m, {request.directory, *log, out, err, request.progress}, request, &restart);
}

/// Makes a directory for results and fills it.
ExitCode run_in_new_directory(const Loaded& m, const RunRequest& request, const Restart* restart, std::ostream& out,
                              std::ostream& err) {
  if (const std::string problem = prepare_output(m, request, restart); !problem.empty()) {
    err << problem;
    return exit_bad_input;
  }
  const DirectoryLock lock(request.directory);
  if (!is_ours(lock, request.directory, err))
    return exit_bad_input;
  // Not before: another run may have begun to fill it in the meantime.
  if (const std::string problem = occupied(request.directory, request.force); !problem.empty()) {
    err << problem;
    return exit_bad_input;
  }
  remove_results(request.directory);
  TextFile log(request.directory + "/run.log");
  return run_to_the_end(m, {request.directory, log, out, err, request.progress}, request, restart);
}

ExitCode run_again(RunRequest& request, std::ostream& out, std::ostream& err) {
  std::optional<DirectoryLock> lock;
  if (goes_on_in_place(request)) // before the checkpoint is read: another run might be about to write a newer one
    lock.emplace(request.restart);
  if (lock && !is_ours(*lock, request.restart, err))
    return exit_bad_input;
  std::optional<Restart> restart = prepare_restart(request, err);
  if (!restart)
    return exit_bad_input;
  const std::optional<Loaded> loaded = load_again(*restart, err);
  if (!loaded)
    return exit_bad_input;
  if (request.before_solving)
    request.before_solving(request.petsc_options);
  forget_end(*restart, *loaded);
  if (const std::string problem = misfit(*restart, *loaded); !problem.empty()) {
    err << problem;
    return exit_bad_input;
  }
  return restart->in_place ? run_on_here(*loaded, request, *restart, out, err)
                           : run_in_new_directory(*loaded, request, &*restart, out, err);
}

ExitCode refuse_estimate(const std::string& why, std::ostream& err) {
  err << "emmy: error: --estimate compares motions in time, and " << why << "\n";
  return exit_bad_input;
}

} // namespace

ExitCode run_deck(RunRequest request, std::ostream& out, std::ostream& err) {
  if (!request.restart.empty()) {
    if (request.estimate)
      return refuse_estimate("a run that goes on has only a part of one\n  expected --restart, or --estimate", err);
    return run_again(request, out, err);
  }
  const std::optional<Loaded> loaded = load(request.deck, request.overrides, err);
  if (!loaded)
    return exit_bad_input;
  if (request.estimate && loaded->deck.analysis.type != "transient")
    return refuse_estimate("'analysis' of " + request.deck + " is '" + loaded->deck.analysis.type +
                               "'\n  expected 'transient', or no --estimate",
                           err);
  if (request.before_solving) // refuses options of PETSc before anything is written
    request.before_solving(request.petsc_options);
  if (request.directory.empty())
    request.directory = default_directory(request.deck);
  return run_in_new_directory(*loaded, request, nullptr, out, err);
}

ExitCode check_deck(const std::string& path, const std::vector<std::string>& overrides, bool only_channels,
                    std::ostream& out, std::ostream& err) {
  const std::optional<Loaded> loaded = load(path, overrides, err);
  if (!loaded)
    return exit_bad_input;
  if (only_channels) {
    out << channel_table(channels_of(loaded->built, loaded->deck.output, nullptr));
    return exit_ok;
  }
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
