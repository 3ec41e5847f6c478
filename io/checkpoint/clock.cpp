#include "io/checkpoint/clock.hpp"

#include <algorithm>
#include <cmath>

namespace emmy {

CheckpointClock::CheckpointClock(const deck::Checkpoint& settings, double step)
    : settings_(settings),
      stride_of_time_(settings.every > 0 ? std::lround(std::clamp(settings.every / step, 1.0, 1e15)) : 0) {}

bool CheckpointClock::is_due(long step) const {
  if (!is_on() || step == 0)
    return false;
  if ((stride_of_time_ > 0 && step % stride_of_time_ == 0) ||
      (settings_.every_steps > 0 && step % settings_.every_steps == 0))
    return true;
  return settings_.every_wall > 0 &&
         std::chrono::duration<double>(Clock::now() - written_).count() > settings_.every_wall;
}

} // namespace emmy
