#pragma once
/// The progress line of a long run on a terminal.

#include "solvers/simulation.hpp"

#include <chrono>
#include <iosfwd>
#include <string>

namespace emmy {

class Progress {
public:
  /// The line begins with `what`.
  explicit Progress(std::ostream& out, std::string what = "");
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void observe(const Simulation& simulation, long step);
  /// Of work without steps in time.
  void show(const std::string& text);
  /// Wipes the line, so that something else can be printed.
  void clear();

private:
  bool is_due();

  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  std::string what_;
  Clock::time_point started_, shown_;
  bool visible_ = false;
  long first_ = -1; ///< step that was seen first: a run may go on from a checkpoint
};

} // namespace emmy
