#include "solvers/integrators/explicit/simo_wong.hpp"

namespace emmy {

SimoWong::SimoWong(const Model& model, const ExplicitOptions& options)
    : ExplicitIntegrator(model, options), acceleration_(system_.size()), trial_acceleration_(system_.size()),
      reaction_(VecX::Zero(constraints_.rows())), middle_(system_.size()), twists_(system_.size()),
      mean_(system_.size()), end_(system_.size()), lagged_(system_.size()), trial_twists_(system_.size()),
      loading_(system_.size()), other_(system_.size()), wrenches_(system_.size()) {}

void SimoWong::read(const ConstVectorRef& further) {
  Index first = 1;
  for (Twists* kept : {&acceleration_, &lagged_})
    for (Twist& t : *kept) {
      t = {further.segment<3>(first), further.segment<3>(first + 3)};
      first += 6;
    }
  reaction_ = further.tail(reaction_.size());
}

void SimoWong::write(double h, VectorRef further) const {
  further[0] = h;
  Index first = 1;
  for (const Twists* kept : {&acceleration_, &lagged_})
    for (const Twist& t : *kept) {
      further.segment<3>(first) = t.v;
      further.segment<3>(first + 3) = t.Omega;
      first += 6;
    }
  further.tail(reaction_.size()) = reaction_;
}

void SimoWong::extrapolate(const Poses& from, double tau, double h, const Twists& twists, Poses& poses) const {
  const double time = tau * h;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Twist way{twists[b].v + time / 2 * acceleration_[b].v, twists[b].Omega + time / 2 * acceleration_[b].Omega};
    poses[b] = system_.moved(b, from[b], way, time);
  }
}

MultiplierSolve::Report SimoWong::find_acceleration(double t, double h, const Motion& now) {
  MultiplierSolve::Report report;
  report.converged = true;
  // At its start a load counts with the value that it has from there on: over the span of the step, or at the point.
  evaluate(now.poses, twists_, t, t + h, t, loading_);
  if (!constraints_.empty()) {
    if (!constraints_.linearise(now.poses, 0))
      return {};
    trial_ = now;
    return constraints_.close(reaction_, h * h / 2, h, [&](const VecX& multipliers) -> const Poses& {
      wrenches_ = loading_.total;
      constraints_.add_wrenches(multipliers, wrenches_);
      for (std::size_t b = 0; b < acceleration_.size(); ++b)
        acceleration_[b] = system_.acceleration(b, now.poses[b], twists_[b], wrenches_[b]);
      extrapolate(now.poses, 1, h, twists_, trial_.poses);
      return trial_.poses;
    });
  }
  for (std::size_t b = 0; b < acceleration_.size(); ++b)
    acceleration_[b] = system_.acceleration(b, now.poses[b], twists_[b], loading_.total[b]); // [E1]
  return report;
}

StepReport SimoWong::advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) {
  StepReport report;
  const bool jointed = !constraints_.empty();
  read(further);
  find_twists(now, twists_);
  if (!is_same_size(further[0], h) || is_restart(t, h)) { // also at the start, where nothing is known yet
    lagged_ = twists_;
    const MultiplierSolve::Report found = find_acceleration(t, h, now);
    if (!found.converged)
      return failure(found);
    report.iterations += found.iterations;
  } else if (jointed && !goes_on() && !constraints_.linearise(now.poses, 0)) {
    return overflow();
  }
  for (std::size_t b = 0; b < mean_.size(); ++b) {
    mean_[b] = {twists_[b].v + h / 2 * acceleration_[b].v, twists_[b].Omega + h / 2 * acceleration_[b].Omega}; // [E4]
  }
  start_ = now;
  extrapolate(start_.poses, 1, h, twists_, now.poses);

  // Dampers see velocities that lag, at the start of a step the very ones that they saw at the end of the last: else
  // the alternating part of A would feed on them.
  if (options().rule == ImpulseRule::trapezoidal) {
    evaluate(start_.poses, lagged_, t, t + h, t, loading_);
    lagged_ = mean_;
    evaluate(now.poses, lagged_, t, t + h, t + h, other_);
    loading_.average(other_);
  } else {
    if (options().rule == ImpulseRule::midpoint)
      extrapolate(start_.poses, 0.5, h, twists_, middle_);
    else
      for (std::size_t b = 0; b < middle_.size(); ++b)
        middle_[b] = system_.moved(b, start_.poses[b], mean_[b], h / 2); // [E4], symmetric
    evaluate(middle_, twists_, t, t + h, t + h / 2, loading_);
  }
  // Momenta at the end, but for the reaction there. That at the start acts with its second half.
  kick(loading_.total, h, now.momenta);
  book_loading(loading_, h, start_.poses, mean_);
  if (jointed) {
    constraints_.add_impulse(reaction_, h / 2, now.momenta);
    book_constraints(reaction_, h / 2, start_.poses, mean_);
    lambda = reaction_ / 2;
    if (!constraints_.linearise(now.poses, h))
      return overflow();
  }
  find_twists(now, end_);
  for (std::size_t b = 0; b < acceleration_.size(); ++b)
    acceleration_[b] = {-acceleration_[b].v + 2 / h * (end_[b].v - twists_[b].v),
                        -acceleration_[b].Omega + 2 / h * (end_[b].Omega - twists_[b].Omega)}; // [E4]
  if (jointed) { // the reaction at the end: it closes the joints after the next step
    trial_acceleration_ = acceleration_;
    trial_ = now;
    const MultiplierSolve::Report closed =
        constraints_.close(reaction_, h * h, 2 * h, [&](const VecX& multipliers) -> const Poses& {
          for (Wrench& w : wrenches_)
            w = {};
          constraints_.add_wrenches(multipliers, wrenches_);
          for (std::size_t b = 0; b < acceleration_.size(); ++b) {
            const Twist yields = system_.yielding(b, now.poses[b], wrenches_[b]);
            acceleration_[b] = {trial_acceleration_[b].v + yields.v, trial_acceleration_[b].Omega + yields.Omega};
            trial_twists_[b] = {end_[b].v + h / 2 * yields.v, end_[b].Omega + h / 2 * yields.Omega};
          }
          extrapolate(now.poses, 1, h, trial_twists_, trial_.poses);
          return trial_.poses;
        });
    if (!closed.converged)
      return failure(closed);
    report.iterations += closed.iterations;
    constraints_.add_impulse(reaction_, h / 2, now.momenta);
    book_constraints(reaction_, h / 2, now.poses, mean_);
    lambda += reaction_ / 2;
  }
  write(h, further);
  report.converged = true;
  return report;
}

} // namespace emmy
