#include "io/director_monitor.hpp"

#include <algorithm>

namespace emmy {

DirectorMonitor::DirectorMonitor(const Model& model) {
  for (const Body* body : model.bodies())
    if (const auto* director = dynamic_cast<const DirectorBody*>(body))
      bodies_.push_back(director);
}

void DirectorMonitor::observe(const Simulation& simulation) {
  for (const DirectorBody* body : bodies_)
    largest_ = std::max(largest_, body->momentum_condition(simulation.state()).cwiseAbs().maxCoeff());
}

} // namespace emmy
