#include "solvers/integrators/explicit/kick_drift_kick.hpp"

namespace emmy {

namespace {
constexpr const char* lost_rotation = "the rotation of a body was not found: it turns too far in one step";
}

KickDriftKick::KickDriftKick(const Model& model, const ExplicitOptions& options)
    : ExplicitIntegrator(model, options), twists_(system_.size()), mean_(system_.size()), steady_(system_.size()),
      varying_(system_.size()), loading_(system_.size()), mu_(VecX::Zero(constraints_.rows())) {}

std::string KickDriftKick::method_name() const {
  return std::string("kick-drift-kick, ") +
         (options().drift == RotationDrift::split ? "split rotations" : "Lie midpoint rotations");
}

bool KickDriftKick::drift(double h, Motion& motion) const {
  bool converged = true;
  for (std::size_t b = 0; b < motion.poses.size(); ++b) {
    const RigidUnit& unit = system_.units()[b];
    motion.poses[b].shift(h * unit.inverse_mass * motion.momenta[b].p);
    converged &= drift_rotation(options().drift, unit, motion.momenta[b].pi, h, motion.poses[b].q);
  }
  return converged;
}

void KickDriftKick::evaluate_half(const Motion& motion, double from, double h, double point) {
  loading_ = steady_; // same sizes: copies without allocating
  if (!forces_.has_varying())
    return;
  find_twists(motion, twists_);
  varying_.clear();
  forces_.add_varying(instant(motion.poses, twists_, from, from + h / 2, point), varying_);
  loading_.add(varying_);
}

/// A kick leaves the pose, so the work of an impulse is its product with the mean of the velocities, exactly.
void KickDriftKick::book_kick(const Motion& before, const Motion& after, double tau) {
  find_twists(before, twists_);
  for (std::size_t b = 0; b < mean_.size(); ++b) {
    const Twist end = system_.twist(b, before.poses[b], after.momenta[b]);
    mean_[b] = {(twists_[b].v + end.v) / 2, (twists_[b].Omega + end.Omega) / 2};
  }
  book_loading(loading_, tau, before.poses, mean_);
}

StepReport KickDriftKick::advance(double t, double h, Motion& now, VectorRef, VecX& lambda) {
  StepReport report;
  const bool jointed = !constraints_.empty();
  if (!jointed && forces_.empty()) { // free bodies drift, and that is all
    report.converged = drift(h, now);
    if (!report.converged)
      report.why = lost_rotation;
    return report;
  }
  const auto evaluate_steady = [&] {
    steady_.clear();
    forces_.add_configurational({now.poses, twists_, t, t, history()}, steady_);
  };
  if (!goes_on()) {
    evaluate_steady();
    if (jointed && !constraints_.linearise(now.poses, 0))
      return overflow();
  }
  start_ = now;
  evaluate_half(now, t, h, t);
  kick(loading_.total, h / 2, now.momenta);

  bool drifted = true;
  if (jointed) {
    half_ = now;
    const MultiplierSolve::Report closed =
        constraints_.close(lambda, h * h / 2, h, [&](const VecX& multipliers) -> const Poses& {
          trial_ = half_;
          constraints_.add_impulse(multipliers, h / 2, trial_.momenta);
          now.momenta = trial_.momenta;
          drifted = drift(h, trial_);
          return trial_.poses;
        }); // [E11]
    if (!closed.converged && drifted)
      return failure(closed);
    report.iterations = closed.iterations;
    book_kick(start_, now, h / 2);
    book_constraints(lambda, h / 2, start_.poses, mean_);
    now.poses = trial_.poses;
  } else {
    book_kick(start_, now, h / 2);
    drifted = drift(h, now);
  }
  if (!drifted) {
    if (!now.is_finite())
      return overflow();
    report.why = lost_rotation;
    return report;
  }

  half_ = now;
  if (forces_.has_varying()) // the velocity that the first kick extrapolates to
    for (std::size_t b = 0; b < now.momenta.size(); ++b) {
      now.momenta[b].p += half_.momenta[b].p - start_.momenta[b].p;
      now.momenta[b].pi += half_.momenta[b].pi - start_.momenta[b].pi;
    }
  evaluate_steady();
  evaluate_half(now, t + h / 2, h, t + h);
  now.momenta = half_.momenta;
  kick(loading_.total, h / 2, now.momenta);
  if (jointed) {
    if (!constraints_.linearise(now.poses, h))
      return overflow();
    const MultiplierSolve::Report projected = constraints_.project(now.poses, now.momenta, mu_);
    if (!projected.converged)
      return failure(projected);
  }
  book_kick(half_, now, h / 2);
  if (jointed) {
    book_constraints(mu_, 1, half_.poses, mean_);
    lambda = lambda / 2 + mu_ / h; // mean over the step
  }
  report.converged = true;
  return report;
}

} // namespace emmy
