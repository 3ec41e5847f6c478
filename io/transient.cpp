#include "io/transient.hpp"

#include "core/archive.hpp"
#include "core/counted.hpp"
#include "io/audit.hpp"
#include "io/contact_log.hpp"
#include "io/contact_start.hpp"
#include "io/director_monitor.hpp"
#include "io/estimate.hpp"
#include "io/history.hpp"
#include "io/interrupt.hpp"
#include "io/output_size.hpp"
#include "io/progress.hpp"
#include "io/report.hpp"
#include "io/time_stepping.hpp"
#include "io/turns.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

namespace emmy {

namespace {

/// Steps after which the rank of redundant joints is compared with that at the start: far enough from a singular
/// configuration to tell.
constexpr long second_look = 10;
/// How often a run is looked at for surfaces that could pass through each other, and steps between two looks, at most.
constexpr long least_looks = 1000;
constexpr long longest_stride = 64;

/// One run, with all that looks at it. These live as long as the run; the simulation and its integrator may be others
/// after a stop.
class TransientRun {
public:
  TransientRun(const Loaded& m, const Desk& desk, const RunRequest& request);
  ExitCode run();

private:
  void warn(const std::string& text);
  void warn_of_start();
  void begin();
  void attach();
  void look_at_rank(const Simulation& s, long step);
  void look_for_tunnels(const Simulation& s, long step);
  void step();
  bool stop_and_go_on();
  void write_audit() const;
  ExitCode conclude();
  std::string summary() const;
  ExitCode estimate();

  const Loaded& m_;
  const Desk& desk_;
  const RunRequest& request_;
  const SimulationOptions options_;
  const bool has_contact_;
  ContactLog contacts_;
  History history_;
  TunnelWatch tunnels_;
  DirectorMonitor directors_;
  std::unique_ptr<Integrator> integrator_;
  std::optional<Simulation> simulation_;
  std::optional<Sampling> sampling_;
  std::optional<Trajectory> trajectory_;
  std::optional<Progress> progress_;
  const Interrupt interrupt_; // Ctrl-C ends the run with all files closed
  double wall_ = 0;           // [s]
  nlohmann::ordered_json audit_;
};

TransientRun::TransientRun(const Loaded& m, const Desk& desk, const RunRequest& request)
    : m_(m), desk_(desk), request_(request), options_{m.deck.integrator.step, m.deck.integrator.end,
                                                      m.deck.solver.max_halvings, "integrator.step"},
      has_contact_(!m.built.scene.surfaces.empty()),
      contacts_(m.built.scene, m.deck.output.contacts, desk.directory + "/impacts.csv"),
      history_(desk.directory + "/history.csv", m.built, m.deck.output, options_.step, &contacts_),
      tunnels_(*m.built.model, m.built.scene, options_.step), directors_(m.built.directors) {
  begin();
  if (request.estimate) {
    sampling_.emplace(m.built, simulation_->steps_planned());
    trajectory_.emplace(m.built, *sampling_, 1);
  }
}

void TransientRun::warn(const std::string& text) {
  desk_.log.write("warning: " + text + "\n");
  if (progress_)
    progress_->clear();
  desk_.err << "warning: " << text << "\n";
}

void TransientRun::begin() {
  integrator_ = make_integrator(m_, options_.step);
  simulation_.emplace(*m_.built.model, m_.built.initial, *integrator_, options_);
  simulation_->watch_turns(turn_law(m_.deck));
}

/// Lets everything look at the simulation.
void TransientRun::attach() {
  Simulation& simulation = *simulation_;
  if (has_contact_)
    simulation.observe_pieces([&](const Simulation& s) { contacts_.observe_piece(s); });
  simulation.observe([&](const Simulation& s, long step) {
    history_.observe(s, step);
    contacts_.end_step();
  });
  if (trajectory_)
    simulation.observe([&](const Simulation& s, long step) { trajectory_->observe(s, step); });
  if (!directors_.empty())
    simulation.observe([&](const Simulation& s, long) { directors_.observe(s); });
  if (m_.analysis.redundancy() > 0)
    simulation.observe([&](const Simulation& s, long step) { look_at_rank(s, step); });
  if (has_contact_)
    simulation.observe([&](const Simulation& s, long step) { look_for_tunnels(s, step); });
  if (progress_)
    simulation.observe([&](const Simulation& s, long step) { progress_->observe(s, step); });
  simulation.on_warning([&](const std::string& text) { warn(text); });
  simulation.stop_when([&] { return interrupt_.requested(); });
}

void TransientRun::look_at_rank(const Simulation& s, long step) {
  if (step != std::min(second_look, s.steps_planned()))
    return;
  if (const std::string text = singular_start_warning(m_, s.state()); !text.empty())
    warn(text);
}

void TransientRun::look_for_tunnels(const Simulation& s, long step) {
  const long stride = std::clamp(s.steps_planned() / least_looks, 1L, longest_stride);
  if (step % stride != 0)
    return;
  if (const std::string text = tunnels_.look(s.state()); !text.empty())
    warn(text);
}

void TransientRun::warn_of_start() {
  for (const std::string& text :
       {critical_step_warning(m_), misfit_warning(m_), output_warning(m_, free_space(desk_.directory))})
    if (!text.empty())
      warn(text);
}

void TransientRun::step() {
  const auto started = std::chrono::steady_clock::now();
  warn_of_start();
  if (request_.progress)
    progress_.emplace(desk_.err);
  attach();
  if (stop_and_go_on())
    simulation_->run();
  progress_.reset();
  wall_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

/// Runs to so many random steps; after each the run goes on from its bytes, by another simulation. False if it ends on
/// the way.
bool TransientRun::stop_and_go_on() {
  std::mt19937 random(static_cast<unsigned>(request_.stops)); // the same steps every time
  std::vector<long> stops;
  for (int i = 0; i < request_.stops; ++i)
    stops.push_back(std::uniform_int_distribution<long>(0, simulation_->steps_planned() - 1)(random));
  std::sort(stops.begin(), stops.end());
  for (const long stop : stops) {
    simulation_->stop_when([&, stop] { return interrupt_.requested() || simulation_->outcome().whole_steps >= stop; });
    if (const Outcome outcome = simulation_->run(); !outcome.failure.empty() || interrupt_.requested())
      return false;
    const Bytes bytes = bytes_of(simulation_->run_state());
    RunState run;
    ByteReader{bytes}(run);
    simulation_.reset();
    integrator_ = make_integrator(m_, options_.step);
    simulation_.emplace(*m_.built.model, std::move(run), *integrator_, options_);
    simulation_->watch_turns(turn_law(m_.deck));
    attach();
  }
  return true;
}

void TransientRun::write_audit() const {
  replace_file(desk_.directory + "/audit.json", audit_.dump(2) + "\n");
}

ExitCode TransientRun::run() {
  step();
  history_.finish(*simulation_);
  contacts_.finish();
  audit_ = audit_json(*simulation_, m_.analysis, m_.built.has_strain, directors_, wall_);
  audit_["rotation"] = turn_json(simulation_->turns());
  if (has_contact_)
    audit_["contact"] = contacts_.json(simulation_->ledger());
  write_audit();
  const ExitCode code = conclude();
  if (!request_.estimate || !simulation_->outcome().completed)
    return code;
  const ExitCode estimated = estimate();
  return code == exit_ok ? estimated : code;
}

std::string TransientRun::summary() const {
  const std::string impacts =
      contacts_.has_file() ? ", impacts.csv (" + counted(contacts_.lines(), "impact", "impacts") + ")" : "";
  return run_report(m_.deck, m_.built, m_.analysis, *simulation_, wall_) +
         (has_contact_ ? contacts_.summary(simulation_->ledger()) : "") + turn_line(simulation_->turns()) +
         formatted("  Results in %s: history.csv (%s)%s, audit.json, run.log\n", desk_.directory.c_str(),
                   counted(history_.rows(), "row", "rows").c_str(), impacts.c_str());
}

/// Says what came of it, once time has stopped.
ExitCode TransientRun::conclude() {
  const std::string text = summary();
  desk_.log.write("solver: " + integrator_->description() + "\n\n" + text);
  desk_.out << text;
  if (const std::string turns = turn_warning(simulation_->turns()); !turns.empty())
    warn(turns);
  const auto say = [&](const std::string& line) {
    desk_.log.write(line + "\n");
    desk_.err << line << "\n";
  };
  const Outcome& outcome = simulation_->outcome();
  if (!outcome.completed) {
    say((outcome.failure.empty() ? "" : "error: ") + early_end(*simulation_));
    return outcome.failure.empty() ? exit_failed : exit_not_converged;
  }
  const Verdict verdict = judge(simulation_->ledger(), m_.deck);
  for (const std::string& finding : verdict.findings)
    say((verdict.fail ? "error: " : "warning: ") + finding);
  return verdict.fail ? exit_audit : exit_ok;
}

/// Says how accurate a run is that has been concluded.
ExitCode TransientRun::estimate() {
  const std::optional<Estimate> found =
      estimate_accuracy(m_, *trajectory_, simulation_->outcome(), *sampling_, interrupt_, request_.progress, desk_.err);
  if (!found) {
    const char* text = "interrupted while the run was repeated: there is no estimate; its results are complete\n";
    desk_.log.write(text);
    desk_.err << text;
    return exit_failed;
  }
  audit_["estimate"] = estimate_json(*found);
  write_audit();
  const std::string text = estimate_text(*found);
  desk_.log.write(text);
  desk_.out << text;
  return exit_ok;
}

} // namespace

ExitCode run_transient(const Loaded& m, const Desk& desk, const RunRequest& request) {
  return TransientRun(m, desk, request).run();
}

} // namespace emmy
