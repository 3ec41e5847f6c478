#include "solvers/contact/contact_stepper.hpp"

#include <algorithm>
#include <utility>

namespace emmy {

namespace {

/// How often contacts that an impulse brings about are added in one step [C21].
constexpr int most_rounds = 20;
/// Impacts that are located in one step before the rest of it is taken at once: more are an accumulation.
constexpr int most_events = 16;
/// Surfaces within so many times what counts as touching are hit at the same time as others.
constexpr double simultaneous = 1e4;
/// Of the largest acceleration times h: a velocity that does not matter [R3].
constexpr double resting_share = 1e-3;

bool by_key(const FreeContact& a, const FreeContact& b) {
  return a.key < b.key;
}

} // namespace

ContactStepper::ContactStepper(contact::Scene scene, std::vector<Index> ports, std::vector<Index> body_of_port,
                               const ContactSteps& options)
    : scene_(std::move(scene)), options_(options), finder_(scene_, body_of_port, options.arms),
      lookout_(finder_, std::move(ports), body_of_port.size(), options.located ? simultaneous : 1),
      impulses_(finder_, options.solver), locator_(finder_), stabiliser_(finder_, options.solver), recorder_(finder_) {}

StepReport ContactStepper::advance(FreeStep& step, double t, double h, const ContactMemory& before,
                                   const KnownLoads& loads) {
  loads_ = &loads;
  recorder_.begin(before);
  const StepReport report = options_.located ? advance_located(step, t, h) : advance_stepped(step, t, h);
  recorder_.end(h);
  return report;
}

StepReport ContactStepper::advance_located(FreeStep& step, double t, double h) {
  StepReport report;
  report.converged = true;
  double done = 0;
  for (int event = 0; event < most_events && done < h; ++event) {
    const double left = h - done;
    if (!step.begin(left))
      return StepReport();
    const bool is_close = lookout_.comes_close(step, slop(step));
    const std::optional<double> touch = is_close ? find_touch(step) : std::nullopt;
    if (!touch)
      return advance_at_once(step, t + done, is_close);
    report = advance_to_impact(step, t + done, *touch);
    if (!report.converged)
      return report;
    done += *touch;
  }
  return done < h ? advance_stepped(step, t + done, h - done) : report;
}

StepReport ContactStepper::advance_stepped(FreeStep& step, double t, double h) {
  if (!step.begin(h))
    return StepReport();
  return advance_at_once(step, t, lookout_.comes_close(step, slop(step)));
}

StepReport ContactStepper::advance_at_once(FreeStep& step, double t, bool is_close) {
  StepReport report;
  report.converged = true;
  contacts_.clear();
  if (is_close) {
    find_contacts(step);
    if (!contacts_.empty())
      report = solve_contacts(step);
    if (!report.converged)
      return report;
  }
  finish_flight(step, t + step.h());
  if (!contacts_.empty())
    look_back(step);
  return report;
}

std::optional<double> ContactStepper::find_touch(FreeStep& step) {
  const double h = step.h();
  step.hold_prediction();
  contacts_.clear();
  for (const contact::SurfacePair& pair : lookout_.pairs())
    finder_.find_closed(step, pair, contacts_);
  if (contacts_.empty())
    return std::nullopt;
  std::sort(contacts_.begin(), contacts_.end(), by_key);
  const std::optional<double> touch = locator_.first_touch(step, lookout_.pairs(), contacts_, slow(step));
  if (!touch)
    step.begin(h); // as before, so it cannot fail
  return touch;
}

StepReport ContactStepper::advance_to_impact(FreeStep& step, double t, double touch) {
  contacts_.clear();
  if (!step.begin(touch))
    return StepReport();
  finish_flight(step, t + touch);
  step.begin(0); // of no length: it cannot fail
  lookout_.look_anew(step, 0);
  find_contacts(step);
  const StepReport report = solve_contacts(step);
  if (report.converged)
    finish_flight(step, t + touch);
  return report;
}

void ContactStepper::find_contacts(FreeStep& step) {
  step.hold_prediction();
  for (const contact::SurfacePair& pair : lookout_.pairs())
    finder_.find(step, pair, reserve(step, pair), contacts_);
  if (!options_.located || step.h() == 0)
    return;
  // What only comes near in this step is hit when it touches, in the next.
  contacts_.erase(std::remove_if(contacts_.begin(), contacts_.end(),
                                 [&](const FreeContact& c) { return c.gap > 0 && c.approach() > slow(step); }),
                  contacts_.end());
}

/// Velocities that loads give within two steps are those of contacts that rest.
double ContactStepper::slow(const FreeStep& step) const {
  return 2 * step.h() * loads_->largest_acceleration;
}

/// Bodies that fall together do not close their gaps while they do: what gravity could close in a step counts as
/// closed, unless it bounces back as fast as it came [R7], [Q17]. What touches is hit together with what is hit.
double ContactStepper::reserve(const FreeStep& step, const contact::SurfacePair& pair) const {
  if (step.h() == 0)
    return simultaneous * finder_.touching(pair);
  const bool is_elastic = scene_.rules[static_cast<std::size_t>(pair.rule)].material.restitution == 1;
  return finder_.touching(pair) + (is_elastic ? 0 : step.h() * step.h() * loads_->largest_acceleration);
}

/// Depth that positions are not corrected for [R17].
double ContactStepper::slop(const FreeStep& step) const {
  return 2 * step.h() * step.h() * loads_->largest_acceleration;
}

StepReport ContactStepper::solve_contacts(FreeStep& step) {
  ImpulseReport solved;
  for (int round = 0; round <= most_rounds; ++round) {
    std::sort(contacts_.begin(), contacts_.end(), by_key);
    if (round == 0 && step.h() > 0)
      for (FreeContact& c : contacts_)
        if (const ContactRecord* record = recorder_.before(c.key))
          c.impulse = step.h() / record->h * c.normal.dot(record->impulse) * c.normal;
    solved = impulses_.solve(step, contacts_, resting_share * step.h() * loads_->largest_acceleration);
    if (!solved.is_flown)
      return StepReport();
    if (round == most_rounds || step.h() == 0 || !add_closed(step))
      break;
  }
  return judge(solved);
}

/// Contacts that impulses at others have closed. True if there are any.
bool ContactStepper::add_closed(const FreeStep& step) {
  lookout_.follow(step, impulses_.bodies());
  const auto known = static_cast<std::ptrdiff_t>(contacts_.size());
  for (const contact::SurfacePair& pair : lookout_.pairs())
    finder_.find_closed(step, pair, contacts_);
  contacts_.erase(std::remove_if(contacts_.begin() + known, contacts_.end(),
                                 [&](const FreeContact& c) {
                                   return std::binary_search(contacts_.begin(), contacts_.begin() + known, c, by_key);
                                 }),
                  contacts_.end());
  return static_cast<std::ptrdiff_t>(contacts_.size()) > known;
}

std::string ContactStepper::name(std::int32_t surface) const {
  return "'" + scene_.surfaces[static_cast<std::size_t>(surface)].name + "'";
}

StepReport ContactStepper::judge(const ImpulseReport& solved) {
  StepReport report;
  report.converged = true;
  report.iterations = solved.passes;
  recorder_.note_residual(solved.residual);
  if (solved.residual <= options_.solver.tolerance)
    return report;
  const ContactKey& worst = contacts_[solved.worst].key;
  const std::string text = "the impulses of contacts do not meet their laws, worst between " + name(worst.slave) +
                           " and " + name(worst.master);
  if (options_.not_converged == NotConverged::warn) {
    recorder_.warn(text);
    return report;
  }
  report.converged = false;
  report.is_final = options_.not_converged == NotConverged::stop;
  report.why = text;
  return report;
}

void ContactStepper::finish_flight(FreeStep& step, double time) {
  recorder_.book_flight(step, contacts_, loads_->given);
  step.finish();
  recorder_.note(step, time, contacts_);
}

void ContactStepper::look_back(FreeStep& step) {
  bool sinks = false;
  double deep = slop(step);
  const auto end_velocity = [&](const FreeContact& c) {
    Vec3 w = Vec3::Zero();
    for (const std::size_t side : {0, 1})
      if (c.body[side] >= 0)
        w += (side == 0 ? 1 : -1) * step.start_spin(static_cast<std::size_t>(c.body[side])).at(c.arm[side]);
    return c.normal.dot(w);
  };
  each_end_gap(step, [&](const contact::SurfacePair& pair, const contact::ContactPoint& point) {
    deep = std::max(deep, simultaneous * finder_.touching(pair));
    // What leaves again by itself needs no help.
    if (const FreeContact* c = contact_of(point.key))
      sinks |= point.gap + step.h() * end_velocity(*c) < -deep;
  });
  const bool is_moved = sinks && options_.stabilise;
  if (is_moved)
    stabiliser_.correct(step, lookout_.pairs(), deep, loads_->conservative, recorder_.books());
  each_end_gap(step, [&](const contact::SurfacePair&, const contact::ContactPoint& point) {
    recorder_.note_gap(point, contact_of(point.key) != nullptr);
  });
  if (is_moved)
    lookout_.forget();
}

template <class Visitor>
void ContactStepper::each_end_gap(const FreeStep& step, const Visitor& visit) {
  for (const contact::SurfacePair& pair : lookout_.pairs()) {
    points_.clear();
    finder_.near(step, pair, FreeStep::When::start, reserve(step, pair) + finder_.travel(step, pair), points_);
    for (const contact::ContactPoint& point : points_)
      visit(pair, point);
  }
}

const FreeContact* ContactStepper::contact_of(const ContactKey& key) const {
  const auto c = std::lower_bound(contacts_.begin(), contacts_.end(), key,
                                  [](const FreeContact& a, const ContactKey& k) { return a.key < k; });
  return c != contacts_.end() && c->key == key ? &*c : nullptr;
}

} // namespace emmy
