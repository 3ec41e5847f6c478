#include "solvers/contact/impulse_solve.hpp"

#include "contact/problem/law.hpp"

#include <algorithm>
#include <limits>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Linear problems that are solved at most; each gains a factor of about h |omega| [R2].
constexpr int most_passes = 40;
/// A pass that leaves more than this share of the residual is close to the floor of rounding; so many end the solve.
constexpr double gain = 0.5;
constexpr int most_idle_passes = 3;
/// How often arms in the mean of the step are taken anew; each time gains a factor of about h |omega|.
constexpr int most_arms = 40;
/// Rounding of a relative velocity, in units of the velocities that it is made of.
constexpr double rounding = 4 * eps;

} // namespace

ImpulseSolve::ImpulseSolve(const ContactFinder& finder, const contact::ContactSolverOptions& options)
    : finder_(finder), solver_(options), problem_{compliance_, {}, {}, 0} {}

bool ImpulseSolve::push(FreeStep& step) {
  pushed_.resize(6 * static_cast<Index>(set_.bodies().size()));
  contact::sum_impulses(compliance_.form(), r_, pushed_);
  for (std::size_t i = 0; i < set_.bodies().size(); ++i) {
    const auto k = 6 * static_cast<Index>(i);
    if (!step.push(set_.bodies()[i], pushed_.segment<3>(k), pushed_.segment<3>(k + 3)))
      return false;
    const Spin mean = step.mean_spin(set_.bodies()[i]);
    pushed_.segment<3>(k) = mean.v;
    pushed_.segment<3>(k + 3) = mean.omega;
  }
  return true;
}

bool ImpulseSolve::fly(FreeStep& step, std::vector<FreeContact>& contacts) {
  bool is_flown = push(step);
  // Arms in the mean of the step move with the flights that they decide about.
  for (int i = 0; finder_.arms() == Arms::mean && is_flown && i < most_arms; ++i) {
    double moved = 0;
    for (FreeContact& c : contacts) {
      const std::array<Vec3, 2> before = c.arm;
      finder_.renew_arms(step, c);
      for (const std::size_t side : {0, 1})
        moved = std::max(moved, (c.arm[side] - before[side]).norm() / (c.arm[side].norm() + before[side].norm()));
    }
    if (moved <= rounding)
      break;
    set_.fill(step, FreeStep::When::middle, contacts, compliance_.form());
    is_flown = push(step);
  }
  if (!is_flown)
    return false;
  u_.resize(r_.size());
  contact::relative_velocities(compliance_.form(), pushed_, u_);
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    contacts[j].impulse = r_.segment<3>(3 * static_cast<Index>(j));
    contacts[j].velocity = u_.segment<3>(3 * static_cast<Index>(j));
  }
  u_ -= s_;
  return true;
}

double ImpulseSolve::residual(const std::vector<FreeContact>& contacts, std::size_t& worst) const {
  double largest = 0;
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto k = 3 * static_cast<Index>(j);
    const double size = contact::law_residual(problem_.laws[j], compliance_.own(static_cast<Index>(j)).trace() / 3,
                                              r_.segment<3>(k), u_.segment<3>(k))
                            .phi.norm();
    if (size > largest) {
      largest = size;
      worst = j;
    }
  }
  return largest;
}

ImpulseReport ImpulseSolve::solve(FreeStep& step, std::vector<FreeContact>& contacts, double least_speed) {
  ImpulseReport report;
  set_.enter(step, contacts);
  set_.fill(step, FreeStep::When::middle, contacts, compliance_.form());
  targets_.find(step, contacts, set_, s_);
  problem_.laws.clear();
  r_.resize(s_.size());
  double speed = 0; // of what relative velocities are differences of
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const FreeContact& c = contacts[j];
    problem_.laws.push_back({contact::ContactLaw::Kind::unilateral, c.normal, c.material.friction});
    r_.segment<3>(3 * static_cast<Index>(j)) = c.impulse;
    for (std::size_t side = 0; side < 2; ++side)
      if (c.body[side] >= 0) {
        const Spin spin = step.start_spin(static_cast<std::size_t>(c.body[side]));
        speed = std::max(speed, spin.v.norm() + spin.omega.norm() * c.arm[side].norm());
      }
  }
  report.is_flown = fly(step, contacts);
  if (!report.is_flown)
    return report;
  double best = std::numeric_limits<double>::infinity(), last = best;
  int idle = 0;
  for (;; ++report.passes) {
    problem_.q.resize(r_.size());
    compliance_.apply(r_, problem_.q);
    problem_.q = u_ - problem_.q; // [R2]
    if (report.passes == 0)
      problem_.velocity_scale = std::max(problem_.q.cwiseAbs().maxCoeff(), least_speed); // [R3]
    const double left = residual(contacts, report.worst);
    if (left < best) {
      best = left;
      best_ = r_;
      idle = 0;
    }
    if (left <= rounding * speed || report.passes == most_passes || (left > gain * last && ++idle == most_idle_passes))
      break;
    last = left;
    report.grade = solver_.solve(problem_, r_).grade;
    report.is_flown = fly(step, contacts);
    if (!report.is_flown)
      return report;
  }
  if (r_ != best_) {
    r_ = best_;
    report.is_flown = fly(step, contacts);
  }
  report.residual = problem_.velocity_scale > 0 ? best / problem_.velocity_scale : 0;
  return report;
}

} // namespace emmy
