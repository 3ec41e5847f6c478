#include "solvers/contact/contact_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

ContactRecorder::ContactRecorder(const ContactFinder& finder) : finder_(finder) {
  happenings_.rules.resize(finder.scene().rules.size());
}

void ContactRecorder::begin(const ContactMemory& before) {
  before_ = &before;
  records_.clear();
  books_ = {};
  happenings_.contacts = 0;
  happenings_.impacts.clear();
  happenings_.worst = {};
  happenings_.residual = 0;
  happenings_.warning.clear();
  for (contact::RuleTotals& totals : happenings_.rules)
    totals = {0, std::numeric_limits<double>::quiet_NaN(), Vec3::Zero(), Vec3::Zero()};
}

const ContactRecord* ContactRecorder::before(const ContactKey& key) const {
  const auto found = std::lower_bound(before_->begin(), before_->end(), key,
                                      [](const ContactRecord& r, const ContactKey& k) { return r.key < k; });
  return found != before_->end() && found->key == key ? &*found : nullptr;
}

void ContactRecorder::book_flight(const FreeStep& step, const std::vector<FreeContact>& contacts,
                                  const Wrenches& given) {
  const double h = step.h();
  const auto add = [&](const Vec3& impulse, const Vec3& moment) {
    books_.impulse += impulse;
    books_.impulse_sum += impulse.norm();
    books_.angular_impulse += moment;
    books_.angular_impulse_sum += moment.norm();
  };
  const auto middle = [&](std::size_t b) -> Vec3 { return step.motions()[b].x + step.flight(b).shift / 2; };
  if (h > 0)
    for (std::size_t b = 0; b < given.size(); ++b) {
      const Wrench& load = step.loads()[b];
      books_.work += given[b].force.dot(step.flight(b).shift) +
                     given[b].moment.dot(step.motions()[b].orientation() * step.flight(b).Theta);
      add(h * load.force, h * (middle(b).cross(load.force) + load.moment)); // [C4]
    }
  for (const FreeContact& c : contacts) {
    const double normal = c.normal.dot(c.impulse) * c.normal.dot(c.velocity);
    books_.lost_restitution -= normal; // [C30]
    books_.lost_friction -= c.impulse.dot(c.velocity) - normal;
    for (const std::size_t side : {0, 1})
      if (c.body[side] >= 0 && c.body[1 - side] < 0) { // what the ground gives to the side that moves
        const Vec3 impulse = side == 0 ? c.impulse : Vec3(-c.impulse);
        const auto b = static_cast<std::size_t>(c.body[side]);
        // Arms belong to the middle that they were taken at: over all impulses on a body the difference to its mean
        // position cancels, over those of the ground alone it does not [C23].
        const Vec3 centre =
            finder_.arms() == Arms::mean ? middle(b) : Vec3(step.motions()[b].x + step.prediction(b).shift / 2);
        add(impulse, (centre + c.arm[side]).cross(impulse));
      } else if (c.body[side] >= 0) { // between bodies: nothing from outside, but rounding of it is in their momenta
        books_.impulse_sum += c.impulse.norm();
        books_.angular_impulse_sum += c.arm[side].cross(c.impulse).norm();
      }
  }
}

void ContactRecorder::note(const FreeStep& step, double time, const std::vector<FreeContact>& contacts) {
  const double h = step.h();
  for (const FreeContact& c : contacts) {
    if (c.impulse.isZero(0))
      continue;
    ++happenings_.contacts;
    const std::size_t side = c.body[0] >= 0 ? 0 : 1; // that moves
    const Vec3 at = step.motions()[static_cast<std::size_t>(c.body[side])].x + c.arm[side];
    if (h == 0 || before(c.key) == nullptr) {
      const double normal = c.normal.dot(c.impulse);
      happenings_.impacts.push_back({time, c.rule, c.key, at, c.normal, normal, c.impulse - normal * c.normal,
                                     c.approach(), -c.impulse.dot(c.velocity)});
    }
    if (h > 0)
      records_.push_back({c.key, c.impulse, h});
    note_total(step, c, at);
  }
}

void ContactRecorder::note_total(const FreeStep& step, const FreeContact& c, const Vec3& at) {
  const contact::Rule& rule = finder_.scene().rules[static_cast<std::size_t>(c.rule)];
  contact::RuleTotals& totals = happenings_.rules[static_cast<std::size_t>(c.rule)];
  const bool acts_on_second = std::binary_search(rule.second.begin(), rule.second.end(), c.key.slave);
  const Index second = finder_.body_of_port(rule.second_port);
  const Vec3 centre = second >= 0 ? step.motions()[static_cast<std::size_t>(second)].x : Vec3(Vec3::Zero());
  const Vec3 impulse = acts_on_second ? c.impulse : Vec3(-c.impulse);
  ++totals.points;
  totals.force += impulse; // divided by the length of the step at its end
  totals.moment += (at - centre).cross(impulse);
}

void ContactRecorder::note_gap(const contact::ContactPoint& point, bool is_contact) {
  if (-point.gap > happenings_.worst.depth)
    happenings_.worst = {-point.gap, point.key.slave, point.key.master};
  double& gap = happenings_.rules[static_cast<std::size_t>(point.rule)].gap;
  if (is_contact && !(gap <= point.gap))
    gap = point.gap;
}

void ContactRecorder::end(double h) {
  for (contact::RuleTotals& totals : happenings_.rules) {
    totals.force /= h;
    totals.moment /= h;
  }
  books_.dissipation = books_.lost_restitution + books_.lost_friction;
  books_.contacts = happenings_.contacts;
  books_.impacts = static_cast<int>(happenings_.impacts.size());
  books_.law_residual = happenings_.residual;
  books_.penetration = happenings_.worst.depth;
}

} // namespace emmy
