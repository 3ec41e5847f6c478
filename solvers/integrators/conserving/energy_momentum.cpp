#include "solvers/integrators/conserving/energy_momentum.hpp"

namespace emmy {

EnergyMomentum::EnergyMomentum(const Model& model, const NewtonOptions& options)
    : equations_(model), solver_(equations_, options) {}

StepReport EnergyMomentum::step(State& state, double h) {
  return solver_.advance_by_mean_rule(state, h);
}

StepBooks EnergyMomentum::books(const State& n1) const {
  StepBooks books = solver_.books(n1);
  solver_.constraints().book(last_step().lambda, books);
  return books;
}

std::string EnergyMomentum::description() const {
  return "energy-momentum, " + solver_.description();
}

} // namespace emmy
