#include "io/director_monitor.hpp"

#include <algorithm>

namespace emmy {

void DirectorMonitor::observe(const Simulation& simulation) {
  for (const DirectorBody* body : bodies_)
    largest_ = std::max(largest_, body->momentum_condition(simulation.state()).cwiseAbs().maxCoeff());
}

} // namespace emmy
