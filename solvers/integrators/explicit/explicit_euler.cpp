#include "solvers/integrators/explicit/explicit_euler.hpp"

#include "core/counted.hpp"

#include <stdexcept>

namespace emmy {

ExplicitEuler::ExplicitEuler(const Model& model, const NewtonOptions& options)
    : model_(model), accelerations_(model, options, "explicit Euler"), previous_(model.rest_state()),
      z_(VecX::Zero(model.unknowns())), lambda_(VecX::Zero(model.multipliers())), motions_(model.port_motions()) {
  for (const auto& element : model.elements())
    if (element->multipliers() > 0 && model.enforcement(*element).method != EnforcementMethod::penalty)
      throw std::invalid_argument("'" + element->name() + "' (" + element->kind() +
                                  ") needs multipliers, which explicit Euler does not find: expected a penalty");
}

StepReport ExplicitEuler::step(State& state, double h) {
  StepReport report = accelerations_.solve(state);
  if (!report.converged)
    return report;
  const VecX& a = accelerations_.a();
  if (!(h * state.rates + h * h * a).allFinite()) {
    report.converged = false;
    report.why = "numbers grew beyond all bounds: the step is unstable";
    return report;
  }
  previous_ = state;
  h_ = h;
  z_ = h * state.rates;
  lambda_ = accelerations_.lambda();
  impulse_ = {};
  impulse_.add(h, accelerations_.external());
  const Step s = last_step();
  model_.move_ports(s, motions_);
  model_.retract_nodes(s, state.values);
  state.rates += h * a;
  state.multipliers = lambda_;
  state.time = previous_.time + h;
  for (const auto& element : model_.elements())
    element->advance({s, motions_}, state);
  return report;
}

StepBooks ExplicitEuler::books(const State& n1) const {
  return books_with(impulse_, model_, last_moved_step(), n1);
}

std::string ExplicitEuler::description() const {
  return "explicit Euler, accelerations of " + counted(accelerations_.size(), "unknown", "unknowns");
}

} // namespace emmy
