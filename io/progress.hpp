#pragma once
/// The progress line of a long run on a terminal.

#include "solvers/simulation.hpp"

#include <chrono>
#include <iosfwd>

namespace emmy {

class Progress {
public:
  explicit Progress(std::ostream& out);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void observe(const Simulation& simulation, long step);
  /// Wipes the line, so that something else can be printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  Clock::time_point started_, shown_;
  bool visible_ = false;
};

} // namespace emmy
