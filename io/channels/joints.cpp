#include "io/channels/sources.hpp"

#include <string_view>

namespace emmy {

Reaction reaction_of(const BuiltModel& built, const BuiltJoint& joint, const MovedStep& s) {
  if (joint.joint != nullptr)
    return joint.joint->reaction_on_second(s);
  return built.mesh->reaction(*built.model, joint.connection, s)
      .value_or(Reaction{Vec3::Constant(no_number), Vec3::Constant(no_number)});
}

namespace {

bool is_angle(const JointCoordinate& c) {
  return std::string_view(c.unit) == "rad";
}

ChannelSource coordinates(const BuiltJoint& joint) {
  ChannelSource source;
  for (const JointCoordinate& c : joint.joint->coordinates()) {
    const std::string name = c.name, rate = name + "_rate";
    const char* rate_unit = is_angle(c) ? "rad/s" : "m/s";
    source.channels.push_back({ChannelKind::joint, joint.name, name, c.unit, {name}, When::end, "of the joint"});
    source.channels.push_back({ChannelKind::joint, joint.name, rate, rate_unit, {rate}, When::end, "its rate"});
  }
  source.read = [of = joint.joint](const Moment& m, double* out) {
    const auto n = static_cast<Index>(of->coordinates().size());
    VecX value(n), rate(n);
    of->coordinates_at(m.state, value, rate);
    Numbers numbers(out);
    for (Index i = 0; i < n; ++i)
      numbers << value[i] << rate[i];
  };
  return source;
}

/// Changes of the coordinates over the step, divided by it.
ChannelSource mean_rates(const BuiltJoint& joint) {
  ChannelSource source;
  for (const JointCoordinate& c : joint.joint->coordinates()) {
    const std::string name = "mean_" + std::string(c.name) + "_rate";
    source.channels.push_back({ChannelKind::joint,
                               joint.name,
                               name,
                               is_angle(c) ? "rad/s" : "m/s",
                               {name},
                               When::mean,
                               "change of the coordinate in the step, divided by the step",
                               true});
  }
  source.read = [of = joint.joint](const Moment& m, double* out) {
    const auto n = static_cast<Index>(of->coordinates().size());
    VecX from(n), to(n), rate(n);
    of->coordinates_at(m.step.n, from, rate);
    of->coordinates_at(m.state, to, rate);
    Numbers numbers(out);
    for (Index i = 0; i < n; ++i)
      numbers << (m.has_reactions ? (to[i] - from[i]) * m.step.inv_h : no_number);
  };
  return source;
}

ChannelSource reaction(const BuiltModel& built, const BuiltJoint& joint) {
  return {{{ChannelKind::joint,
            joint.name,
            "force",
            "N",
            {"fx", "fy", "fz"},
            When::mean,
            "on the second body, along global axes"},
           {ChannelKind::joint,
            joint.name,
            "moment",
            "N m",
            {"mx", "my", "mz"},
            When::mean,
            "on the second body about the point of the joint, along global axes"}},
          [&built, &joint](const Moment& m, double* out) {
            const StepNumbers both = mean_over_step(m, 6, [&](const MovedStep& s) {
              const Reaction one = reaction_of(built, joint, s);
              StepNumbers numbers(6);
              numbers << one.force, one.moment;
              return numbers;
            });
            Numbers(out) << Vec3(both.head<3>()) << Vec3(both.tail<3>());
          }};
}

/// Effort, and the work of all parts of the step divided by the step.
void read_drive(const BuiltJoint& joint, const Moment& m, double* out) {
  const auto n = static_cast<Index>(joint.joint->coordinates().size());
  VecX from(n), to(n), rate(n);
  double effort = m.has_reactions ? 0 : no_number, work = effort;
  for (std::size_t i = 0; m.has_reactions && i < m.parts.size(); ++i) {
    const StepStage& part = m.parts[i];
    const double in_part = joint.drive->effort(part.step);
    joint.joint->coordinates_at(part.step.n, from, rate);
    joint.joint->coordinates_at(i + 1 < m.parts.size() ? m.parts[i + 1].step.n : m.state, to, rate);
    effort += part.share * in_part;
    work += in_part * (to[joint.driven] - from[joint.driven]);
  }
  Numbers(out) << effort << work * m.step.inv_h;
}

ChannelSource drive(const BuiltJoint& joint) {
  const bool turns = is_angle(joint.joint->coordinates()[static_cast<std::size_t>(joint.driven)]);
  return {{{ChannelKind::joint,
            joint.name,
            "effort",
            turns ? "N m" : "N",
            {"effort"},
            When::mean,
            "torque or force of the motor along its coordinate"},
           {ChannelKind::joint, joint.name, "power", "W", {"power"}, When::mean, "of the motor"}},
          [&joint](const Moment& m, double* out) { read_drive(joint, m, out); }};
}

} // namespace

void add_joint_sources(const BuiltModel& built, Sources& to) {
  for (const BuiltJoint& joint : built.joints) {
    if (joint.joint != nullptr && !joint.joint->coordinates().empty()) {
      to.push_back(coordinates(joint));
      to.push_back(mean_rates(joint));
    }
    to.push_back(reaction(built, joint));
    if (joint.drive != nullptr)
      to.push_back(drive(joint));
  }
}

} // namespace emmy
