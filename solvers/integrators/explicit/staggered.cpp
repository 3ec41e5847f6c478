#include "solvers/integrators/explicit/staggered.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace emmy {

namespace {

/// The rotation of Park, Chiou and Downer, a rational map of the rotation vector: half the turn by the Cayley map,
/// twice.
Quaternion rational_rotation(const Vec3& Theta) {
  const Quaternion half = cayley(Theta / 2);
  return half * half;
}

} // namespace

Staggered::Staggered(const Model& model, const ExplicitOptions& options)
    : ExplicitIntegrator(model, options), middle_(system_.size()), start_(system_.size()), twists_(system_.size()),
      half_twists_(system_.size()), end_twists_(system_.size()), way_(system_.size()), loading_(system_.size()),
      other_(system_.size()), wrenches_(system_.size()), pending_(VecX::Zero(constraints_.rows())) {
  half_.poses.resize(system_.size());
  half_.momenta.resize(system_.size());
}

Pose Staggered::moved(std::size_t unit, const Pose& pose, const Twist& twist, double h) const {
  if (conserves() || !system_.units()[unit].turns)
    return system_.moved(unit, pose, twist, h);
  Pose result = pose;
  result.shift(h * twist.v);
  result.q = turned(pose.q, rational_rotation(h * twist.Omega));
  return result;
}

MultiplierSolve::Report Staggered::start_half(double t, double h, const Motion& now) {
  MultiplierSolve::Report report;
  report.converged = true;
  evaluate(now.poses, twists_, t, t + h / 2, t, loading_);
  wrenches_ = loading_.total;
  const auto move = [&](double tau, Poses& poses) {
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const Twist a = system_.acceleration(b, now.poses[b], twists_[b], wrenches_[b]);
      const Twist mean{twists_[b].v + tau / 2 * a.v, twists_[b].Omega + tau / 2 * a.Omega};
      poses[b] = system_.moved(b, now.poses[b], mean, tau);
    }
  };
  if (!constraints_.empty()) {
    if (!constraints_.linearise(now.poses, 0))
      return {};
    report = constraints_.close(pending_, h * h / 8, h / 2, [&](const VecX& multipliers) -> const Poses& {
      wrenches_ = loading_.total;
      constraints_.add_wrenches(multipliers, wrenches_);
      move(h / 2, half_.poses);
      return half_.poses;
    });
  }
  move(h / 2, half_.poses);
  half_.momenta = now.momenta;
  if (options().rule == ImpulseRule::trapezoidal) {
    evaluate(half_.poses, twists_, t, t + h / 2, t + h / 2, other_);
    loading_.average(other_);
  } else {
    move(h / 4, middle_);
    evaluate(middle_, twists_, t, t + h / 2, t + h / 4, loading_);
  }
  kick(loading_.total, h / 2, half_.momenta);
  return report;
}

/// [E5] over half a step. The reaction at the start moves the half sequence; its momenta get it with the first step.
MultiplierSolve::Report Staggered::predict_half(double t, double h, const Motion& now) {
  const double tau = h / 2;
  MultiplierSolve::Report report;
  report.converged = true;
  for (std::size_t b = 0; b < middle_.size(); ++b) {
    middle_[b] = system_.moved(b, now.poses[b], twists_[b], tau / 2);
    half_.poses[b] = system_.moved(b, now.poses[b], twists_[b], tau);
  }
  evaluate_step(middle_, now.poses, half_.poses, twists_, t, tau);
  predicted_.poses = half_.poses;
  predicted_.momenta = now.momenta;
  kick(loading_.total, tau, predicted_.momenta);
  const auto correct = [&](const Motion& predicted) -> const Poses& {
    find_twists(predicted, half_twists_);
    for (std::size_t b = 0; b < half_.poses.size(); ++b) {
      const Twist mean{(twists_[b].v + half_twists_[b].v) / 2, (twists_[b].Omega + half_twists_[b].Omega) / 2};
      half_.poses[b] = system_.moved(b, now.poses[b], mean, tau);
    }
    return half_.poses;
  };
  if (constraints_.empty()) {
    correct(predicted_);
  } else {
    if (!constraints_.linearise(now.poses, 0))
      return {};
    report = constraints_.close(pending_, tau * tau / 2, tau, [&](const VecX& multipliers) -> const Poses& {
      trial_ = predicted_;
      constraints_.add_impulse(multipliers, tau, trial_.momenta);
      return correct(trial_);
    });
  }
  if (options().rule == ImpulseRule::trapezoidal)
    evaluate_step(middle_, now.poses, half_.poses, twists_, t, tau);
  half_.momenta = now.momenta;
  kick(loading_.total, tau, half_.momenta);
  return report;
}

void Staggered::accelerate(const Twists& before, double h, const Poses& middle, const Twists& at_middle,
                           Motion& motion) const {
  if (conserves()) {
    kick(loading_.total, h, motion.momenta);
    return;
  }
  for (std::size_t b = 0; b < motion.momenta.size(); ++b) {
    const Twist a = system_.acceleration(b, middle[b], at_middle[b], loading_.total[b]); // [E7]
    motion.momenta[b] = system_.momentum(b, motion.poses[b], {before[b].v + h * a.v, before[b].Omega + h * a.Omega});
  }
}

void Staggered::react(const VecX& multipliers, double h, const Poses& at, const Motion& motion, Motion& trial) {
  trial = motion;
  if (conserves()) {
    constraints_.add_impulse(multipliers, h, trial.momenta);
    return;
  }
  for (Wrench& w : wrenches_)
    w = {};
  constraints_.add_wrenches(multipliers, wrenches_);
  for (std::size_t b = 0; b < trial.momenta.size(); ++b) {
    const Twist yields = system_.yielding(b, at[b], wrenches_[b]);
    const Twist t = system_.twist(b, motion.poses[b], motion.momenta[b]);
    trial.momenta[b] = system_.momentum(b, motion.poses[b], {t.v + h * yields.v, t.Omega + h * yields.Omega});
  }
}

void Staggered::evaluate_step(const Poses& middle, const Poses& from, const Poses& to, const Twists& twists, double t,
                              double h) {
  if (options().rule == ImpulseRule::midpoint) {
    evaluate(middle, twists, t, t + h, t + h / 2, loading_);
    return;
  }
  evaluate(from, twists, t, t + h, t, loading_);
  evaluate(to, twists, t, t + h, t + h, other_);
  loading_.average(other_);
}

StepReport Staggered::advance(double t, double h, Motion& now, VectorRef further, VecX& lambda) {
  StepReport report;
  const bool jointed = !constraints_.empty();
  half_.read(further, header);
  find_twists(now, twists_);
  if (jointed)
    pending_ = lambda;
  if (!is_same_size(further[0], h) || is_restart(t, h)) { // also at the start
    const MultiplierSolve::Report started =
        options().starts_by_prediction ? predict_half(t, h, now) : start_half(t, h, now);
    if (!started.converged)
      return failure(started);
    report.iterations += started.iterations;
  }

  // The reaction at the whole step closes the joints at the next one.
  start_ = now.poses;
  const auto move_whole = [&](const Motion& half) -> const Poses& {
    find_twists(half, half_twists_);
    for (std::size_t b = 0; b < now.poses.size(); ++b)
      now.poses[b] = moved(b, start_[b], half_twists_[b], h);
    return now.poses;
  };
  if (jointed) {
    if (!constraints_.linearise(start_, 0))
      return overflow();
    const MultiplierSolve::Report closed =
        constraints_.close(pending_, h * h, h, [&](const VecX& multipliers) -> const Poses& {
          react(multipliers, h, start_, half_, trial_);
          return move_whole(trial_);
        });
    if (!closed.converged)
      return failure(closed);
    report.iterations += closed.iterations;
    half_.momenta = trial_.momenta;
  } else {
    move_whole(half_);
  }

  // Velocities of dampers lag by half a step: taken in the middle, they would drive the two sequences apart.
  middle_ = half_.poses;
  evaluate_step(middle_, start_, now.poses, twists_, t, h);
  accelerate(twists_, h, middle_, half_twists_, now);
  book_loading(loading_, h, middle_, half_twists_);
  const auto move_half = [&](const Motion& whole) -> const Poses& {
    find_twists(whole, end_twists_);
    for (std::size_t b = 0; b < half_.poses.size(); ++b)
      half_.poses[b] = moved(b, middle_[b], end_twists_[b], h);
    return half_.poses;
  };
  if (jointed) {
    if (!constraints_.linearise(middle_, h / 2))
      return overflow();
    const MultiplierSolve::Report closed =
        constraints_.close(lambda, h * h, 1.5 * h, [&](const VecX& multipliers) -> const Poses& {
          react(multipliers, h, middle_, now, trial_);
          return move_half(trial_);
        });
    if (!closed.converged)
      return failure(closed);
    report.iterations += closed.iterations;
    now.momenta = trial_.momenta;
    book_constraints(lambda, h, middle_, half_twists_);
  } else {
    move_half(now);
  }
  evaluate_step(now.poses, middle_, half_.poses, half_twists_, t + h / 2, h);
  accelerate(half_twists_, h, now.poses, end_twists_, half_);

  further[0] = h;
  half_.write(further, header);
  report.warning = watch(t + h, h, now, further.head(header));
  if (!report.warning.empty())
    report.remedy = Remedy::one_sequence;
  report.converged = true;
  return report;
}

std::string Staggered::watch(double t, double h, const Motion& now, VectorRef kept) {
  double &turning = kept[1], &acceleration = kept[2], &is_told = kept[3];
  // Tenfold mismatch is no longer that of the step; rounding never is.
  constexpr double suspicious = 10, rounding = 1e-9; // [rad]; relative to coordinates
  double angle = 0, way = 0, coordinate = 0;
  std::size_t worst = 0;
  for (std::size_t b = 0; b < now.poses.size(); ++b) {
    const Quaternion extrapolated = now.poses[b].q * exponential(h / 2 * end_twists_[b].Omega);
    const double apart = rotation_vector(extrapolated.conjugate() * half_.poses[b].q).norm();
    if (apart > angle) {
      angle = apart;
      worst = b;
    }
    coordinate = std::max(coordinate, now.poses[b].x.norm());
    way = std::max(way, (now.poses[b].x + h / 2 * end_twists_[b].v - half_.poses[b].x).norm());
    turning = std::max(turning, (end_twists_[b].Omega - twists_[b].Omega).norm() / h);
    acceleration = std::max(acceleration, (end_twists_[b].v - twists_[b].v).norm() / h);
  }
  mismatch_ = std::max(mismatch_, angle);
  natural_mismatch_ = h * h * turning / 8; // [E6]
  const double natural_way = h * h * acceleration / 8;
  const bool apart =
      angle > suspicious * natural_mismatch_ + rounding || way > suspicious * natural_way + rounding * coordinate;
  if (!apart || is_told > 0)
    return {};
  is_told = 1;
  char text[320];
  std::snprintf(
      text, sizeof text,
      "the two sequences of the staggered integrator part at t = %.6g s: %.1e rad and %.1e m at most, %.1e and "
      "%.1e are natural; what follows cannot be trusted; body turned farthest: ",
      t, angle, way, natural_mismatch_, natural_way);
  return text + ("'" + system_.units()[worst].body->name() + "'");
}

} // namespace emmy
