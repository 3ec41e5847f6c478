#include "solvers/integrators/explicit/natural_forces.hpp"

namespace emmy {

RigidInteraction::RigidInteraction(const RigidSystem& system, const Interaction& interaction)
    : interaction_(&interaction) {
  for (const NaturalVariable& v : interaction.variables())
    units_.push_back(system.unit_of(v.port));
}

void RigidInteraction::gather(const std::vector<Vec12>& ports, const Vec12& of_ground, NaturalVector& q) const {
  const auto& variables = interaction_->variables();
  q.resize(static_cast<Index>(3 * variables.size()));
  for (std::size_t a = 0; a < variables.size(); ++a)
    q.segment<3>(static_cast<Index>(3 * a)) =
        variables[a].of(units_[a] < 0 ? of_ground : ports[static_cast<std::size_t>(units_[a])]);
}

void RigidInteraction::add_wrenches(const NaturalVector& q, const NaturalVector& r, const Poses& poses,
                                    Wrenches& wrenches) const {
  for (std::size_t a = 0; a < units_.size(); ++a) {
    if (units_[a] < 0)
      continue;
    const auto i = static_cast<Index>(3 * a);
    const auto b = static_cast<std::size_t>(units_[a]);
    const Wrench w = wrench(a, q.segment<3>(i), -r.segment<3>(i), poses[b]);
    wrenches[b].force += w.force;
    wrenches[b].moment += w.moment;
  }
}

Vec12 ground_port() {
  Vec12 q = Vec12::Zero();
  Eigen::Map<Mat3>(q.data() + 3).setIdentity();
  return q;
}

void Loading::clear() {
  for (Wrenches* wrenches : {&total, &given, &viscous})
    for (Wrench& w : *wrenches)
      w = {};
  external = {};
}

namespace {

/// a wrenches + b others
void combine(double a, Wrenches& wrenches, double b, const Wrenches& others) {
  for (std::size_t i = 0; i < wrenches.size(); ++i)
    wrenches[i] = {a * wrenches[i].force + b * others[i].force, a * wrenches[i].moment + b * others[i].moment};
}

} // namespace

void Loading::combine(double a, double b, const Loading& other) {
  emmy::combine(a, total, b, other.total);
  emmy::combine(a, given, b, other.given);
  emmy::combine(a, viscous, b, other.viscous);
  StepBooks sum;
  add_impulses(external, a, sum);
  add_impulses(other.external, b, sum);
  external = sum;
}

void add_impulses(const StepBooks& rates, double factor, StepBooks& books) {
  books.impulse += factor * rates.impulse;
  books.angular_impulse += factor * rates.angular_impulse;
  books.impulse_sum += factor * rates.impulse_sum;
  books.angular_impulse_sum += factor * rates.angular_impulse_sum;
}

RigidForces::RigidForces(const RigidSystem& system)
    : system_(system), ports_(system.size()), port_rates_(system.size(), Vec12::Zero()) {
  for (const Interaction* interaction : system.model().interactions())
    if (interaction->multipliers() == 0)
      (interaction->is_configurational() ? configurational_ : varying_).emplace_back(system, *interaction);
}

void RigidForces::add(const std::vector<RigidInteraction>& forces, const Instant& at, bool rates, Loading& out) {
  if (forces.empty())
    return;
  for (std::size_t b = 0; b < system_.size(); ++b) {
    ports_[b] = system_.port(b, at.poses[b]);
    if (rates)
      port_rates_[b] = system_.port_rate(b, at.poses[b], at.twists[b]);
  }
  static const Vec12 at_rest = Vec12::Zero();
  NaturalInstant instant;
  instant.from = at.from;
  instant.to = at.to;
  InstantForces parts;
  for (const RigidInteraction& force : forces) {
    const Interaction& element = force.element();
    force.gather(ports_, ground_, instant.q);
    if (rates)
      force.gather(port_rates_, at_rest, instant.q_dot);
    instant.history = at.history.segment(element.first_history(), element.history());
    for (NaturalVector* part : {&parts.elastic, &parts.given, &parts.viscous})
      part->setZero(instant.q.size());
    element.evaluate_instant(instant, parts);
    force.add_wrenches(instant.q, parts.given, at.poses, out.given);
    force.add_wrenches(instant.q, parts.viscous, at.poses, out.viscous);
    const NaturalVector r = parts.elastic + parts.given + parts.viscous;
    force.add_wrenches(instant.q, r, at.poses, out.total);
    element.book_impulses(instant.q, r, 1, out.external);
    if (fault_ == nullptr && instant.q.allFinite() && !r.allFinite()) // otherwise it was asked for nonsense
      fault_ = &element;
  }
}

} // namespace emmy
