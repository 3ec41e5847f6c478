#include "solvers/contact/impact_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// A bracket is halved or better by every evaluation or two; this many leave nothing of it.
constexpr int most_evaluations = 120;
/// Of a step, in search of a time at which what leaves is open.
constexpr int most_halvings = 30;
} // namespace

ImpactLocator::ImpactLocator(const ContactFinder& finder) : finder_(finder) {}

template <class Visitor>
bool ImpactLocator::each_gap(FreeStep& step, double time, const std::vector<FreeContact>& contacts,
                             const Visitor& visit) {
  if (!step.fly_to(time, bodies_))
    return false;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double touching = finder_.touching(pairs_[i]);
    points_.clear();
    finder_.near(step, pairs_[i], FreeStep::When::end, margins_[i], points_);
    for (const contact::ContactPoint& point : points_) {
      const auto contact = std::lower_bound(contacts.begin(), contacts.end(), point.key,
                                            [](const FreeContact& c, const ContactKey& key) { return c.key < key; });
      if (contact != contacts.end() && contact->key == point.key)
        visit(*contact, point.gap / touching);
    }
  }
  return true;
}

double ImpactLocator::least_gap(FreeStep& step, double time, const std::vector<FreeContact>& contacts) {
  double least = std::numeric_limits<double>::infinity();
  each_gap(step, time, contacts, [&](const FreeContact&, double gap) { least = std::min(least, gap); });
  return least;
}

ImpactLocator::Start ImpactLocator::start(FreeStep& step, const std::vector<FreeContact>& contacts, double slow) {
  bool hits = false, leaves = false, rests = false;
  each_gap(step, 0, contacts, [&](const FreeContact& c, double gap) {
    if (gap > 1)
      return;
    hits |= c.approach() > slow;
    leaves |= c.approach() < -slow;
    rests |= std::abs(c.approach()) <= slow;
  });
  return rests ? Start::rests : hits ? Start::hits : leaves ? Start::leaves : Start::apart;
}

/// Regula falsi with the Illinois rule: the end that stays has its value halved.
std::optional<double> ImpactLocator::first_touch(FreeStep& step, const std::vector<contact::SurfacePair>& pairs,
                                                 const std::vector<FreeContact>& contacts, double slow) {
  pairs_.clear();
  margins_.clear();
  bodies_.clear();
  for (const contact::SurfacePair& pair : pairs)
    if (std::any_of(contacts.begin(), contacts.end(), [&](const FreeContact& c) {
          return std::minmax(c.key.slave, c.key.master) == std::minmax<std::int32_t>(pair.a, pair.b);
        })) {
      pairs_.push_back(pair);
      margins_.push_back(finder_.travel(step, pair));
    }
  for (const FreeContact& c : contacts)
    for (const Index body : c.body)
      if (body >= 0 && std::find(bodies_.begin(), bodies_.end(), static_cast<std::size_t>(body)) == bodies_.end())
        bodies_.push_back(static_cast<std::size_t>(body));

  double early = 0, late = step.h(); // the gap is open at the first, closed at the second
  const Start first = start(step, contacts, slow);
  if (first == Start::rests)
    return std::nullopt;
  if (first == Start::hits)
    return 0;
  // What has just been hit opens before it closes again.
  for (int i = 0; first == Start::leaves && early == 0 && i < most_halvings; ++i)
    if (const double time = std::ldexp(late, -1 - i); least_gap(step, time, contacts) > 1)
      early = time;
  double open = least_gap(step, early, contacts), closed = least_gap(step, late, contacts);
  if (!(open > 1) || !(closed < 0))
    return std::nullopt;
  double found = early;
  int side = 0;
  for (int i = 0; i < most_evaluations; ++i) {
    double time = early + (late - early) * open / (open - closed);
    if (!(time > early && time < late))
      time = early + (late - early) / 2;
    if (!(time > early && time < late))
      break; // neighbouring numbers
    const double gap = least_gap(step, time, contacts);
    if (gap >= 0) {
      found = early = time;
      open = gap;
      if (side == 1)
        closed /= 2;
      side = 1;
      if (gap <= 1)
        break;
    } else {
      late = time;
      closed = gap;
      if (side == -1)
        open /= 2;
      side = -1;
    }
  }
  return found;
}

} // namespace emmy
