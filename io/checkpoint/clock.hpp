#pragma once
/// When a run writes its checkpoints.

#include "io/deck/deck.hpp"
#include "solvers/simulation.hpp"

#include <chrono>

namespace emmy {

class CheckpointClock {
public:
  /// `step` [s] is that of the run.
  CheckpointClock(const deck::Checkpoint& settings, double step);

  bool is_on() const { return settings_.keep > 0; }
  /// Whether one is due after so many steps.
  bool is_due(long step) const;
  void note_written() { written_ = Clock::now(); }

private:
  using Clock = std::chrono::steady_clock;
  deck::Checkpoint settings_;
  long stride_of_time_; ///< steps; 0: never
  Clock::time_point written_ = Clock::now();
};

} // namespace emmy
