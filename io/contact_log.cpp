#include "io/contact_log.hpp"

#include "core/counted.hpp"
#include "io/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace emmy {

ContactLog::ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path)
    : scene_(scene), is_written_(scene.rules.size(), selection.all), totals_(scene.rules.size()) {
  for (const std::string& name : selection.names)
    for (std::size_t i = 0; i < scene.rules.size(); ++i)
      if (scene.rules[i].name == name)
        is_written_[i] = true;
  if (std::none_of(is_written_.begin(), is_written_.end(), [](bool written) { return written; }))
    return;
  file_ = std::make_unique<TextFile>(path);
  file_->write("t,pair,first,second,x,y,z,nx,ny,nz,P,I_t,approach,lost\n");
  file_->flush();
}

void ContactLog::observe_piece(const Simulation& simulation) {
  const contact::Happenings* happened = simulation.integrator().happenings();
  const double now = simulation.state().time, h = now - piece_start_;
  piece_start_ = now;
  if (happened == nullptr)
    return;
  for (const contact::Impact& impact : happened->impacts)
    if (file_ != nullptr && is_written_[static_cast<std::size_t>(impact.rule)])
      write(impact);
  if (totals_.size() > 1) // the default has no columns
    add_totals(*happened, h);
  if (happened->worst.depth > worst_.depth) {
    worst_ = happened->worst;
    worst_time_ = now;
  }
  if (happened->residual > residual_) {
    residual_ = happened->residual;
    residual_time_ = now;
  }
  most_contacts_ = std::max(most_contacts_, happened->contacts);
}

/// Means over all pieces of a step, each with the time that it took.
void ContactLog::add_totals(const contact::Happenings& happened, double h) {
  step_length_ = is_new_step_ ? h : step_length_ + h;
  const double share = step_length_ > 0 ? h / step_length_ : 1;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const contact::RuleTotals& part = happened.rules[i];
    contact::RuleTotals& all = totals_[i];
    all.points = is_new_step_ ? part.points : std::max(all.points, part.points);
    all.gap = part.gap;
    all.force += share * (part.force - all.force);
    all.moment += share * (part.moment - all.moment);
  }
  is_new_step_ = false;
}

void ContactLog::write(const contact::Impact& impact) {
  line_.clear();
  const auto number = [&](double x) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x);
    line_.append(text, end.ptr);
    line_ += ',';
  };
  const auto vector = [&](const Vec3& v) {
    for (int i = 0; i < 3; ++i)
      number(v[i]);
  };
  number(impact.time);
  line_ += scene_.rules[static_cast<std::size_t>(impact.rule)].name + ',';
  line_ += name(impact.key.slave) + ',' + name(impact.key.master) + ',';
  vector(impact.at);
  vector(impact.normal);
  for (const double x : {impact.impulse, impact.tangential.norm(), impact.approach, impact.lost})
    number(x);
  line_.back() = '\n';
  file_->write(line_);
  ++lines_;
}

void ContactLog::finish() {
  if (file_ != nullptr)
    file_->flush();
}

std::string ContactLog::summary(const Ledger& ledger) const {
  std::string text = "  Contact  " + counted(ledger.impacts(), "impact", "impacts") + ", at most " +
                     counted(most_contacts_, "contact", "contacts") + " at once\n";
  text += formatted("    %-22s %9.1e m", "deepest inside", worst_.depth);
  if (worst_.depth > 0)
    text +=
        formatted(", '%s' in '%s' at t = %.6g s", name(worst_.first).c_str(), name(worst_.second).c_str(), worst_time_);
  text += formatted("\n    %-22s %9.1e of the velocities", "laws of contact, off", residual_);
  if (residual_ > 0)
    text += formatted(", at t = %.6g s", residual_time_);
  const double energy = std::abs(ledger.initial().energy()) + std::abs(ledger.last().energy()) + ledger.energy_scale();
  const auto shown = [&](double joules) { return without_rounding(joules, energy); };
  text += formatted("\n    %-22s %9.3g J by restitution, %.3g J by friction; stabilisation brought in %.3g J\n",
                    "energy lost", shown(ledger.lost_restitution()), shown(ledger.lost_friction()),
                    shown(ledger.stabilisation()));
  return text;
}

nlohmann::ordered_json ContactLog::json(const Ledger& ledger) const {
  nlohmann::ordered_json contact = {{"impacts", ledger.impacts()},
                                    {"most_contacts", most_contacts_},
                                    {"lost_restitution", ledger.lost_restitution()},
                                    {"lost_friction", ledger.lost_friction()},
                                    {"stabilisation", ledger.stabilisation()},
                                    {"max_penetration", worst_.depth},
                                    {"max_law_residual", residual_}};
  if (worst_.depth > 0) {
    contact["penetration_time"] = worst_time_;
    contact["penetration_between"] = {name(worst_.first), name(worst_.second)};
  }
  if (residual_ > 0)
    contact["law_residual_time"] = residual_time_;
  return contact;
}

namespace {

std::string kind_text(const contact::Geometry& geometry) {
  struct Kind {
    std::string operator()(const contact::Sphere& s) const { return formatted("sphere, radius %g m", s.radius); }
    std::string operator()(const contact::Shell& s) const { return formatted("shell, radius %g m", s.radius); }
    std::string operator()(const contact::HalfSpace&) const { return "half space"; }
    std::string operator()(const contact::Box& b) const {
      return formatted("%s, %g x %g x %g m", b.inside ? "room" : "box", 2 * b.half.x(), 2 * b.half.y(), 2 * b.half.z());
    }
    std::string operator()(const contact::Capsule& c) const {
      return formatted("capsule, radius %g m, line of %g m", c.radius, (c.b - c.a).norm());
    }
    std::string operator()(const contact::NodeSet& n) const {
      return counted(n.at.size(), "node", "nodes") + (n.radius > 0 ? formatted(", radius %g m", n.radius) : "");
    }
    std::string operator()(const contact::Mesh& m) const {
      return "mesh, " + counted(m.facets.size(), "facet", "facets") + " on " + counted(m.nodes.size(), "node", "nodes");
    }
  };
  return std::visit(Kind{}, geometry);
}

using Members = std::map<int, double>; ///< surfaces of each class

double pairs_among(const contact::Scene& scene, const Members& members) {
  double ordered = 0;
  for (const auto& [c, count] : members)
    for (const auto& [d, others] : members)
      if (scene.rule_of(c, d) >= 0)
        ordered += count * (c == d ? others - 1 : others);
  return ordered / 2;
}

/// Pairs of surfaces that have a rule, less those on one body.
double count_pairs(const contact::Scene& scene) {
  Members all;
  std::map<Index, Members> of_port;
  for (std::size_t i = 0; i < scene.surfaces.size(); ++i) {
    ++all[scene.class_of[i]];
    ++of_port[scene.surfaces[i].port][scene.class_of[i]];
  }
  double count = pairs_among(scene, all);
  for (const auto& own : of_port)
    count -= pairs_among(scene, own.second);
  return count;
}

} // namespace

std::string contact_report(const deck::Deck& deck, const contact::Scene& scene) {
  if (scene.surfaces.empty())
    return {};
  std::string text = "\n  surface           on                kind\n";
  const std::size_t shown = std::min(scene.surfaces.size(), longest_table);
  for (std::size_t i = 0; i < shown; ++i) {
    const int body = deck.contact.surfaces[i].body;
    text += formatted("  %-16s  %-16s  %s\n", scene.surfaces[i].name.c_str(),
                      body == deck::ground ? "ground" : deck.bodies[static_cast<std::size_t>(body)].name.c_str(),
                      kind_text(scene.surfaces[i].geometry).c_str());
  }
  if (shown < scene.surfaces.size())
    text += formatted("  ... and %zu more\n", scene.surfaces.size() - shown);
  text += "\n  contact           restitution   between\n";
  for (std::size_t i = 1; i < std::min(scene.rules.size(), longest_table + 1); ++i) {
    const deck::ContactPair& pair = deck.contact.pairs[i - 1];
    const auto side = [&](const deck::ContactSide& one) {
      const std::string first = scene.surfaces[static_cast<std::size_t>(one.surfaces.front())].name;
      return one.surfaces.size() == 1 ? first : first + formatted(" and %zu more", one.surfaces.size() - 1);
    };
    text += formatted("  %-16s  %-11g   %s, %s\n", pair.name.c_str(), pair.material.restitution,
                      side(pair.between[0]).c_str(), side(pair.between[1]).c_str());
  }
  if (scene.rules.size() > longest_table + 1)
    text += formatted("  ... and %zu more\n", scene.rules.size() - longest_table - 1);
  if (!deck.contact.only_pairs)
    text += formatted("  %-16s  %-11g   all others\n", "-", scene.rules.front().material.restitution);
  return text + "  " + counted(std::lround(count_pairs(scene)), "pair of surfaces", "pairs of surfaces") +
         " may touch\n";
}

} // namespace emmy
