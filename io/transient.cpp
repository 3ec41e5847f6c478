#include "io/transient.hpp"

#include "core/counted.hpp"
#include "io/audit.hpp"
#include "io/checkpoint/checkpoint_file.hpp"
#include "io/checkpoint/clock.hpp"
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

namespace emmy {

namespace {

/// Steps after which the rank of redundant joints is compared with that at the start: far enough from a singular
/// configuration to tell.
constexpr long second_look = 10;
/// How often a run is looked at for surfaces that could pass through each other, and steps between two looks, at most.
constexpr long least_looks = 1000;
constexpr long longest_stride = 64;

SimulationOptions options_of(const Loaded& m) {
  return {m.deck.integrator.step, m.deck.integrator.end, m.deck.solver.max_halvings, "integrator.step"};
}

/// One run, with all that looks at it.
class TransientRun {
public:
  TransientRun(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart);
  ExitCode run();

private:
  void warn(const std::string& text);
  void warn_of_start();
  void begin();
  void go_on();
  void attach();
  void look_at_rank(const Simulation& s, long step);
  void look_for_tunnels(const Simulation& s, long step);
  void look_at_clock(const Simulation& s, long step);
  void step();
  bool is_to_stop() const;
  double wall() const; ///< time that was computed [s]
  bool has_checkpoints() const { return request_.checkpoints && clock_.is_on(); }
  void save(const RunState& run, const RecorderState& recorders);
  void save();
  void write_audit() const;
  ExitCode conclude(double time);
  std::string summary(double time) const;
  ExitCode estimate();

  const Loaded& m_;
  const Desk& desk_;
  const RunRequest& request_;
  const Restart* restart_; ///< null from the beginning
  const RunIdentity identity_;
  const SimulationOptions options_;
  const bool has_contact_;
  std::unique_ptr<ContactLog> contacts_;
  std::unique_ptr<History> history_;
  TunnelWatch tunnels_;
  DirectorMonitor directors_;
  const std::unique_ptr<Integrator> integrator_;
  std::optional<Simulation> simulation_;
  CheckpointClock clock_;
  std::optional<Sampling> sampling_;
  std::optional<Trajectory> trajectory_;
  std::optional<Progress> progress_;
  const Interrupt interrupt_; // Ctrl-C ends the run with all files closed
  double earlier_wall_ = 0;   // [s]: before the checkpoint
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  nlohmann::ordered_json audit_;
};

TransientRun::TransientRun(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart)
    : m_(m), desk_(desk), request_(request), restart_(restart),
      identity_(restart != nullptr ? restart->identity : identity_of(m, request)), options_(options_of(m)),
      has_contact_(!m.built.scene.surfaces.empty()), tunnels_(*m.built.model, m.built.scene, options_.step),
      directors_(m.built.directors), integrator_(make_integrator(m, options_.step)),
      clock_(m.deck.checkpoint, options_.step) {
  if (restart_ != nullptr)
    go_on();
  else
    begin();
  simulation_->watch_turns(turn_law(m_.deck));
  if (request.estimate) {
    sampling_.emplace(m.built, simulation_->steps_planned());
    trajectory_.emplace(m.built, *sampling_, 1);
  }
}

void TransientRun::begin() {
  const deck::Output& output = m_.deck.output;
  contacts_ = std::make_unique<ContactLog>(m_.built.scene, output.contacts, desk_.directory + "/impacts.csv");
  history_ = std::make_unique<History>(desk_.directory, m_.built, output, options_.step, contacts_.get());
  simulation_.emplace(*m_.built.model, m_.built.initial, *integrator_, options_);
}

void TransientRun::go_on() {
  const deck::Output& output = m_.deck.output;
  const RecorderState& was = restart_->checkpoint.recorders;
  if (restart_->in_place && has_checkpoints()) // what --set changes is known before files are cut
    save(restart_->checkpoint.run, was);
  contacts_ = std::make_unique<ContactLog>(m_.built.scene, output.contacts, desk_.directory + "/impacts.csv",
                                           was.contacts, restart_->in_place);
  history_ =
      restart_->in_place
          ? std::make_unique<History>(desk_.directory, m_.built, output, options_.step, contacts_.get(), was.history)
          : std::make_unique<History>(desk_.directory, m_.built, output, options_.step, contacts_.get());
  if (has_contact_)
    tunnels_.set_told(was.tunnels_told);
  directors_.set_largest(was.largest_condition);
  earlier_wall_ = was.wall;
  simulation_.emplace(*m_.built.model, restart_->checkpoint.run, *integrator_, options_);
}

void TransientRun::warn(const std::string& text) {
  desk_.log.write("warning: " + text + "\n");
  if (progress_)
    progress_->clear();
  desk_.err << "warning: " << text << "\n";
}

/// Lets everything look at the simulation.
void TransientRun::attach() {
  Simulation& simulation = *simulation_;
  if (has_contact_)
    simulation.observe_pieces([&](const Simulation& s) { contacts_->observe_piece(s); });
  simulation.observe([&](const Simulation& s, long step) {
    history_->observe(s, step);
    contacts_->end_step();
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
  simulation.observe([&](const Simulation& s, long step) { look_at_clock(s, step); }); // after all others
  simulation.on_warning([&](const std::string& text) { warn(text); });
  simulation.stop_when([&] { return is_to_stop(); });
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

void TransientRun::look_at_clock(const Simulation& s, long step) {
  if (has_checkpoints() && clock_.is_due(step) && step < s.steps_planned())
    save();
}

bool TransientRun::is_to_stop() const {
  const Simulation& s = *simulation_;
  const double part = static_cast<double>(s.outcome().whole_steps) / static_cast<double>(s.steps_planned());
  return interrupt_.requested() || (request_.stop_at && s.state().time >= *request_.stop_at) ||
         (request_.stop_at_part && part >= *request_.stop_at_part);
}

void TransientRun::step() {
  if (restart_ == nullptr)
    warn_of_start();
  else if (const std::string text = doubt(*restart_); !text.empty())
    warn(text);
  if (has_checkpoints() && (restart_ == nullptr || !restart_->in_place))
    save(); // whatever happens from now on, there is something to restart from
  if (request_.progress)
    progress_.emplace(desk_.err);
  attach();
  simulation_->run();
  progress_.reset();
}

double TransientRun::wall() const {
  return earlier_wall_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void TransientRun::save(const RunState& run, const RecorderState& recorders) {
  write_checkpoint(desk_.directory, {identity_, run, recorders}, m_.deck.checkpoint.keep);
  clock_.note_written();
}

/// Results are on the disk before the checkpoint that counts on them; those of a start, which are none, whenever the
/// system likes.
void TransientRun::save() {
  if (simulation_->outcome().whole_steps > 0) {
    history_->sync();
    contacts_->sync();
  }
  save(simulation_->run_state(), {history_->mark(), contacts_->mark(), tunnels_.told(), directors_.largest(), wall()});
}

void TransientRun::write_audit() const {
  replace_file(desk_.directory + "/audit.json", audit_.dump(2) + "\n");
}

ExitCode TransientRun::run() {
  step();
  const double time = wall();
  if (has_checkpoints())
    save(); // before the last lines of results, which an undisturbed run may not have
  history_->finish(*simulation_);
  contacts_->finish();
  audit_ = audit_json(*simulation_, m_.analysis, m_.built.has_strain, directors_, time);
  audit_["rotation"] = turn_json(simulation_->turns());
  if (has_contact_)
    audit_["contact"] = contacts_->json(simulation_->ledger());
  write_audit();
  const ExitCode code = conclude(time);
  if (!request_.estimate || !simulation_->outcome().completed)
    return code;
  const ExitCode estimated = estimate();
  return code == exit_ok ? estimated : code;
}

std::string TransientRun::summary(double time) const {
  const std::string impacts =
      contacts_->has_file() ? ", impacts.csv (" + counted(contacts_->lines(), "impact", "impacts") + ")" : "";
  return run_report(m_.deck, m_.built, m_.analysis, *simulation_, time) +
         (has_contact_ ? contacts_->summary(simulation_->ledger()) : "") + turn_line(simulation_->turns()) +
         "  Results in " + desk_.directory + ": " + history_->summary() + impacts + ", audit.json, run.log\n";
}

/// Says what came of it, once time has stopped.
ExitCode TransientRun::conclude(double time) {
  const std::string text = summary(time);
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
    if (has_checkpoints())
      say((outcome.failure.empty() ? "the run can go on from here: emmy run --restart "
                                   : "the last good state is kept in the newest checkpoint of ") +
          desk_.directory);
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

ExitCode run_transient(const Loaded& m, const Desk& desk, const RunRequest& request, const Restart* restart) {
  return TransientRun(m, desk, request, restart).run();
}

} // namespace emmy
