#pragma once
/// Runs a model in time: steps, retries with halved steps, the ledger, and observers that look at every accepted step.

#include "solvers/integrators/integrator.hpp"
#include "solvers/run_state.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

/// What rounding of a time may be, relative to it.
constexpr double rounding_of_times = 1e-12;

struct SimulationOptions {
  double step = 0;             ///< [s]
  double end = 0;              ///< [s]
  int max_halvings = 8;        ///< how often a step that failed may be halved
  const char* step_name = "h"; ///< what the step is called by those who choose it
};

class Simulation {
public:
  /// Called after every full step with the number of steps done.
  using Observer = std::function<void(const Simulation&, long step)>;

  /// A run from its beginning.
  Simulation(const Model& model, State initial, Integrator& integrator, const SimulationOptions& options);
  /// A run that goes on where another one stopped, in steps of the same length.
  Simulation(const Model& model, RunState run, Integrator& integrator, const SimulationOptions& options);

  /// Looks for the largest turn of a body in a step, by the law of the integrator.
  void watch_turns(const TurnLaw& law);
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  /// Called after every piece of a step that was accepted, before the observers of the whole step.
  void observe_pieces(std::function<void(const Simulation&)> observer) { piece_observer_ = std::move(observer); }
  /// Called with one line each time something needs a person's attention.
  void on_warning(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  /// Asked before every step; true ends the run early.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }

  Outcome run();

  const Model& model() const { return model_; }
  const RunState& run_state() const { return run_; }
  const State& state() const { return run_.state; }
  const Ledger& ledger() const { return run_.ledger; }
  const Outcome& outcome() const { return run_.outcome; }
  const Integrator& integrator() const { return integrator_; }
  /// Of watch_turns(), which must have been called.
  TurnWatch::Findings turns() const { return turns_->findings(run_.turns); }
  const SimulationOptions& options() const { return options_; }
  long steps_planned() const { return planned_; }
  /// False if the last step is shorter than the others.
  bool ends_with_whole_step() const;
  /// True if the integrator's last step led to state(): not at the start, nor after an attempt that failed.
  bool has_step() const { return has_step_; }

private:
  bool advance(double h, int halvings);
  bool advance_divided(double h, double first, int halvings);
  bool repeat_divided(double h, int halvings);
  void accept(const StepReport& report);
  bool is_spoilt(const Step& s) const;
  void judge_strain() const;
  void tell(const StepReport& report);
  void watch_branch(bool rescued);
  void note_passage();
  void tell_passage(const std::string& what);
  /// With the largest reaction, in one part of the model or in all of it.
  std::string most_loaded_joint(std::optional<std::size_t> part = {}) const;
  std::string singular_configuration() const;
  std::string describe_failure(long step, double h, const std::string& why) const;

  const Model& model_;
  RunState run_;
  Integrator& integrator_;
  SimulationOptions options_;
  long planned_;
  bool is_watched_; // for singular configurations: joints, but no limits, at which velocities jump
  BranchWatch branches_;
  std::optional<TurnWatch> turns_;
  State before_;    // at the start of the step
  std::string why_; // of the last failed attempt
  double failed_h_ = 0;
  bool has_step_ = false;
  std::vector<Observer> observers_;
  std::function<void(const Simulation&)> piece_observer_;
  std::function<void(const std::string&)> warn_;
  std::function<bool()> stop_;
};

} // namespace emmy
