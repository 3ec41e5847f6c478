#include "solvers/integrators/pointwise/midpoint.hpp"

namespace emmy {

Midpoint::Midpoint(const Model& model, const NewtonOptions& options)
    : model_(model), equations_(model), solver_(equations_, options) {}

StepReport Midpoint::step(State& state, double h) {
  return solver_.advance_by_mean_rule(state, h);
}

StepBooks Midpoint::books(const State& n1) const {
  const MovedStep s = last_moved_step();
  External impulse;
  impulse.add(s.h, equations_.external(s));
  return books_with(impulse, model_, s, n1);
}

std::string Midpoint::description() const {
  return "midpoint, " + solver_.description();
}

} // namespace emmy
