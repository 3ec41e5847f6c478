#include "io/progress.hpp"

#include "io/report.hpp"

#include <algorithm>
#include <ostream>

namespace emmy {

namespace {
constexpr std::chrono::milliseconds refresh{100};
}

Progress::Progress(std::ostream& out, std::string what)
    : out_(out), what_(std::move(what)), started_(Clock::now()), shown_(started_) {}

void Progress::clear() {
  if (visible_)
    out_ << "\r\033[K" << std::flush;
  visible_ = false;
}

bool Progress::is_due() {
  const auto now = Clock::now();
  if (now - shown_ < refresh)
    return false;
  shown_ = now;
  return visible_ = true;
}

void Progress::show(const std::string& text) {
  if (is_due())
    out_ << "\r  " << what_ << text << "\033[K" << std::flush;
}

void Progress::observe(const Simulation& simulation, long step) {
  if (first_ < 0)
    first_ = std::max(0L, step - 1);
  if (step == 0 || !is_due())
    return;
  const double elapsed = std::chrono::duration<double>(shown_ - started_).count();
  const double left =
      elapsed * static_cast<double>(simulation.steps_planned() - step) / static_cast<double>(step - first_);
  out_ << formatted("\r  %st = %.4g of %.4g s   step %ld of %ld   %.1f iterations   %s left\033[K", what_.c_str(),
                    simulation.state().time, simulation.options().end, step, simulation.steps_planned(),
                    simulation.outcome().mean_iterations(), duration_text(left).c_str())
       << std::flush;
}

} // namespace emmy
