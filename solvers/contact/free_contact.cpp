#include "solvers/contact/free_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace emmy {

using contact::ContactPoint;
using contact::Placed;
using contact::SurfacePair;
using When = FreeStep::When;

ContactFinder::ContactFinder(const contact::Scene& scene, std::vector<Index> body_of_port, Arms arms)
    : scene_(scene), body_of_port_(std::move(body_of_port)), arms_(arms) {
  for (const contact::Surface& surface : scene.surfaces) {
    constexpr double roundings = 128; // of the products and sums that make a gap, and of the time that is found
    reach_.push_back(contact::reach(surface.geometry));
    touching_.push_back(
        std::isfinite(reach_.back()) ? roundings * std::numeric_limits<double>::epsilon() * reach_.back() : 0);
    most_touching_ = std::max(most_touching_, 2 * touching_.back());
  }
}

Index ContactFinder::body_of(int surface) const {
  return body_of_port_[static_cast<std::size_t>(scene_.surfaces[static_cast<std::size_t>(surface)].port)];
}

/// Gaps are differences of coordinates: taken from a body that is near, they do not lose what coordinates far from the
/// origin round away.
Vec3 ContactFinder::origin(const FreeStep& step, const SurfacePair& pair) const {
  const Index a = body_of(pair.a), b = body_of(pair.b);
  return step.motions()[static_cast<std::size_t>(a >= 0 ? a : b)].x;
}

Placed ContactFinder::place(const FreeStep& step, Index body, When when, const Vec3& origin) const {
  if (body < 0)
    return {-origin, Mat3::Identity()};
  return step.place(static_cast<std::size_t>(body), when, origin);
}

double ContactFinder::travel(const FreeStep& step, const SurfacePair& pair) const {
  double sum = 0;
  for (const int surface : {pair.a, pair.b})
    if (const Index body = body_of(surface); body >= 0) {
      const Flight& flight = step.flight(static_cast<std::size_t>(body));
      const double turn = flight.Theta.norm();
      sum += flight.shift.norm() + (turn > 0 ? turn * reach_[static_cast<std::size_t>(surface)] : 0);
    }
  return sum;
}

void ContactFinder::near(const FreeStep& step, const SurfacePair& pair, When when, double margin,
                         std::vector<ContactPoint>& out) const {
  const Vec3 from = origin(step, pair);
  contact::near_points(scene_, pair, place(step, body_of(pair.a), when, from), place(step, body_of(pair.b), when, from),
                       margin, out);
}

void ContactFinder::find_middles(const FreeStep& step, const SurfacePair& pair, double margin) {
  middles_.clear();
  if (arms_ == Arms::common || arms_ == Arms::mean)
    near(step, pair, When::middle, margin, middles_);
}

void ContactFinder::find(const FreeStep& step, const SurfacePair& pair, double reserve, std::vector<FreeContact>& out) {
  const double e = scene_.rules[static_cast<std::size_t>(pair.rule)].material.restitution;
  const double sink = (1 - e) / 2; // share of the approach by which a gap closes in a step with an impulse [C37]
  const double far = travel(step, pair);
  ends_.clear();
  near(step, pair, When::end, reserve + sink * far, ends_);
  if (ends_.empty())
    return;
  find_middles(step, pair, reserve + (1 + sink) * far);
  for (const ContactPoint& end : ends_) {
    const FreeContact found = contact_at(step, pair, end);
    if (end.gap - sink * step.h() * std::max(found.approach(), 0.0) < reserve)
      out.push_back(found);
  }
}

void ContactFinder::find_closed(const FreeStep& step, const SurfacePair& pair, std::vector<FreeContact>& out) {
  ends_.clear();
  near(step, pair, When::end, 0, ends_);
  if (ends_.empty())
    return;
  find_middles(step, pair, travel(step, pair));
  for (const ContactPoint& end : ends_)
    if (end.gap < 0)
      out.push_back(contact_at(step, pair, end));
}

FreeContact ContactFinder::bare_contact(const SurfacePair& pair, const ContactPoint& point) const {
  FreeContact c;
  c.key = point.key;
  c.rule = pair.rule;
  c.material = scene_.rules[static_cast<std::size_t>(pair.rule)].material;
  c.slave = point.slave;
  c.radius = point.radius;
  c.body = {body_of(point.key.slave), body_of(point.key.master)};
  c.normal = point.normal;
  c.gap = point.gap;
  return c;
}

FreeContact ContactFinder::contact_at(const FreeStep& step, const SurfacePair& pair, const ContactPoint& end) const {
  FreeContact c = bare_contact(pair, end);
  set_arms(step, origin(step, pair), end, c);
  std::array<Spin, 2> spins;
  for (std::size_t side = 0; side < 2; ++side)
    if (c.body[side] >= 0)
      spins[side] = step.start_spin(static_cast<std::size_t>(c.body[side]));
  c.before = spins[0].at(c.arm[0]) - spins[1].at(c.arm[1]); // [C20]
  return c;
}

FreeContact ContactFinder::standing_contact(const FreeStep& step, const SurfacePair& pair,
                                            const ContactPoint& point) const {
  FreeContact c = bare_contact(pair, point);
  const Vec3 from = origin(step, pair);
  set_common_arms(place(step, c.body[0], When::start, from), place(step, c.body[1], When::start, from), c);
  return c;
}

double ContactFinder::touching(const SurfacePair& pair) const {
  return touching_[static_cast<std::size_t>(pair.a)] + touching_[static_cast<std::size_t>(pair.b)];
}

void ContactFinder::set_common_arms(const Placed& slave, const Placed& master, FreeContact& c) const {
  c.arm[0] = slave.Q * c.slave.at - c.radius * c.normal; // [C24]
  c.arm[1] = slave.x + c.arm[0] - master.x;
}

void ContactFinder::set_arms(const FreeStep& step, const Vec3& from, const ContactPoint& end, FreeContact& c) const {
  const auto at = [&](int side, When when) { return place(step, c.body[static_cast<std::size_t>(side)], when, from); };
  if (arms_ == Arms::common || arms_ == Arms::mean) {
    const auto middle = std::lower_bound(middles_.begin(), middles_.end(), end.key,
                                         [](const ContactPoint& p, const ContactKey& key) { return p.key < key; });
    const Placed slave = at(0, When::middle), master = at(1, When::middle);
    if (middle != middles_.end() && middle->key == end.key) {
      c.slave = middle->slave;
      c.normal = middle->normal;
    } else { // not a near point in the middle of the step: the one of its end, carried back by the master
      c.normal = master.Q * (at(1, When::end).Q.transpose() * end.normal);
    }
    set_common_arms(slave, master, c);
    return;
  }
  // The rule of the paper: arms and normal of the predicted end of the step.
  const bool is_middle = arms_ == Arms::corrected;
  const Placed slave_end = at(0, When::end), master_end = at(1, When::end);
  const Vec3 slave_arm = slave_end.Q * end.slave.at - c.radius * c.normal, master_arm = master_end.Q * end.master.at;
  const Vec3 centres =
      at(0, is_middle ? When::middle : When::start).x - at(1, is_middle ? When::middle : When::start).x;
  const Vec3 delta = centres + slave_arm - master_arm;
  const double half = arms_ == Arms::printed ? -0.5 : 0.5;
  c.arm[0] = slave_arm - half * delta; // [C25]
  c.arm[1] = master_arm + half * delta;
}

void ContactFinder::renew_arms(const FreeStep& step, FreeContact& c) const {
  const auto centre_and_arm = [&](Index body, Vec3& arm) -> Vec3 {
    if (body < 0) {
      arm = c.slave.at;
      return Vec3::Zero();
    }
    const auto b = static_cast<std::size_t>(body);
    const Placed start = step.place(b, When::start, Vec3::Zero()), end = step.place(b, When::end, Vec3::Zero());
    const double t = step.flight(b).Theta.norm();
    const double kappa = step.map() == RotationMap::cayley || t < 1e-8 ? 1 : std::tan(t / 2) / (t / 2); // [C7]
    arm = kappa / 2 * (start.Q * c.slave.at + end.Q * c.slave.at);
    return (start.x + end.x) / 2;
  };
  Vec3 slave_arm, unused;
  const Vec3 slave = centre_and_arm(c.body[0], slave_arm), master = centre_and_arm(c.body[1], unused);
  c.arm[0] = slave_arm - c.radius * c.normal; // [C26]
  c.arm[1] = slave + c.arm[0] - master;
}

} // namespace emmy
