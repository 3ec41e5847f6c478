#include "solvers/integrators/explicit/predictor_corrector.hpp"

namespace emmy {

PredictorCorrector::PredictorCorrector(const Model& model, const ExplicitOptions& options)
    : ExplicitIntegrator(model, options), twists_(system_.size()), predicted_twists_(system_.size()),
      mean_(system_.size()), middle_(system_.size()), loading_(system_.size()), other_(system_.size()),
      mu_(VecX::Zero(constraints_.rows())) {}

void PredictorCorrector::evaluate_step(double t, double h, const Poses& end) {
  if (options().rule == ImpulseRule::midpoint) {
    for (std::size_t b = 0; b < middle_.size(); ++b)
      middle_[b] = system_.moved(b, start_.poses[b], twists_[b], h / 2);
    evaluate(middle_, twists_, t, t + h, t + h / 2, loading_);
    return;
  }
  evaluate(start_.poses, twists_, t, t + h, t, loading_);
  evaluate(end, twists_, t, t + h, t + h, other_);
  loading_.average(other_);
}

StepReport PredictorCorrector::advance(double t, double h, Motion& now, VectorRef, VecX& lambda) {
  StepReport report;
  const bool jointed = !constraints_.empty();
  if (jointed && !goes_on() && !constraints_.linearise(now.poses, 0))
    return overflow();
  start_ = now;
  find_twists(start_, twists_);
  predicted_ = start_;
  for (std::size_t b = 0; b < twists_.size(); ++b)
    predicted_.poses[b] = system_.moved(b, start_.poses[b], twists_[b], h);
  evaluate_step(t, h, predicted_.poses);
  kick(loading_.total, h, predicted_.momenta);

  const auto correct = [&](const Motion& predicted) -> const Poses& {
    find_twists(predicted, predicted_twists_);
    for (std::size_t b = 0; b < mean_.size(); ++b) {
      mean_[b] = {(twists_[b].v + predicted_twists_[b].v) / 2, (twists_[b].Omega + predicted_twists_[b].Omega) / 2};
      now.poses[b] = system_.moved(b, start_.poses[b], mean_[b], h); // [E5]
    }
    return now.poses;
  };
  if (jointed) {
    const MultiplierSolve::Report closed =
        constraints_.close(lambda, h * h / 2, h, [&](const VecX& multipliers) -> const Poses& {
          trial_ = predicted_;
          constraints_.add_impulse(multipliers, h, trial_.momenta);
          return correct(trial_);
        });
    if (!closed.converged)
      return failure(closed);
    report.iterations = closed.iterations;
  } else {
    correct(predicted_);
  }
  if (options().rule == ImpulseRule::trapezoidal)
    evaluate_step(t, h, now.poses);
  kick(loading_.total, h, now.momenta);
  book_loading(loading_, h, start_.poses, mean_);
  if (jointed) {
    constraints_.add_impulse(lambda, h / 2, now.momenta);
    book_constraints(lambda, h / 2, start_.poses, mean_);
    if (!constraints_.linearise(now.poses, h))
      return overflow();
    const MultiplierSolve::Report projected = constraints_.project(now.poses, now.momenta, mu_);
    if (!projected.converged)
      return failure(projected);
    book_constraints(mu_, 1, now.poses, mean_);
    lambda = lambda / 2 + mu_ / h; // mean over the step
  }
  report.converged = true;
  return report;
}

} // namespace emmy
