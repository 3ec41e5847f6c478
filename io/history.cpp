#include "io/history.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

/// Those of all that are selected, by name and in the order of the selection.
template <class T, class Name>
std::vector<const T*> select(const std::vector<const T*>& all, const deck::Selection& selection, Name name_of) {
  if (selection.all)
    return all;
  std::vector<const T*> chosen;
  for (const std::string& name : selection.names)
    for (const T* candidate : all)
      if (name_of(*candidate) == name)
        chosen.push_back(candidate);
  return chosen;
}

template <class T>
std::vector<const T*> pointers(const std::vector<T>& all) {
  std::vector<const T*> result;
  for (const T& one : all)
    result.push_back(&one);
  return result;
}

const auto name_member = [](const auto& one) { return one.name; };
const auto name_of_element = [](const Element& one) { return one.name(); };

/// What a spring measures, and what it does about it.
std::vector<const char*> columns_of(const BuiltSpring& spring) {
  if (std::holds_alternative<const Bushing*>(spring.element))
    return {"ux", "uy", "uz", "rx", "ry", "rz", "fx", "fy", "fz", "mx", "my", "mz"};
  if (std::holds_alternative<const SpringDamper*>(spring.element))
    return {"length", "force"};
  if (std::holds_alternative<const RotationalSpringDamper*>(spring.element))
    return {"angle", "torque"};
  return {"displacement", "force"};
}

/// The pairs of contact that are selected: the first rule is the default of all others.
std::vector<std::size_t> named_rules(const contact::Scene& scene, const deck::Selection& selection) {
  std::vector<std::size_t> all, chosen;
  for (std::size_t i = 1; i < scene.rules.size(); ++i)
    all.push_back(i);
  for (const std::string& name : selection.names)
    for (const std::size_t i : all)
      if (scene.rules[i].name == name)
        chosen.push_back(i);
  return selection.all ? all : chosen;
}

} // namespace

HistoryColumns::HistoryColumns(const BuiltModel& built, const deck::Output& output)
    : bodies(select(built.bodies, output.bodies, name_of_element)),
      joints(select(pointers(built.joints), output.joints, name_member)),
      springs(select(pointers(built.springs), output.forces, name_member)),
      limits(select(built.limits, output.limits, name_of_element)) {
  for (const Body* body : bodies) {
    add(body->name(), {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"});
    const auto link = std::find(built.links.begin(), built.links.end(), body);
    links.push_back(link == built.links.end() ? nullptr : *link);
    if (links.back() != nullptr)
      add(body->name(), {"angle", "angular_velocity"});
  }
  for (const BuiltJoint* joint : joints) {
    if (joint->joint != nullptr)
      for (const JointCoordinate& c : joint->joint->coordinates())
        add(joint->name, {c.name, (std::string(c.name) + "_rate").c_str()});
    add(joint->name, {"fx", "fy", "fz", "mx", "my", "mz"});
    if (joint->drive != nullptr)
      add(joint->name, {"effort", "power"});
  }
  for (const BuiltSpring* spring : springs)
    for (const char* column : columns_of(*spring))
      add(spring->name, {column});
  for (const Limit* limit : limits)
    for (const LimitRow& row : limit->rows()) {
      const std::string prefix = limit->rows().size() > 1 ? row.name + std::string("_") : "";
      add(limit->name(), {(prefix + "gap").c_str(), (prefix + "force").c_str()});
    }
  has_contact = !built.scene.surfaces.empty() && (output.contacts.all || !output.contacts.names.empty());
  if (has_contact)
    add("contact",
        {"count", "impacts", "penetration", "lost_restitution", "lost_friction", "stabilisation", "residual"});
  pairs = named_rules(built.scene, output.contacts);
  for (const std::size_t rule : pairs)
    add(built.scene.rules[rule].name, {"points", "gap", "fx", "fy", "fz", "mx", "my", "mz"});
  for (const TracedPoint& point : built.points)
    add(point.name, {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"});
  if (output.energies) {
    add("", {"kinetic", "potential", "work", "dissipation", "energy_imbalance"});
    if (built.has_strain)
      add("", {"strain"});
  }
  if (output.momenta)
    add("", {"px", "py", "pz", "lx", "ly", "lz"});
}

void HistoryColumns::add(const std::string& owner, std::initializer_list<const char*> what) {
  for (const char* column : what) {
    head += ',';
    if (!owner.empty())
      head += owner + ".";
    head += column;
  }
  count += what.size();
}

long history_stride(const deck::Output& output, double step) {
  return step > 0 ? std::max(1L, std::lround(output.every / step)) : 1;
}

History::History(const std::string& path, const BuiltModel& built, const deck::Output& output, double step,
                 const ContactLog* contacts)
    : built_(built), output_(output), stride_(history_stride(output, step)), columns_(built, output),
      contacts_(contacts), file_(path) {
  file_.write(columns_.head + "\n");
  file_.flush();
}

void History::observe(const Simulation& simulation, long step) {
  if (step % stride_ == 0 || step == simulation.steps_planned())
    write_state(simulation);
}

void History::finish(const Simulation& simulation) {
  if (rows_ == 0 || simulation.state().time != last_time_)
    write_state(simulation);
  file_.flush();
}

void History::write_state(const Simulation& simulation) {
  const State& state = simulation.state();
  if (simulation.has_step()) {
    const std::vector<StepStage> parts = simulation.integrator().last_stages();
    write_row({state, simulation.integrator().last_moved_step(), true, parts, simulation.ledger()});
    return;
  }
  const VecX still = VecX::Zero(built_.model->unknowns());
  const Step step{state, no_time, 0, still, state.multipliers};
  PortMotions motions = built_.model->port_motions();
  built_.model->move_ports(step, motions);
  write_row({state, {step, motions}, false, {}, simulation.ledger()});
}

void History::write_equilibrium(const State& state) {
  const VecX still = VecX::Zero(built_.model->unknowns());
  const Step step{state, no_time, 0, still, state.multipliers}; // 1/h = 0: time stands still
  PortMotions motions = built_.model->port_motions();
  built_.model->move_ports(step, motions);
  Ledger ledger;
  ledger.open(built_.model->books_at(state));
  const std::vector<StepStage> parts{{1, {step, motions}}};
  write_row({state, parts.front().step, true, parts, ledger});
  file_.flush();
}

void History::number(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x);
  line_ += ',';
  line_.append(text, end.ptr);
}

void History::vector(const Vec3& v) {
  for (int i = 0; i < 3; ++i)
    number(v[i]);
}

namespace {
// Reactions and accelerations are means over the step that ended here: there are none at the start, nor where the last
// attempt failed.
constexpr double none = std::numeric_limits<double>::quiet_NaN();

using Numbers = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

/// Mean of up to six numbers of each part of the step [S19].
template <class Of>
Numbers mean(const Moment& m, Index size, Of of) {
  if (!m.has_reactions)
    return Numbers::Constant(size, none);
  Numbers sum = Numbers::Zero(size);
  for (const StepStage& part : m.parts)
    sum += part.share * Numbers(of(part.step));
  return sum;
}

Numbers numbers(const Reaction& reaction) {
  Numbers both(6);
  both << reaction.force, reaction.moment;
  return both;
}

Numbers number_alone(double x) {
  return Numbers::Constant(1, x);
}
} // namespace

Reaction reaction_of(const BuiltModel& built, const BuiltJoint& joint, const MovedStep& s) {
  if (joint.joint != nullptr)
    return joint.joint->reaction_on_second(s);
  return built.mesh->reaction(*built.model, joint.connection, s)
      .value_or(Reaction{Vec3::Constant(none), Vec3::Constant(none)});
}

void History::write_joint(const BuiltJoint& joint, const Moment& m) {
  if (joint.joint != nullptr) {
    const auto n = static_cast<Index>(joint.joint->coordinates().size());
    VecX value(n), rate(n);
    joint.joint->coordinates_at(m.state, value, rate);
    for (Index i = 0; i < n; ++i) {
      number(value[i]);
      number(rate[i]);
    }
  }
  const Numbers reaction = mean(m, 6, [&](const MovedStep& step) { return numbers(reaction_of(built_, joint, step)); });
  for (const double x : reaction)
    number(x);
  if (joint.drive != nullptr)
    write_drive(joint, m);
}

void History::write_drive(const BuiltJoint& joint, const Moment& m) {
  const auto n = static_cast<Index>(joint.joint->coordinates().size());
  VecX from(n), to(n), rate(n);
  double effort = m.has_reactions ? 0 : none, work = effort;
  for (std::size_t i = 0; m.has_reactions && i < m.parts.size(); ++i) {
    const StepStage& part = m.parts[i];
    const double in_part = joint.drive->effort(part.step);
    joint.joint->coordinates_at(part.step.n, from, rate);
    joint.joint->coordinates_at(i + 1 < m.parts.size() ? m.parts[i + 1].step.n : m.state, to, rate);
    effort += part.share * in_part;
    work += in_part * (to[joint.driven] - from[joint.driven]);
  }
  number(effort);
  number(work * m.step.inv_h);
}

void History::write_spring(const BuiltSpring& spring, const Moment& m) {
  if (const auto* line = std::get_if<const SpringDamper*>(&spring.element)) {
    number((*line)->length(m.step));
    number(mean(m, 1, [&](const MovedStep& s) { return number_alone((*line)->force(s)); })[0]);
  } else if (const auto* turn = std::get_if<const RotationalSpringDamper*>(&spring.element)) {
    number((*turn)->angle(m.step));
    number(mean(m, 1, [&](const MovedStep& s) { return number_alone((*turn)->torque(s)); })[0]);
  } else if (const auto* slide = std::get_if<const TranslationalSpringDamper*>(&spring.element)) {
    number((*slide)->displacement(m.step));
    number(mean(m, 1, [&](const MovedStep& s) { return number_alone((*slide)->force(s)); })[0]);
  } else {
    const Bushing& other = *std::get<const Bushing*>(spring.element);
    const Vec6 displacement = other.displacement(m.step);
    for (const double y : displacement)
      number(y);
    for (const double f : mean(m, displacement.size(), [&](const MovedStep& s) { return other.force(s); }))
      number(f);
  }
}

void History::write_limit(const Limit& limit, const Moment& m) {
  const Index n = limit.multipliers();
  VecX gap(n), rate(n);
  limit.gaps_at(m.state, gap, rate);
  const MultiplierVector force = limit.forces(m.step);
  for (Index i = 0; i < n; ++i) {
    number(gap[i]);
    number(m.has_reactions ? force[i] : none);
  }
}

void History::write_contact(const Moment& m) {
  const StepBooks& last = m.ledger.last();
  for (const double x :
       {static_cast<double>(last.contacts), static_cast<double>(m.ledger.impacts()), last.penetration,
        m.ledger.lost_restitution(), m.ledger.lost_friction(), m.ledger.stabilisation(), last.law_residual})
    number(x);
  for (const std::size_t rule : columns_.pairs) {
    const contact::RuleTotals& totals = contacts_->totals()[rule];
    number(totals.points);
    number(m.has_reactions ? totals.gap : none);
    vector(m.has_reactions ? totals.force : Vec3::Constant(none));
    vector(m.has_reactions ? totals.moment : Vec3::Constant(none));
  }
}

void History::write_point(const TracedPoint& point, const Moment& m) {
  const Connectivity& port = *built_.model->ports()[static_cast<std::size_t>(point.variable.port)];
  Vec12 q, rate;
  port.at(m.state, q, rate);
  const Vec3 velocity = point.variable.of(rate);
  vector(point.variable.of(q));
  vector(velocity);
  port.at(m.step.n, q, rate);
  vector(m.has_reactions ? Vec3((velocity - point.variable.of(rate)) * m.step.inv_h) : Vec3::Constant(none));
}

void History::write_row(const Moment& m) {
  line_.clear();
  number(m.state.time);
  line_.erase(0, 1); // the comma before the first column
  for (std::size_t b = 0; b < columns_.bodies.size(); ++b) {
    const BodyMotion motion = columns_.bodies[b]->motion(m.state);
    vector(motion.position);
    for (int i = 0; i < 4; ++i)
      number(to_wxyz(motion.orientation)[i]);
    vector(motion.velocity);
    vector(output_.body_angular_velocity ? Vec3(motion.orientation.conjugate() * motion.angular_velocity)
                                         : motion.angular_velocity);
    if (const ChainLink* link = columns_.links[b]) {
      number(link->angle(m.state));
      number(link->angular_velocity(m.state));
    }
  }
  for (const BuiltJoint* joint : columns_.joints)
    write_joint(*joint, m);
  for (const BuiltSpring* spring : columns_.springs)
    write_spring(*spring, m);
  for (const Limit* limit : columns_.limits)
    write_limit(*limit, m);
  if (columns_.has_contact)
    write_contact(m);
  for (const TracedPoint& point : built_.points)
    write_point(point, m);
  const StepBooks& last = m.ledger.last();
  if (output_.energies) {
    for (const double x :
         {last.kinetic, last.potential, m.ledger.work(), m.ledger.dissipation(), m.ledger.energy_imbalance()})
      number(x);
    if (built_.has_strain)
      number(last.strain);
  }
  if (output_.momenta) {
    vector(last.linear_momentum);
    vector(last.angular_momentum);
  }
  line_ += '\n';
  file_.write(line_);
  ++rows_;
  last_time_ = m.state.time;
}

} // namespace emmy
