#include "solvers/contact/stabiliser.hpp"

#include <algorithm>

namespace emmy {

namespace {
/// Corrections after one another: turns and curved surfaces leave what the linear problem does not see.
constexpr int most_corrections = 3;

double kinetic(const FreeStep& step, std::size_t b) {
  const Spin s = step.start_spin(b);
  return (s.v.dot(step.motions()[b].p) + s.omega.dot(step.motions()[b].pi)) / 2;
}
} // namespace

Stabiliser::Stabiliser(const ContactFinder& finder, const contact::ContactSolverOptions& options)
    : finder_(finder), solver_(options), problem_{compliance_, {}, {}, 0} {}

void Stabiliser::correct(FreeStep& step, const std::vector<contact::SurfacePair>& pairs, double slop,
                         const Wrenches& conservative, StepBooks& books) {
  for (int i = 0; i < most_corrections && find_points(step, pairs, slop); ++i) {
    solve(step, slop);
    move(step, conservative, books);
  }
}

bool Stabiliser::find_points(const FreeStep& step, const std::vector<contact::SurfacePair>& pairs, double slop) {
  points_.clear();
  bool is_deep = false;
  for (const contact::SurfacePair& pair : pairs) {
    near_.clear();
    finder_.near(step, pair, FreeStep::When::start, slop, near_);
    for (const contact::ContactPoint& point : near_) {
      points_.push_back(finder_.standing_contact(step, pair, point));
      is_deep |= point.gap < -slop;
    }
  }
  return is_deep;
}

void Stabiliser::solve(const FreeStep& step, double slop) {
  contact::BodyForm& form = compliance_.form();
  set_.enter(step, points_);
  set_.fill(step, FreeStep::When::start, points_, form);
  problem_.laws.clear();
  problem_.q.resize(3 * static_cast<Index>(points_.size()));
  for (std::size_t j = 0; j < points_.size(); ++j) {
    problem_.laws.push_back({contact::ContactLaw::Kind::unilateral, points_[j].normal, 0});
    problem_.q.segment<3>(3 * static_cast<Index>(j)) = (points_[j].gap + slop / 2) * points_[j].normal; // [R16]
  }
  problem_.velocity_scale = problem_.q.cwiseAbs().maxCoeff();
  r_.set_zero(problem_.q.size());
  solver_.solve(problem_, r_);
  // Impulses of W = G^T M^-1 G / 2 are twice the multipliers of the displacement.
  pushed_.resize(6 * static_cast<Index>(set_.bodies().size()));
  contact::sum_impulses(form, r_, pushed_);
  contact::mean_velocities(form, pushed_);
}

void Stabiliser::move(FreeStep& step, const Wrenches& conservative, StepBooks& books) {
  moved_.resize(step.size());
  for (std::size_t i = 0; i < set_.bodies().size(); ++i) {
    const std::size_t b = set_.bodies()[i];
    const auto k = 6 * static_cast<Index>(i);
    const Vec3 theta = pushed_.segment<3>(k + 3);
    moved_[b] = pushed_.segment<3>(k);
    books.stabilisation -=
        kinetic(step, b) + conservative[b].force.dot(moved_[b]) + conservative[b].moment.dot(theta); // [R21]
    step.displace(b, moved_[b], theta);
  }
  for (std::size_t island = 0; island < set_.islands(); ++island)
    restore_angular_momentum(step, island, books);
  for (const std::size_t b : set_.bodies())
    books.stabilisation += kinetic(step, b);
}

/// Bodies were moved with their momenta: the moments of these have changed. An island that floats free is given the
/// turn that makes it good, the smallest change in the kinetic metric [R19]; elsewhere the ground took it [R20].
void Stabiliser::restore_angular_momentum(FreeStep& step, std::size_t island, StepBooks& books) {
  const bool floats = set_.find_bodies(island, members_);
  Vec3 change = Vec3::Zero(); // [R18]
  for (const std::size_t b : members_)
    change += moved_[b].cross(step.motions()[b].p);
  if (!floats) {
    books.angular_impulse += change;
    books.angular_impulse_sum += change.norm();
    return;
  }
  const Cluster whole = cluster(step, members_);
  const Vec3 Omega = whole.turn(-change);
  for (const std::size_t b : members_)
    step.add_spin(b, Omega.cross(step.motions()[b].x - whole.centre), Omega);
}

} // namespace emmy
