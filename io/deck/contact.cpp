#include "core/counted.hpp"
#include "io/deck/hints.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"
#include "io/deck/surfaces.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace emmy::deck {

namespace {

std::vector<int> merged(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

bool includes(const std::vector<int>& all, const std::vector<int>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Entries of `contact` that speak of surfaces, once these are known.
class ContactReader {
public:
  ContactReader(Reading& reading, const Fields& fields, bool is_served)
      : reading_(reading), fields_(fields), contact_(reading.deck.contact), is_served_(is_served) {
    for (std::size_t i = 0; i < contact_.surfaces.size(); ++i)
      of_body_[contact_.surfaces[i].body].push_back(static_cast<int>(i));
  }

  void read() {
    const Fields material = fields_.entry("material", "'material' of 'contact'");
    if (material.is_map())
      contact_.material = read_material(material, contact::Material{});
    read_groups();
    read_exclusions();
    for_each_named(reading_, fields_.node("pairs"), fields_.target("pairs"), "pair",
                   [&](std::string_view name, const Node& node, const Span& at) { read_pair(name, node, at); });
    contact_.only_pairs = fields_.choice("only") == "pairs";
    if (contact_.only_pairs && !fields_.is_given("pairs"))
      reading_.diagnostics.error(fields_.key_at("only"), "'only' of 'contact' is 'pairs', but there are none",
                                 {"expected 'pairs', or 'only: all'"});
    contact_.jointed = fields_.choice("jointed") == "include";
    contact_.overlap = fields_.choice("overlap").value_or("error");
    contact_.stabilise = fields_.flag("stabilise").value_or(true);
    contact_.arms = fields_.choice("arms").value_or("common");
    read_solver();
  }

private:
  contact::Material read_material(const Fields& fields, contact::Material result) {
    if (fields.is_given("restitution"))
      result.restitution = fields.number("restitution").value_or(1);
    if (fields.is_given("friction"))
      result.friction = fields.number("friction").value_or(0);
    if (fields.is_given("tangential_restitution"))
      result.tangential_restitution = fields.number("tangential_restitution").value_or(0);
    refuse_later_laws(fields);
    return result;
  }

  /// What forward increments do not know, and what they do not know yet.
  void refuse_later_laws(const Fields& fields) {
    for (const char* name : {"friction", "tangential_restitution"})
      if (fields.is_given(name) && fields.number(name).value_or(0) > 0)
        reading_.diagnostics.error(span_of(*fields.node(name)),
                                   fields.target(name).describe() + " is not served yet by this version of emmy",
                                   {"expected 0, or no such entry: surfaces slide without resistance"});
    for (const char* name : {"stiffness", "damping"})
      if (is_served_ && fields.is_given(name))
        reading_.diagnostics.error(fields.key_at(name),
                                   fields.target(name).describe() +
                                       " has no meaning: the method is "
                                       "'forward_increment', which keeps surfaces apart by "
                                       "impulses",
                                   {"expected 'restitution'"});
  }

  /// The surfaces that a name stands for; nothing after an error.
  std::optional<ContactSide> find_side(const Node& node, const Target& target) {
    if (!node.is_scalar()) {
      report_wrong_kind(reading_, node, target);
      return std::nullopt;
    }
    const std::string name(node.text);
    if (const auto group = groups_.find(name); group != groups_.end())
      return ContactSide{group->second, 0};
    if (const int surface = reading_.surfaces.find(name); surface >= 0)
      return ContactSide{{surface}, 2};
    const int body = name == "ground" ? ground : reading_.bodies.find(name);
    if (name == "ground" || body >= 0)
      return of_body(node, target, body);
    ContactSide copies;
    for (const std::string& copy : copies_of(reading_.surfaces, name))
      copies.surfaces.push_back(reading_.surfaces.find(copy));
    if (copies.surfaces.empty())
      for (const std::string& copy : copies_of(reading_.bodies, name))
        copies.surfaces = merged(copies.surfaces, of_body_[reading_.bodies.find(copy)]);
    if (!copies.surfaces.empty())
      return copies;
    report_unknown(node, target);
    return std::nullopt;
  }

  std::optional<ContactSide> of_body(const Node& node, const Target& target, int body) {
    const std::vector<int>& surfaces = of_body_[body];
    if (!surfaces.empty())
      return ContactSide{surfaces, 1};
    reading_.diagnostics.error(span_of(node),
                               (body == ground ? "the ground" : "body " + quoted(node.text)) + " in " +
                                   target.describe() + " has no surface",
                               {"expected one under 'surfaces' of 'contact'" +
                                std::string(body == ground ? "" : ", or the body among its 'bodies'")});
    return std::nullopt;
  }

  void report_unknown(const Node& node, const Target& target) {
    std::vector<std::string> known = reading_.surfaces.list();
    for (const std::string& body : reading_.bodies.list())
      if (reading_.surfaces.find(body) < 0)
        known.push_back(body);
    for (const auto& group : groups_)
      known.push_back(group.first);
    known.emplace_back("ground");
    reading_.diagnostics.error(
        span_of(node), "unknown surface, body or group " + quoted(node.text) + " in " + target.describe(),
        reading_.diagnostics.is_full() ? std::vector<std::string>{} : notes_for(node.text, known));
  }

  /// `[A, B]`.
  std::optional<std::array<ContactSide, 2>> read_sides(const Node& node, const Target& target) {
    if (!node.is_list() || node.members.size() != 2) {
      report_wrong_kind(reading_, node, target);
      return std::nullopt;
    }
    const auto first = find_side(*node.members[0].value, target), second = find_side(*node.members[1].value, target);
    if (!first || !second)
      return std::nullopt;
    return std::array<ContactSide, 2>{*first, *second};
  }

  void read_groups() {
    const Target target = fields_.target("groups");
    for_each_named(reading_, fields_.node("groups"), target, "group",
                   [&](std::string_view name, const Node& node, const Span& at) {
                     if (reading_.surfaces.find(name) >= 0 || reading_.bodies.find(name) >= 0) {
                       reading_.diagnostics.error(at, "group " + quoted(name) + " has the name of a surface or body",
                                                  {"expected a name of its own"});
                       return;
                     }
                     Field list = target.field;
                     list.name = name;
                     std::vector<int> all;
                     const auto take = [&](const Node& item) {
                       if (const auto side = find_side(item, {list, "'groups' of 'contact'"}))
                         all = merged(all, side->surfaces);
                     };
                     if (node.is_list())
                       for (const Member& member : node.members)
                         take(*member.value);
                     else
                       take(node);
                     groups_[std::string(name)] = all;
                   });
  }

  void read_exclusions() {
    const Node* node = fields_.node("exclude");
    if (node == nullptr || node->is_null())
      return;
    if (!node->is_list()) {
      report_wrong_kind(reading_, *node, fields_.target("exclude"));
      return;
    }
    for (const Member& member : node->members)
      if (const auto sides = read_sides(*member.value, fields_.target("exclude")))
        contact_.excluded.push_back(*sides);
  }

  void read_pair(std::string_view name, const Node& node, const Span& at) {
    const Fields fields(reading_, table_entry("contact_pair"), &node, at, "pair " + quoted(name));
    check_unique(reading_, name, at, "pair");
    reading_.pairs.add(name);
    if (!fields.is_map())
      return;
    ContactPair pair;
    pair.name = name;
    pair.where = location(at);
    pair.material = read_material(fields, contact_.material);
    const Node* between = fields.node("between");
    const auto sides = between != nullptr ? read_sides(*between, fields.target("between")) : std::nullopt;
    if (!sides)
      return;
    pair.between = *sides;
    check_pair(fields, pair);
    contact_.pairs.push_back(std::move(pair));
  }

  /// A pair that can never touch is a mistake.
  void check_pair(const Fields& fields, const ContactPair& pair) {
    const auto& [first, second] = pair.between;
    const Span at = span_of(*fields.node("between"));
    for (const auto& [one, other] : contact_.excluded)
      if ((includes(one.surfaces, first.surfaces) && includes(other.surfaces, second.surfaces)) ||
          (includes(one.surfaces, second.surfaces) && includes(other.surfaces, first.surfaces))) {
        reading_.diagnostics.error(at, fields.owner() + " is excluded by 'exclude' of 'contact'",
                                   {"expected one of them: 'exclude' takes what passes through each other"});
        return;
      }
    const auto body_of = [&](int surface) { return contact_.surfaces[static_cast<std::size_t>(surface)].body; };
    const std::vector<int> all = merged(first.surfaces, second.surfaces);
    if (std::all_of(all.begin(), all.end(), [&](int surface) { return body_of(surface) == body_of(all.front()); }))
      reading_.diagnostics.error(at,
                                 fields.owner() + " is between surfaces of one body" +
                                     (body_of(all.front()) == ground ? ", the ground" : "") + ", which never touch",
                                 {"expected surfaces of two bodies, or of a body and the ground"});
  }

  void read_solver() {
    const Fields fields = fields_.entry("solver", "'solver' of 'contact'");
    if (!fields.is_map())
      return;
    ContactSolver& solver = contact_.solver;
    solver.method = fields.choice("method").value_or("auto");
    solver.fast = fields.choice("class") == "fast";
    solver.tolerance = fields.number("tolerance").value_or(1e-8);
    solver.most_applications = fields.integer("most_applications").value_or(1);
    solver.not_converged = fields.choice("not_converged").value_or("warn");
  }

  Reading& reading_;
  const Fields& fields_;
  Contact& contact_;
  bool is_served_;                          ///< the method is
  std::map<int, std::vector<int>> of_body_; ///< surfaces, ascending
  std::map<std::string, std::vector<int>> groups_;
};

/// What moves bodies otherwise than contact and loads, with its place.
struct Coupling {
  Location where;
  std::string what;
};

std::optional<Coupling> first_coupling(const Deck& deck) {
  for (const Body& body : deck.bodies) {
    if (body.formulation == "spring_tetra" || body.formulation == "planar_chain")
      return Coupling{body.where, "body " + quoted(body.name) + ", a " + quoted(body.formulation)};
    if (body.fixed_point)
      return Coupling{body.where, "body " + quoted(body.name) + ", which turns about a fixed point"};
  }
  for (const Joint& joint : deck.joints)
    return Coupling{joint.where, "joint " + quoted(joint.name)};
  for (const Force& force : deck.forces)
    if (force.type != "force" && force.type != "torque")
      return Coupling{force.where, "force " + quoted(force.name) + ", a " + force.type};
  for (const Limit& limit : deck.limits)
    return Coupling{limit.where, "limit " + quoted(limit.name)};
  return std::nullopt;
}

/// Contact takes an integrator that knows impacts, and free bodies.
void check_model(Reading& reading, const Fields& top) {
  const Span at = top.key_at("contact");
  const Deck& deck = reading.deck;
  const Integrator& integrator = deck.integrator;
  if (deck.analysis.type == "static" || deck.analysis.type == "modes")
    reading.diagnostics.error(at, "contact cannot be part of this analysis, which is " + quoted(deck.analysis.type),
                              {"expected 'analysis: transient', or no contact: only motions in time have it"});
  else if (!integrator.type.empty() && integrator.type != "energy_momentum")
    reading.diagnostics.error(at, "contact cannot be integrated by " + integrator.type + ", which knows no impacts",
                              {"expected the integrator energy_momentum, or no contact"});
  else if (integrator.order > 2)
    reading.diagnostics.error(at,
                              "contact does not go with 'order: " + std::to_string(integrator.order) +
                                  "': where a stage runs back in time it would pull",
                              {"expected 'order: 2', or no contact"});
  if (const auto coupling = first_coupling(deck))
    reading.diagnostics.error(coupling->where,
                              coupling->what + ": contact beside it is not served yet by this version of emmy",
                              {"expected free bodies, on which nothing but gravity, forces and torques acts"});
}

} // namespace

void read_contact(Reading& reading, const Fields& top) {
  if (!top.is_given("contact"))
    return;
  const Fields fields = top.entry("contact", "'contact'");
  if (!fields.is_map())
    return;
  reading.deck.contact.where = location(top.key_at("contact"));
  check_model(reading, top);
  const bool is_served = fields.choice("method").has_value();
  const std::size_t errors = reading.diagnostics.error_count();
  read_surfaces(reading, fields);
  if (reading.deck.contact.surfaces.empty() && reading.diagnostics.error_count() == errors)
    reading.diagnostics.error(top.key_at("contact"), "'contact' has no surfaces",
                              {"expected 'surfaces', or 'bodies' that are boxes or spheres"});
  ContactReader(reading, fields, is_served).read();
}

} // namespace emmy::deck
