#pragma once
/// Runs a model in time: steps, retries with halved steps, the ledger, and observers that look at every accepted step.

#include "core/ledger.hpp"
#include "solvers/integrators/integrator.hpp"
#include "solvers/watches/branch_watch.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace emmy {

struct SimulationOptions {
  double step = 0;      ///< [s]
  double end = 0;       ///< [s]
  int max_halvings = 8; ///< how often a step that failed may be halved
};

struct Outcome {
  bool completed = false;
  long steps = 0;          ///< accepted, parts of steps included
  long whole_steps = 0;    ///< of the length that was asked for, taken at once or in parts
  long divided_steps = 0;  ///< those of them that were taken in parts
  long rejected_steps = 0; ///< attempts that did not converge, or were spoilt by reactions without a lever
  long rescued_steps = 0;  ///< solved only with more regularisation: near a singular configuration
  long iterations = 0;     ///< of all accepted steps
  int max_iterations = 0;
  long sweeps = 0; ///< updates of the multipliers of augmented Lagrangians, of all accepted steps
  int max_sweeps = 0;
  double max_violation = 0; ///< what they left of their constraints [m], [rad], e of [A4]
  std::string failure;      ///< time, step, place and remedy, if not completed
  double mean_iterations() const {
    return steps > 0 ? static_cast<double>(iterations) / static_cast<double>(steps) : 0;
  }
  double mean_sweeps() const { return steps > 0 ? static_cast<double>(sweeps) / static_cast<double>(steps) : 0; }
};

class Simulation {
public:
  /// Called after every full step with the number of steps done.
  using Observer = std::function<void(const Simulation&, long step)>;

  Simulation(const Model& model, State initial, Integrator& integrator, const SimulationOptions& options);

  void observe(Observer observer) { observers_.push_back(std::move(observer)); }
  /// Called after every part of a step that was accepted, before the observers of the whole step.
  void observe_parts(std::function<void(const Simulation&)> observer) { part_observer_ = std::move(observer); }
  /// Called with one line each time something needs a person's attention.
  void on_warning(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  /// Asked before every step; true ends the run early.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }

  Outcome run();

  const Model& model() const { return model_; }
  const State& state() const { return state_; }
  const Ledger& ledger() const { return course_.ledger; }
  const Integrator& integrator() const { return integrator_; }
  const Outcome& outcome() const { return course_.outcome; }
  const SimulationOptions& options() const { return options_; }
  long steps_planned() const { return planned_; }
  /// True if the integrator's last step led to state(): not at the start, nor after an attempt that failed.
  bool has_step() const { return has_step_; }

private:
  /// What accepted steps have left behind, beside the state.
  struct Course {
    Ledger ledger;
    Outcome outcome;
    BranchWatch branches;
    long last_rescued = 0; ///< step
    double mean_load = 0;  ///< running mean of the largest multiplier
  };

  bool advance(double h, int halvings);
  bool advance_in_parts(double h, double first, int halvings);
  bool repeat_in_parts(double h, int halvings);
  void accept(const StepReport& report);
  bool is_spoilt(const Step& s) const;
  void judge_strain() const;
  void watch_branch(bool rescued);
  void note_passage();
  void tell_passage(const std::string& what);
  /// With the largest reaction, in one part of the model or in all of it.
  std::string most_loaded_joint(std::optional<std::size_t> part = {}) const;
  std::string singular_configuration() const;
  std::string describe_failure(long step, double h, const std::string& why) const;

  const Model& model_;
  State state_;
  State initial_, before_; // at the start of the run, and of the step
  Integrator& integrator_;
  SimulationOptions options_;
  long planned_ = 0;
  Course course_;
  std::string why_; // of the last failed attempt
  double failed_h_ = 0;
  bool has_step_ = false;
  std::vector<Observer> observers_;
  std::function<void(const Simulation&)> part_observer_;
  std::function<void(const std::string&)> warn_;
  std::function<bool()> stop_;
  bool is_watched_ = false; // for singular configurations: joints, but no limits, at which velocities jump
  long passages_ = 0;       // of singular configurations, that were worth telling
};

} // namespace emmy
