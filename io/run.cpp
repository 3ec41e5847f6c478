#include "io/run.hpp"

#include "core/counted.hpp"
#include "io/analyses.hpp"
#include "io/assembly_report.hpp"
#include "io/audit.hpp"
#include "io/contact_log.hpp"
#include "io/contact_start.hpp"
#include "io/estimate.hpp"
#include "io/history.hpp"
#include "io/interrupt.hpp"
#include "io/loading.hpp"
#include "io/output_size.hpp"
#include "io/progress.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"
#include "io/turns.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;

/// Steps after which the rank of redundant joints is compared with that at the start: far enough from a singular
/// configuration to tell.
constexpr long second_look = 10;
/// How often a run is looked at for surfaces that could pass through each other, and steps between two looks, at most.
constexpr long least_looks = 1000;
constexpr long longest_stride = 64;

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
  return turn_warning(TurnWatch(*m.built.model, m.built.initial, m.deck.integrator.step, turn_law(m.deck)));
}

void write_audit(const nlohmann::ordered_json& audit, const Desk& desk) {
  replace_file(desk.directory + "/audit.json", audit.dump(2) + "\n");
}

/// Writes everything that is left to write once time has stopped.
ExitCode conclude(const Loaded& m, const Simulation& simulation, const TurnWatch& turns, const ContactLog& contacts,
                  double wall, const Desk& desk, long rows) {
  const auto& [directory, log, out, err, progress] = desk;
  const std::string impacts =
      contacts.has_file() ? ", impacts.csv (" + counted(contacts.lines(), "impact", "impacts") + ")" : "";
  const std::string summary = run_report(m.deck, m.built, m.analysis, simulation, wall) +
                              (m.built.scene.surfaces.empty() ? "" : contacts.summary(simulation.ledger())) +
                              turn_line(turns) +
                              formatted("  Results in %s: history.csv (%s)%s, audit.json, run.log\n", directory.c_str(),
                                        counted(rows, "row", "rows").c_str(), impacts.c_str());
  log.write("solver: " + simulation.integrator().description() + "\n\n" + summary);
  out << summary;
  if (const std::string text = turn_warning(turns); !text.empty()) {
    log.write("warning: " + text + "\n");
    err << "warning: " << text << "\n";
  }
  const Outcome& outcome = simulation.outcome();
  if (!outcome.completed) {
    const std::string failure = (outcome.failure.empty() ? "" : "error: ") + early_end(simulation);
    log.write(failure + "\n");
    err << failure << "\n";
    return outcome.failure.empty() ? exit_failed : exit_not_converged;
  }
  const Verdict verdict = judge(simulation.ledger(), m.deck);
  for (const std::string& text : verdict.findings) {
    const std::string line = (verdict.fail ? "error: " : "warning: ") + text + "\n";
    log.write(line);
    err << line;
  }
  return verdict.fail ? exit_audit : exit_ok;
}

/// Says how accurate a run is that has been concluded.
ExitCode tell_estimate(const std::optional<Estimate>& estimate, nlohmann::ordered_json& audit, const Desk& desk) {
  if (!estimate) {
    const char* text = "interrupted while the run was repeated: there is no estimate; its results are complete\n";
    desk.log.write(text);
    desk.err << text;
    return exit_failed;
  }
  audit["estimate"] = estimate_json(*estimate);
  write_audit(audit, desk);
  const std::string text = estimate_text(*estimate);
  desk.log.write(text);
  desk.out << text;
  return exit_ok;
}

ExitCode run_transient(const Loaded& m, const Desk& desk, const RunRequest& request) {
  const bool has_contact = !m.built.scene.surfaces.empty();
  ContactLog contacts(m.built.scene, m.deck.output.contacts, desk.directory + "/impacts.csv");
  History history(desk.directory + "/history.csv", m.built, m.deck.output, m.deck.integrator.step, &contacts);
  const std::unique_ptr<Integrator> integrator = make_integrator(m, m.deck.integrator.step);
  Simulation simulation(*m.built.model, m.built.initial, *integrator,
                        {m.deck.integrator.step, m.deck.integrator.end, m.deck.solver.max_halvings});
  if (has_contact)
    simulation.observe_parts([&](const Simulation& s) { contacts.observe_part(s); });
  simulation.observe([&](const Simulation& s, long step) {
    history.observe(s, step);
    contacts.end_step();
  });
  TurnWatch turns(*m.built.model, m.built.initial, m.deck.integrator.step, turn_law(m.deck));
  simulation.observe([&](const Simulation& s, long step) {
    if (step > 0)
      turns.look(s.integrator().last_step(), s.state().time);
  });
  const Sampling sampling(m.built, simulation.steps_planned());
  Trajectory trajectory(m.built, sampling, 1);
  if (request.estimate)
    simulation.observe([&](const Simulation& s, long step) { trajectory.observe(s, step); });
  DirectorMonitor directors(m.built.directors);
  if (!directors.empty())
    simulation.observe([&](const Simulation& s, long) { directors.observe(s); });
  const Interrupt interrupt; // Ctrl-C ends the run with all files closed
  simulation.stop_when([&] { return interrupt.requested(); });

  const auto started = std::chrono::steady_clock::now();
  {
    std::optional<Progress> progress;
    const auto warn = [&](const std::string& text) {
      desk.log.write("warning: " + text + "\n");
      if (progress)
        progress->clear();
      desk.err << "warning: " << text << "\n";
    };
    simulation.on_warning(warn);
    for (const std::string& text :
         {critical_step_warning(m), misfit_warning(m), output_warning(m, free_space(desk.directory))})
      if (!text.empty())
        warn(text);
    if (m.analysis.redundancy() > 0)
      simulation.observe([&](const Simulation& s, long step) {
        if (step != std::min(second_look, s.steps_planned()))
          return;
        if (const std::string text = singular_start_warning(m, s.state()); !text.empty())
          warn(text);
      });
    TunnelWatch tunnels(*m.built.model, m.built.scene, m.deck.integrator.step);
    if (has_contact)
      simulation.observe([&](const Simulation& s, long step) {
        const long stride = std::clamp(s.steps_planned() / least_looks, 1L, longest_stride);
        if (step % stride != 0)
          return;
        if (const std::string text = tunnels.look(s.state()); !text.empty())
          warn(text);
      });
    if (request.progress) {
      progress.emplace(desk.err);
      simulation.observe([&](const Simulation& s, long step) { progress->observe(s, step); });
    }
    simulation.run();
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  history.finish(simulation);
  contacts.finish();
  nlohmann::ordered_json audit = audit_json(simulation, m.analysis, m.built.has_strain, directors, wall);
  audit["rotation"] = turn_json(turns);
  if (has_contact)
    audit["contact"] = contacts.json(simulation.ledger());
  write_audit(audit, desk);
  const ExitCode code = conclude(m, simulation, turns, contacts, wall, desk, history.rows());
  if (!request.estimate || !simulation.outcome().completed)
    return code;
  const ExitCode estimated = tell_estimate(
      estimate_accuracy(m, trajectory, simulation.outcome(), sampling, interrupt, request.progress, desk.err), audit,
      desk);
  return code == exit_ok ? estimated : code;
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
        warn(option + " changes nothing: 'tolerance' of 'solver' in the deck says how exact a step must be");
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
