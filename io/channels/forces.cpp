#include "io/channels/sources.hpp"

namespace emmy {

namespace {

StepNumbers alone(double x) {
  return StepNumbers::Constant(1, x);
}

/// A spring along or about one coordinate: how far it is, at the end, and with what it pushes or pulls in the mean.
template <class Measured, class Pushed>
ChannelSource line(const std::string& owner, Channel measured, Channel pushed, Measured measure, Pushed push) {
  measured.kind = pushed.kind = ChannelKind::force;
  measured.owner = pushed.owner = owner;
  measured.columns = {measured.name};
  pushed.columns = {pushed.name};
  measured.when = When::end;
  pushed.when = When::mean;
  return {{measured, pushed}, [measure, push](const Moment& m, double* out) {
            Numbers(out) << measure(m.step)
                         << mean_over_step(m, 1, [&](const MovedStep& s) { return alone(push(s)); })[0];
          }};
}

Channel named(const char* name, const char* unit, const char* doc) {
  return {ChannelKind::force, "", name, unit, {}, When::end, doc};
}

struct SourceOf {
  std::string owner;

  ChannelSource operator()(const SpringDamper* spring) const {
    return line(
        owner, named("length", "m", "distance of its ends"),
        named("force", "N", "tension, positive where it pulls them together"),
        [spring](const MovedStep& s) { return spring->length(s); },
        [spring](const MovedStep& s) { return spring->force(s); });
  }
  ChannelSource operator()(const RotationalSpringDamper* spring) const {
    return line(
        owner, named("angle", "rad", "of the joint"),
        named("torque", "N m", "positive where it turns the second body back"),
        [spring](const MovedStep& s) { return spring->angle(s); },
        [spring](const MovedStep& s) { return spring->torque(s); });
  }
  ChannelSource operator()(const TranslationalSpringDamper* spring) const {
    return line(
        owner, named("displacement", "m", "of the joint"),
        named("force", "N", "positive where it pushes the second body back"),
        [spring](const MovedStep& s) { return spring->displacement(s); },
        [spring](const MovedStep& s) { return spring->force(s); });
  }
  ChannelSource operator()(const Bushing* bushing) const {
    const auto channel = [&](const char* name, const char* unit, std::vector<std::string> columns, When when,
                             const char* doc) {
      return Channel{ChannelKind::force, owner, name, unit, std::move(columns), when, doc};
    };
    return {{channel("displacement", "m", {"ux", "uy", "uz"}, When::end,
                     "of the second body against the first, along the axes of the bushing"),
             channel("rotation", "rad", {"rx", "ry", "rz"}, When::end, "of the second body against the first"),
             channel("force", "N", {"fx", "fy", "fz"}, When::mean, "against the displacement"),
             channel("moment", "N m", {"mx", "my", "mz"}, When::mean, "against the rotation")},
            [bushing](const Moment& m, double* out) {
              Numbers numbers(out);
              const Vec6 displacement = bushing->displacement(m.step);
              for (const double u : displacement)
                numbers << u;
              for (const double f : mean_over_step(m, 6, [&](const MovedStep& s) { return bushing->force(s); }))
                numbers << f;
            }};
  }
};

} // namespace

void add_spring_sources(const BuiltModel& built, Sources& to) {
  for (const BuiltSpring& spring : built.springs)
    to.push_back(std::visit(SourceOf{spring.name}, spring.element));
}

void add_limit_sources(const BuiltModel& built, Sources& to) {
  for (const Limit* limit : built.limits) {
    ChannelSource source;
    for (const LimitRow& row : limit->rows()) {
      const std::string prefix = limit->rows().size() > 1 ? row.name + std::string("_") : "";
      const auto channel = [&](const char* name, const char* unit, When when, const char* doc) {
        return Channel{ChannelKind::limit, limit->name(), prefix + name, unit, {prefix + name}, when, doc};
      };
      source.channels.push_back(
          channel("gap", row.gap_unit, When::end, "how far it is from its bound, negative beyond it"));
      source.channels.push_back(
          channel("force", row.force_unit, When::mean, "with which it pushes back, never negative"));
    }
    source.read = [limit](const Moment& m, double* out) {
      const Index n = limit->multipliers();
      VecX gap(n), rate(n);
      limit->gaps_at(m.state, gap, rate);
      const MultiplierVector force = limit->forces(m.step);
      Numbers numbers(out);
      for (Index i = 0; i < n; ++i)
        numbers << gap[i] << (m.has_reactions ? force[i] : no_number);
    };
    to.push_back(std::move(source));
  }
}

} // namespace emmy
