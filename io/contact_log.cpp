#include "io/contact_log.hpp"

#include "core/counted.hpp"
#include "io/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace emmy {

namespace {

std::vector<bool> written_rules(const contact::Scene& scene, const deck::Selection& selection) {
  std::vector<bool> is_written(scene.rules.size(), selection.all);
  for (const std::string& name : selection.names)
    for (std::size_t i = 0; i < scene.rules.size(); ++i)
      if (scene.rules[i].name == name)
        is_written[i] = true;
  return is_written;
}

std::unique_ptr<TextFile> new_file(const std::string& path) {
  auto file = std::make_unique<TextFile>(path);
  file->write("t,pair,first,second,x,y,z,nx,ny,nz,P,I_t,approach,lost\n");
  file->flush();
  return file;
}

} // namespace

bool ContactLog::writes(const contact::Scene& scene, const deck::Selection& selection) {
  const std::vector<bool> is_written = written_rules(scene, selection);
  return std::find(is_written.begin(), is_written.end(), true) != is_written.end();
}

ContactLog::ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path)
    : scene_(scene), is_written_(written_rules(scene, selection)) {
  seen_.totals.resize(scene.rules.size());
  if (writes(scene, selection))
    file_ = new_file(path);
}

ContactLog::ContactLog(const contact::Scene& scene, const deck::Selection& selection, const std::string& path,
                       const Seen& seen, bool in_place)
    : scene_(scene), is_written_(written_rules(scene, selection)), seen_(seen) {
  if (!writes(scene, selection))
    return;
  file_ = in_place ? std::make_unique<TextFile>(path, seen.file) : new_file(path);
  if (!in_place)
    seen_.lines = 0;
}

ContactLog::Seen ContactLog::mark() {
  seen_.file = file_ != nullptr ? file_->mark() : FileMark{};
  return seen_;
}

void ContactLog::sync() {
  if (file_ != nullptr)
    file_->sync();
}

void ContactLog::observe_piece(const Simulation& simulation) {
  const contact::Happenings* happened = simulation.integrator().happenings();
  const double now = simulation.state().time, h = now - seen_.piece_start;
  seen_.piece_start = now;
  if (happened == nullptr)
    return;
  for (const contact::Impact& impact : happened->impacts)
    if (file_ != nullptr && is_written_[static_cast<std::size_t>(impact.rule)])
      write(impact);
  if (seen_.totals.size() > 1) // the default has no columns
    add_totals(*happened, h);
  if (happened->worst.depth > seen_.worst.depth) {
    seen_.worst = happened->worst;
    seen_.worst_time = now;
  }
  if (happened->residual > seen_.residual) {
    seen_.residual = happened->residual;
    seen_.residual_time = now;
  }
  seen_.most_contacts = std::max(seen_.most_contacts, happened->contacts);
}

/// Means over all pieces of a step, each with the time that it took.
void ContactLog::add_totals(const contact::Happenings& happened, double h) {
  seen_.step_length = seen_.is_new_step ? h : seen_.step_length + h;
  const double share = seen_.step_length > 0 ? h / seen_.step_length : 1;
  for (std::size_t i = 0; i < seen_.totals.size(); ++i) {
    const contact::RuleTotals& part = happened.rules[i];
    contact::RuleTotals& all = seen_.totals[i];
    all.points = seen_.is_new_step ? part.points : std::max(all.points, part.points);
    all.gap = part.gap;
    all.force += share * (part.force - all.force);
    all.moment += share * (part.moment - all.moment);
  }
  seen_.is_new_step = false;
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
  ++seen_.lines;
}

void ContactLog::finish() {
  if (file_ != nullptr)
    file_->flush();
}

std::string ContactLog::summary(const Ledger& ledger) const {
  std::string text = "  Contact  " + counted(ledger.impacts(), "impact", "impacts") + ", at most " +
                     counted(seen_.most_contacts, "contact", "contacts") + " at once\n";
  text += formatted("    %-22s %9.1e m", "deepest inside", seen_.worst.depth);
  if (seen_.worst.depth > 0)
    text += formatted(", '%s' in '%s' at t = %.6g s", name(seen_.worst.first).c_str(), name(seen_.worst.second).c_str(),
                      seen_.worst_time);
  text += formatted("\n    %-22s %9.1e of the velocities", "laws of contact, off", seen_.residual);
  if (seen_.residual > 0)
    text += formatted(", at t = %.6g s", seen_.residual_time);
  const double energy = std::abs(ledger.initial().energy()) + std::abs(ledger.last().energy()) + ledger.energy_scale();
  const auto shown = [&](double joules) { return without_rounding(joules, energy); };
  text += formatted("\n    %-22s %9.3g J by restitution, %.3g J by friction; stabilisation brought in %.3g J\n",
                    "energy lost", shown(ledger.lost_restitution()), shown(ledger.lost_friction()),
                    shown(ledger.stabilisation()));
  return text;
}

nlohmann::ordered_json ContactLog::json(const Ledger& ledger) const {
  nlohmann::ordered_json contact = {{"impacts", ledger.impacts()},
                                    {"most_contacts", seen_.most_contacts},
                                    {"lost_restitution", ledger.lost_restitution()},
                                    {"lost_friction", ledger.lost_friction()},
                                    {"stabilisation", ledger.stabilisation()},
                                    {"max_penetration", seen_.worst.depth},
                                    {"max_law_residual", seen_.residual}};
  if (seen_.worst.depth > 0) {
    contact["penetration_time"] = seen_.worst_time;
    contact["penetration_between"] = {name(seen_.worst.first), name(seen_.worst.second)};
  }
  if (seen_.residual > 0)
    contact["law_residual_time"] = seen_.residual_time;
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
