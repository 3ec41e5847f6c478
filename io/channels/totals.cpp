/// Channels of contact, and of what the ledger knows of the whole model.
#include "io/channels/sources.hpp"

namespace emmy {

namespace {

Channel single(ChannelKind kind, const char* owner, const char* name, const char* column, const char* unit, When when,
               const char* doc) {
  return {kind, owner, name, unit, {column}, when, doc};
}

ChannelSource all_contacts() {
  const auto of_contact = [](const char* name, const char* unit, When when, const char* doc) {
    return single(ChannelKind::contact, "contact", name, name, unit, when, doc);
  };
  return {{of_contact("count", "1", When::step, "points that carried an impulse in the step, or in its last part"),
           of_contact("impacts", "1", When::total, "impulses that began"),
           of_contact("penetration", "m", When::end, "how far surfaces are inside each other at most"),
           of_contact("lost_restitution", "J", When::total, "part of the dissipation"),
           of_contact("lost_friction", "J", When::total, "part of the dissipation"),
           of_contact("stabilisation", "J", When::total, "energy that correcting positions has brought in"),
           of_contact("residual", "1", When::step, "how far the laws were missed in it, relative to velocities")},
          [](const Moment& m, double* out) {
            const StepBooks& last = m.ledger.last();
            Numbers(out) << static_cast<double>(last.contacts) << static_cast<double>(m.ledger.impacts())
                         << last.penetration << m.ledger.lost_restitution() << m.ledger.lost_friction()
                         << m.ledger.stabilisation() << last.law_residual;
          }};
}

ChannelSource pair(const std::string& name, std::size_t rule, const ContactLog* contacts) {
  const auto of_pair = [&](const char* what, const char* unit, std::vector<std::string> columns, When when,
                           const char* doc) {
    return Channel{ChannelKind::contact, name, what, unit, std::move(columns), when, doc};
  };
  return {
      {of_pair("points", "1", {"points"}, When::step, "most points that carried an impulse in it, or in a part of it"),
       of_pair("gap", "m", {"gap"}, When::end, "least distance; nan where nothing was near, and without a step"),
       of_pair("force", "N", {"fx", "fy", "fz"}, When::mean, "on the second side, along global axes"),
       of_pair("moment", "N m", {"mx", "my", "mz"}, When::mean,
               "on it about the centre of its body; about the origin if that is the ground or several bodies")},
      [rule, contacts](const Moment& m, double* out) {
        const contact::RuleTotals& totals = contacts->totals()[rule];
        const Vec3 none = Vec3::Constant(no_number);
        Numbers(out) << totals.points << (m.has_reactions ? totals.gap : no_number)
                     << (m.has_reactions ? totals.force : none) << (m.has_reactions ? totals.moment : none);
      }};
}

} // namespace

void add_contact_sources(const BuiltModel& built, const ContactLog* contacts, Sources& to) {
  if (built.scene.surfaces.empty())
    return;
  to.push_back(all_contacts());
  for (std::size_t rule = 1; rule < built.scene.rules.size(); ++rule) // the first is the default of all others
    to.push_back(pair(built.scene.rules[rule].name, rule, contacts));
}

void add_ledger_sources(const BuiltModel& built, Sources& to) {
  const auto energy = [](const char* name, const char* column, When when, const char* doc) {
    return single(ChannelKind::energy, "", name, column, "J", when, doc);
  };
  to.push_back({{energy("kinetic", "kinetic", When::end, "energy of motion"),
                 energy("potential", "potential", When::end, "that of gravity is zero at the origin"),
                 energy("work", "work", When::total, "done by motors and by loads without a potential"),
                 energy("dissipation", "dissipation", When::total, "energy lost"),
                 energy("imbalance", "energy_imbalance", When::total,
                        "change of energy that work and dissipation do not explain")},
                [](const Moment& m, double* out) {
                  const StepBooks& last = m.ledger.last();
                  Numbers(out) << last.kinetic << last.potential << m.ledger.work() << m.ledger.dissipation()
                               << m.ledger.energy_imbalance();
                }});
  if (built.has_strain)
    to.push_back({{energy("strain", "strain", When::end, "part of the potential in springs of bodies")},
                  [](const Moment& m, double* out) { *out = m.ledger.last().strain; }});
  to.push_back({{{ChannelKind::momentum, "", "linear", "N s", {"px", "py", "pz"}, When::end, "linear momentum"},
                 {ChannelKind::momentum, "", "angular", "N m s", {"lx", "ly", "lz"}, When::end, "about the origin"}},
                [](const Moment& m, double* out) {
                  Numbers(out) << m.ledger.last().linear_momentum << m.ledger.last().angular_momentum;
                }});
}

std::vector<ChannelSource> channels_of(const BuiltModel& built, const deck::Output& output,
                                       const ContactLog* contacts) {
  Sources all;
  add_body_sources(built, output, all);
  add_joint_sources(built, all);
  add_spring_sources(built, all);
  add_limit_sources(built, all);
  add_contact_sources(built, contacts, all);
  add_point_sources(built, all);
  add_ledger_sources(built, all);
  return all;
}

} // namespace emmy
