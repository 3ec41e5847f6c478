#include "solvers/integrators/energy_momentum.hpp"

namespace emmy {

EnergyMomentum::EnergyMomentum(const Model& model, const NewtonOptions& options)
    : model_(model), equations_(model), assembler_(equations_, options.augmented), newton_(assembler_, options),
      previous_(model.rest_state()) {}

StepReport EnergyMomentum::step(State& state, double h) {
  previous_ = state; // same sizes: copies without allocating
  const NewtonReport newton = newton_.solve(previous_, h);
  StepReport report{newton.converged, newton.iterations, newton.why,      newton.rescued,
                    newton.warning,   newton.sweeps,     newton.violation};
  if (!report.converged)
    return report;
  const Step s = assembler_.step();
  model_.retract_nodes(s, state.values);
  // The same z/h - rates as in the residual [D11]: written otherwise, its rounding makes energy drift.
  state.rates.noalias() += 2 * (s.z * s.inv_h - previous_.rates);
  state.multipliers = s.lambda;
  state.time = previous_.time + h;
  for (const auto& element : model_.elements())
    element->advance(s, assembler_.motions(), state);
  return report;
}

StepBooks EnergyMomentum::books(const State& n1) const {
  StepBooks books = model_.books(last_step(), last_motions(), n1);
  assembler_.constraints().book(last_step().lambda, books);
  return books;
}

Step EnergyMomentum::last_step() const {
  return assembler_.step();
}

std::string EnergyMomentum::description() const {
  return "energy-momentum, Newton by SNES, " + newton_.factorisation() +
         (newton_.fell_back() ? " (the factorisation without pivoting failed)" : "") + ", " +
         std::to_string(assembler_.size()) + " unknowns";
}

} // namespace emmy
