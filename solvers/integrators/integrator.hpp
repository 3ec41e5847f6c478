#pragma once
/// An integrator takes a model from one state to the next.

#include "contact/happenings.hpp"
#include "core/model.hpp"
#include "solvers/step_report.hpp"

#include <string>
#include <vector>

namespace emmy {

/// A part of a step that obeys the equations of motion by itself.
struct StepStage {
  double share; ///< of the whole; negative if it runs back in time
  MovedStep step;
};

class Integrator {
public:
  virtual ~Integrator() = default;

  /// Prepares what the integrator carries in `state`; also after a state has been changed by hand.
  virtual void begin(State&) {}

  /// Advances `state` by h [s]. A step that fails leaves it as it was.
  virtual StepReport step(State& state, double h) = 0;

  /// The last step that was accepted, for the ledger and for reactions; valid until the next call of step().
  virtual Step last_step() const = 0;
  virtual MovedStep last_moved_step() const = 0;
  /// Its parts, one after the other: what joints and springs did in the step is the mean of what they did in these.
  virtual std::vector<StepStage> last_stages() const { return {{1, last_moved_step()}}; }

  /// Books of the last step that was accepted and led to `n1`.
  virtual StepBooks books(const State& n1) const = 0;

  /// What surfaces did in the last step that was accepted; null where there are none.
  virtual const contact::Happenings* happenings() const { return nullptr; }

  /// One line for the log: how the equations are solved.
  virtual std::string description() const = 0;
};

} // namespace emmy
