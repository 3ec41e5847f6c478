#include "solvers/integrators/conserving/free_bodies.hpp"

#include "elements/bodies/book_momenta.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace emmy {

namespace {

/// Numbers per body in the memory, and its owner, in the version of what is kept.
constexpr Index memory_of_body = 20;
const std::string owner = "free bodies, 1";

std::vector<FreeBody> free_bodies_of(const RigidSystem& system) {
  std::vector<FreeBody> bodies;
  for (const RigidUnit& unit : system.units()) {
    FreeBody body{unit.inverse_mass, unit.J, unit.turns ? unit.J_inverse : Mat3(Mat3::Zero()), unit.turns};
    if (unit.turns && unit.J_inverse == Mat3(unit.J_inverse(0, 0) * Mat3::Identity()))
      body.inverse_moment = unit.J_inverse(0, 0);
    bodies.push_back(body);
  }
  return bodies;
}

std::vector<Index> ports_of(const RigidSystem& system) {
  std::vector<Index> ports;
  for (const RigidUnit& unit : system.units())
    ports.push_back(unit.body->port());
  return ports;
}

std::vector<Index> bodies_of_ports(const RigidSystem& system) {
  std::vector<Index> bodies;
  for (std::size_t port = 0; port < system.model().ports().size(); ++port)
    bodies.push_back(system.unit_of(static_cast<Index>(port)));
  return bodies;
}

/// Makes `state` the previous one. What is written anew at the end of a step changes places instead of being copied.
void hand_over(State& state, State& previous) {
  previous.time = state.time;
  previous.multipliers = state.multipliers;
  previous.history = state.history;
  previous.contacts.swap(state.contacts);
  for (VecX State::*what : {&State::values, &State::remainders, &State::rates}) {
    (previous.*what).swap(state.*what);
    if ((state.*what).size() != (previous.*what).size())
      state.*what = previous.*what;
  }
}

const Model& checked(const Model& model) {
  if (const Element* unfit = FreeBodies::unfit_element(model))
    throw std::invalid_argument("'" + unfit->name() + "' (" + unfit->kind() +
                                ") does not let bodies fly free between contacts");
  return model;
}

} // namespace

FreeBodies::FreeBodies(const Model& model, contact::Scene scene, const FreeBodiesOptions& options)
    : model_(checked(model)), options_(options), system_(model), forces_(system_),
      step_(free_bodies_of(system_), options.exponential ? RotationMap::exponential : RotationMap::cayley),
      contact_(std::move(scene), ports_of(system_), bodies_of_ports(system_), options), loading_(system_.size()),
      poses_(system_.size()), twists_(system_.size()), spins_(system_.size()), previous_(model.rest_state()),
      end_(previous_), z_(VecX::Zero(model.unknowns())), motions_(model.port_motions()) {
  loads_.conservative.resize(step_.size());
}

const Element* FreeBodies::unfit_element(const Model& model) {
  for (const auto& element : model.elements()) {
    const Body* body = model.body(*element);
    const Interaction* interaction = model.interaction(*element);
    if (body != nullptr
            ? !body->rigid_inertia() || body->rigid_inertia()->is_pivoted
            : interaction == nullptr || interaction->acts() != Acts::from_outside || interaction->multipliers() > 0)
      return element.get();
  }
  return nullptr;
}

Index FreeBodies::memory_size() const {
  return memory_of_body * static_cast<Index>(step_.size());
}

bool FreeBodies::has_memory(const State& state) const {
  return state.memory.is_of(owner, memory_size());
}

void FreeBodies::begin(State& state) {
  if (has_memory(state)) { // ours, unless the state was changed by hand
    State copy = state;
    read(state);
    write(copy);
    if (copy == state)
      return;
  }
  state.memory.start(owner, memory_size());
  state.contacts.clear();
  const Motion motion = system_.motion(state);
  for (std::size_t b = 0; b < step_.size(); ++b) {
    FreeMotion& m = step_.motions()[b];
    m = FreeMotion();
    m.x = motion.poses[b].x;
    m.q = to_wxyz(motion.poses[b].q.normalized());
    m.p = motion.momenta[b].p;
    m.pi = motion.momenta[b].pi;
  }
  write(state);
  contact_.forget();
}

/// True if the motions are those that were there before.
bool FreeBodies::read(const State& state) {
  bool same = true;
  const double* from = state.memory.data();
  const auto take = [&](auto& to) {
    const Eigen::Map<const std::decay_t<decltype(to)>> stored(from);
    if (to != stored) {
      to = stored;
      same = false;
    }
    from += to.size();
  };
  for (FreeMotion& m : step_.motions()) {
    take(m.x);
    take(m.q);
    take(m.lost_x);
    take(m.lost_q);
    take(m.p);
    take(m.pi);
  }
  return same;
}

void FreeBodies::write(State& state) {
  double* to = state.memory.data();
  const auto put = [&](const auto& what) {
    Eigen::Map<std::decay_t<decltype(what)>> stored(to);
    stored = what;
    to += what.size();
  };
  for (std::size_t b = 0; b < step_.size(); ++b) {
    const FreeMotion& m = step_.motions()[b];
    put(m.x);
    put(m.q);
    put(m.lost_x);
    put(m.lost_q);
    put(m.p);
    put(m.pi);
    spins_[b] = spin(step_.body(b), m);
    write_motion(b, state);
  }
}

void FreeBodies::write_motion(std::size_t b, State& state) const {
  const FreeMotion& m = step_.motions()[b];
  system_.units()[b].body->set_motion({m.x, m.orientation(), spins_[b].v, spins_[b].omega}, state);
}

StepReport FreeBodies::step(State& state, double h) {
  if (!has_memory(state))
    begin(state);
  if (!read(state))
    contact_.forget(); // not the state that the last step led to
  if (!forces_.empty())
    find_loads(state, h);
  StepReport report = contact_.advance(step_, state.time, h, state.contacts, loads_);
  if (!report.converged) {
    if (report.why.empty())
      report.why = "the rotation of body '" + system_.units()[step_.lost_body()].body->name() +
                   "' was not found: it turns too far in one step";
    contact_.forget();
    return report;
  }
  hand_over(state, previous_);
  write(state);
  state.contacts = contact_.recorder().records();
  state.time += h;
  h_ = h;
  has_z_ = false;
  if (!model_.interactions().empty())
    advance_interactions(state);
  report.warning = contact_.recorder().happenings().warning;
  return report;
}

void FreeBodies::advance_interactions(State& state) {
  Vec12 rate;
  for (std::size_t p = 0; p < motions_.size(); ++p) {
    model_.ports()[p]->at(previous_, motions_[p].q_n, rate);
    model_.ports()[p]->at(state, motions_[p].q_n1, rate);
  }
  for (const Interaction* interaction : model_.interactions())
    interaction->advance(last_moved_step(), state);
}

/// Loads by their mean over the step, at the poses that the bodies reach in its middle without them.
void FreeBodies::find_loads(const State& state, double h) {
  for (std::size_t b = 0; b < step_.size(); ++b) {
    const FreeMotion& m = step_.motions()[b];
    const Pose pose{m.x, m.orientation(), m.lost_x};
    twists_[b] = system_.twist(b, pose, {m.p, m.pi});
    poses_[b] = system_.moved(b, pose, twists_[b], h / 2);
  }
  loading_.clear();
  forces_.add_all({poses_, twists_, state.time, state.time + h, state.history}, loading_);
  step_.loads() = loading_.total;
  loads_.given = loading_.given;
  loads_.largest_acceleration = 0;
  for (std::size_t b = 0; b < step_.size(); ++b) {
    const Wrench &total = loading_.total[b], &given = loading_.given[b];
    loads_.conservative[b] = {total.force - given.force, total.moment - given.moment};
    loads_.largest_acceleration =
        std::max(loads_.largest_acceleration, step_.body(b).inverse_mass * total.force.norm());
  }
}

Step FreeBodies::last_step() const {
  if (!has_z_) {
    for (std::size_t b = 0; b < step_.size(); ++b)
      write_motion(b, end_);
    for (const Node& node : model_.nodes())
      local(node.kind, previous_.values.segment(node.value, node.values()),
            end_.values.segment(node.value, node.values()), z_.segment(node.unknown, node.unknowns()));
    has_z_ = true;
  }
  return {previous_, h_, 1 / h_, z_, previous_.multipliers};
}

StepBooks FreeBodies::books(const State& n1) const {
  StepBooks books = contact_.recorder().books();
  for (std::size_t b = 0; b < step_.size(); ++b) {
    const FreeMotion& m = step_.motions()[b];
    const Spin& s = spins_[b];
    const V3<double> pi = plain(m.pi);
    book_momenta(momenta_of(plain(m.x), plain(m.p), plain(s.v), pi, pi, plain(s.omega)), books);
  }
  for (const Interaction* interaction : model_.interactions())
    interaction->book_end(last_moved_step(), n1, books);
  return books;
}

std::string FreeBodies::description() const {
  return std::string("free bodies with contact by forward increments, ") +
         (options_.exponential ? "exponential" : "Cayley") + " rotations" +
         (options_.located ? ", impacts located in time" : "");
}

} // namespace emmy
