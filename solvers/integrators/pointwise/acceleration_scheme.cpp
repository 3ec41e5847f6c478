#include "solvers/integrators/pointwise/acceleration_scheme.hpp"

namespace emmy {

AccelerationScheme::AccelerationScheme(const Model& model, const AccelerationRule& rule, AfterImpact after,
                                       const NewtonOptions& options)
    : model_(model), rule_(rule), after_(after), owner_(std::string(rule.name) + ", 1"),
      equations_(model, rule, options.augmented.form == AugmentedForm::linearised), solver_(equations_, options),
      accelerations_(model, options, rule.name), back_(model.rest_state()), back_z_(VecX::Zero(model.unknowns())) {
  now_.a = before_.a = back_z_;
  for (const auto& element : model.elements())
    if (element->is_one_sided() && model.enforcement(*element).method != EnforcementMethod::penalty)
      stops_.push_back(element.get());
}

void AccelerationScheme::recall(const VecX& memory) {
  const Index n = model_.unknowns(), second = 1 + n + External::size;
  kept_h_ = memory[0];
  now_.a = memory.segment(1, n);
  now_.external.read(memory.segment<External::size>(1 + n));
  before_.a = memory.segment(second, n);
  before_.external.read(memory.segment<External::size>(second + n));
}

void AccelerationScheme::store(State& state) const {
  const Index n = model_.unknowns(), second = 1 + n + External::size;
  if (!state.memory.is_of(owner_, memory_size()))
    state.memory.start(owner_, memory_size());
  VecX& memory = state.memory.numbers;
  memory[0] = kept_h_;
  memory.segment(1, n) = now_.a;
  now_.external.write(memory.segment<External::size>(1 + n));
  memory.segment(second, n) = before_.a;
  before_.external.write(memory.segment<External::size>(second + n));
}

StepReport AccelerationScheme::find(const State& at, Instant& instant) {
  StepReport report = accelerations_.solve(at);
  if (!report.converged) {
    report.why = "accelerations were not found: " + report.why;
    return report;
  }
  instant.a = accelerations_.a();
  instant.external = accelerations_.external();
  return report;
}

/// The instant before a start, at q_0 - h v_0 + h²/2 a_0 with v_0 - h a_0: a_{-1} = a_0 would cost an order.
StepReport AccelerationScheme::start_before(const State& state, double h) {
  back_z_ = h * (h / 2 * now_.a - state.rates);
  back_.time = state.time - h;
  back_.rates = state.rates - h * now_.a;
  back_.history = state.history;
  model_.retract_nodes({state, h, 1 / h, back_z_, state.multipliers}, back_.values);
  return find(back_, before_);
}

void AccelerationScheme::begin(State& state) {
  state.memory.clear();
  if (!find(state, now_).converged)
    return; // the first step says why
  before_ = now_;
  kept_h_ = 0;
  store(state);
}

StepReport AccelerationScheme::step(State& state, double h) {
  if (state.memory.is_of(owner_, memory_size())) {
    recall(state.memory.numbers);
  } else {
    if (StepReport report = find(state, now_); !report.converged)
      return report;
    kept_h_ = 0;
  }
  if (rule_.a.before != 0 && kept_h_ == 0) {
    if (StepReport report = start_before(state, h); !report.converged)
      return report;
  } else if (kept_h_ != 0 && kept_h_ != h) { // a step of another size: as if accelerations had been linear in time
    const double ratio = h / kept_h_;
    before_.a = now_.a + ratio * (before_.a - now_.a);
    External external;
    external.add(1 - ratio, now_.external);
    external.add(ratio, before_.external);
    before_.external = external;
  }
  equations_.remember(now_.a, before_.a);
  StepReport report = solver_.solve(state, h);
  if (!report.converged)
    return report;

  const Step s = solver_.step();
  const External next = equations_.external(s);
  impulse_ = {};
  impulse_.add(h * rule_.impulse.next, next);
  impulse_.add(h * rule_.impulse.now, now_.external);
  impulse_.add(h * rule_.impulse.before, before_.external);
  state.rates = equations_.v();
  solver_.finish(state);
  before_ = now_;
  now_.a = equations_.a();
  now_.external = next;
  kept_h_ = h;
  if (after_ == AfterImpact::reset && has_pushed(s.lambda)) {
    if (StepReport restart = find(state, now_); !restart.converged) {
      state.copy_motion(solver_.start());
      return restart;
    }
    before_ = now_;
  }
  store(state);
  return report;
}

bool AccelerationScheme::has_pushed(const VecX& lambda) const {
  for (const Element* stop : stops_)
    if ((lambda.segment(stop->first_multiplier(), stop->multipliers()).array() > 0).any())
      return true;
  return false;
}

StepBooks AccelerationScheme::books(const State& n1) const {
  return books_with(impulse_, model_, last_moved_step(), n1);
}

std::string AccelerationScheme::description() const {
  return rule_.name + (", " + solver_.description());
}

} // namespace emmy
