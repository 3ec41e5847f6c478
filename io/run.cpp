#include "io/run.hpp"

#include "io/audit.hpp"
#include "io/history.hpp"
#include "io/interrupt.hpp"
#include "io/model_builder.hpp"
#include "io/progress.hpp"
#include "io/report.hpp"
#include "solvers/constraint_analysis.hpp"
#include "solvers/integrators/energy_momentum.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <ostream>

namespace emmy {

namespace {

namespace fs = std::filesystem;

/// Initial data may miss the joints by what a person rounds when typing them, and no more [m], [m/s].
constexpr double typing_tolerance = 1e-8;

/// A deck that has been read, with its model.
struct Loaded {
  deck::Deck deck;
  BuiltModel built;
  ConstraintAnalysis analysis;
};

std::optional<Loaded> load(const std::string& path, const std::vector<std::string>& overrides, std::ostream& err) {
  deck::Diagnostics diagnostics;
  Loaded loaded;
  loaded.deck = deck::read_deck(path, overrides, diagnostics);
  err << diagnostics.text();
  if (diagnostics.has_errors())
    return std::nullopt;
  try {
    loaded.built = build_model(loaded.deck);
  } catch (const NotServed& refusal) {
    err << refusal.what();
    return std::nullopt;
  }
  loaded.analysis = analyse_constraints(*loaded.built.model, loaded.built.initial);
  return loaded;
}

std::string place_of_joint(const deck::Deck& deck, const std::string& name) {
  for (const deck::Joint& joint : deck.joints)
    if (joint.name == name && joint.where.line > 0)
      return formatted("%s:%d:%d", joint.where.file.c_str(), joint.where.line, joint.where.column);
  return deck.file;
}

/// Rounding of the coordinates, times a few: larger than the tolerance for typing in models of astronomical size.
double rounding_of(const VecX& numbers) {
  return 100 * std::numeric_limits<double>::epsilon() * (numbers.size() > 0 ? numbers.cwiseAbs().maxCoeff() : 0);
}

/// What keeps a model from being run; empty if nothing does.
std::string refusal(const Loaded& m) {
  const ConstraintAnalysis& a = m.analysis;
  const double gap = typing_tolerance + rounding_of(m.built.initial.values);
  const double rate = typing_tolerance + rounding_of(m.built.initial.rates);
  std::string text;
  if (a.position_violation > gap)
    text += place_of_joint(m.deck, a.worst_position) +
            formatted(": error: joint '%s' is not closed in the initial configuration: %s is off by %.3e\n"
                      "  expected at most %.0e; correct the positions and orientations of its bodies\n",
                      a.worst_position.c_str(), a.worst_position_row.c_str(), a.position_violation, gap);
  if (a.velocity_violation > rate)
    text += place_of_joint(m.deck, a.worst_velocity) +
            formatted(": error: the initial velocities tear joint '%s' apart: %s changes by %.3e a second\n"
                      "  expected at most %.0e; correct the velocities of its bodies\n",
                      a.worst_velocity.c_str(), a.worst_velocity_row.c_str(), a.velocity_violation, rate);
  if (a.redundancy() > 0) {
    std::string names;
    for (const std::string& name : a.redundant)
      names += (names.empty() ? "'" : ", '") + name + "'";
    text += place_of_joint(m.deck, a.redundant.front()) +
            formatted(": error: %ld redundant constraint equation(s), in the joints %s\n"
                      "  redundant joints are not served yet by this version of emmy; free some of their directions\n",
                      static_cast<long>(a.redundancy()), names.c_str());
  }
  return text;
}

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

std::string default_directory(const std::string& deck) {
  return fs::path(deck).filename().replace_extension(".out").string();
}

NewtonOptions newton_options(const deck::Solver& solver) {
  static const std::map<std::string, LinearSolver> names{{"auto", LinearSolver::automatic},
                                                         {"petsc", LinearSolver::petsc},
                                                         {"klu", LinearSolver::klu},
                                                         {"umfpack", LinearSolver::umfpack},
                                                         {"mumps", LinearSolver::mumps}};
  return {names.at(solver.linear), solver.max_iterations, solver.tolerance};
}

/// Writes everything that is left to write once time has stopped.
ExitCode conclude(const Loaded& m, const Simulation& simulation, double wall, const std::string& directory, long rows,
                  TextFile& log, std::ostream& out, std::ostream& err) {
  replace_file(directory + "/audit.json", audit_json(simulation, wall).dump(2) + "\n");
  const std::string summary =
      run_report(m.deck, m.built, m.analysis, simulation, wall) +
      formatted("  Results in %s: history.csv (%ld rows), audit.json, run.log\n", directory.c_str(), rows);
  log.write("solver: " + simulation.integrator().description() + "\n\n" + summary);
  out << summary;
  const Outcome& outcome = simulation.outcome();
  if (!outcome.completed) {
    const std::string failure = outcome.failure.empty()
                                    ? formatted("interrupted at t = %.9g s", simulation.state().time)
                                    : "error: " + outcome.failure;
    log.write(failure + "\n");
    err << failure << "\n";
    return outcome.failure.empty() ? exit_failed : exit_not_converged;
  }
  const Verdict verdict = judge(simulation.ledger(), m.deck.audit);
  for (const std::string& text : verdict.findings) {
    const std::string line = (verdict.fail ? "error: " : "warning: ") + text + "\n";
    log.write(line);
    err << line;
  }
  return verdict.fail ? exit_audit : exit_ok;
}

ExitCode run_loaded(const Loaded& m, const std::string& directory, const RunRequest& request, std::ostream& out,
                    std::ostream& err) {
  fs::remove(directory + "/audit.json"); // of an earlier run: it must not stand beside the new history
  History history(directory + "/history.csv", m.built, m.deck.output, m.deck.integrator.step);
  TextFile log(directory + "/run.log");
  log.write("emmy " EMMY_VERSION ", deck " + m.deck.file + "\n");
  for (const std::string& option : request.petsc_options)
    log.write("PETSc option " + option + "\n");
  for (const std::string& set : request.overrides)
    log.write("--set " + set + "\n");
  log.write(model_report(m.deck, m.built, m.analysis) + "\n");
  log.flush();

  EnergyMomentum integrator(*m.built.model, newton_options(m.deck.solver));
  Simulation simulation(*m.built.model, m.built.initial, integrator,
                        {m.deck.integrator.step, m.deck.integrator.end, m.deck.solver.max_halvings});
  simulation.observe([&](const Simulation& s, long step) { history.observe(s, step); });
  const Interrupt interrupt; // Ctrl-C ends the run with all files closed
  simulation.stop_when([&] { return interrupt.requested(); });

  const auto started = std::chrono::steady_clock::now();
  {
    std::optional<Progress> progress;
    simulation.on_warning([&](const std::string& text) {
      log.write("warning: " + text + "\n");
      if (progress)
        progress->clear();
      err << "warning: " << text << "\n";
    });
    if (request.progress) {
      progress.emplace(err);
      simulation.observe([&](const Simulation& s, long step) { progress->observe(s, step); });
    }
    simulation.run();
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  history.finish(simulation);
  return conclude(m, simulation, wall, directory, history.rows(), log, out, err);
}

} // namespace

ExitCode run_deck(const RunRequest& request, std::ostream& out, std::ostream& err) {
  const std::optional<Loaded> loaded = load(request.deck, request.overrides, err);
  if (!loaded)
    return exit_bad_input;
  const std::string refused = refusal(*loaded);
  if (!refused.empty()) {
    err << refused;
    return exit_bad_input;
  }
  const std::string directory = request.directory.empty() ? default_directory(request.deck) : request.directory;
  const std::string problem = prepare_directory(directory, request.force);
  if (!problem.empty()) {
    err << problem;
    return exit_bad_input;
  }
  if (request.before_solving)
    request.before_solving();
  return run_loaded(*loaded, directory, request, out, err);
}

ExitCode check_deck(const std::string& path, const std::vector<std::string>& overrides, std::ostream& out,
                    std::ostream& err) {
  const std::optional<Loaded> loaded = load(path, overrides, err);
  if (!loaded)
    return exit_bad_input;
  out << model_report(loaded->deck, loaded->built, loaded->analysis);
  const std::string refused = refusal(*loaded);
  err << refused;
  return refused.empty() ? exit_ok : exit_bad_input;
}

} // namespace emmy
