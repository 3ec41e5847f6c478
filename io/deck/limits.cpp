#include "io/deck/geometry.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"

#include <algorithm>
#include <map>

namespace emmy::deck {

namespace {

EnforcementMethod method_of(const std::string& word) {
  static const std::map<std::string, EnforcementMethod> words = {
      {"lagrange", EnforcementMethod::lagrange},
      {"penalty", EnforcementMethod::penalty},
      {"augmented_lagrangian", EnforcementMethod::augmented_lagrangian}};
  return words.at(word);
}

/// What goes with the method, given as a map or not at all.
void read_scales(Reading& reading, const Fields& map, const std::string& method, Enforcement& result) {
  result.stiffness = map.number("stiffness").value_or(0);
  result.beta = map.number("beta").value_or(0);
  const auto refuse = [&](const char* name, const std::string& why, const char* expected) {
    reading.diagnostics.error(map.key_at(name), map.target(name).describe() + " has no meaning: " + why, {expected});
  };
  const bool has_beta = map.is_given("beta");
  if (method == "lagrange" && map.is_given("stiffness"))
    refuse("stiffness", "the method is 'lagrange'", "expected it with penalty or augmented_lagrangian only");
  if (has_beta && method != "augmented_lagrangian")
    refuse("beta", "the method is " + quoted(method), "expected it with augmented_lagrangian only");
  else if (has_beta && map.is_given("stiffness"))
    refuse("beta", "'stiffness' is given, which it would scale", "expected one of them");
}

/// Bounds must leave something between them.
void check_bounds(Reading& reading, const Fields& fields, const Limit& limit, const char* lower, const char* upper) {
  if (limit.lower && limit.upper && !(*limit.lower < *limit.upper))
    reading.diagnostics.error(fields.key_at(lower),
                              fields.target(lower).describe() + " is " + number_text(*limit.lower) + ", not below " +
                                  quoted(upper) + ", " + number_text(*limit.upper),
                              {"expected " + quoted(lower) + " < " + quoted(upper)});
}

void read_wall(Reading& reading, const Fields& fields, Limit& limit) {
  limit.radius = fields.number("radius").value_or(0);
  const Node *between = fields.node("between"), *direction = fields.node("normal");
  const auto ends = between != nullptr ? read_two_points(reading, *between, fields.target("between")) : std::nullopt;
  const auto normal =
      direction != nullptr ? read_direction(reading, *direction, fields.target("normal")) : std::nullopt;
  if (!ends || !normal)
    return;
  limit.ends = *ends;
  limit.normal = *normal;
  check_direction(reading, span_of(*direction), fields.owner(), limit.ends[0].body, limit.normal);
}

void read_rope(Reading& reading, const Fields& fields, Limit& limit) {
  limit.upper = fields.number("length");
  limit.lower = fields.number("least");
  if (!fields.is_given("between"))
    return;
  const Node& between = *fields.node("between");
  const auto ends = read_two_points(reading, between, fields.target("between"));
  if (!ends)
    return;
  limit.ends = *ends;
  const double distance =
      (coordinates_in(reading.deck, ground, (*ends)[1]) - coordinates_in(reading.deck, ground, (*ends)[0])).norm();
  if (!fields.is_given("length") && distance == 0)
    reading.diagnostics.error(span_of(between), "the ends of " + fields.owner() + " coincide at the start",
                              {"expected a distance between them, or 'length'"});
  else if (!fields.is_given("length"))
    limit.upper = distance;
  check_bounds(reading, fields, limit, "least", "length");
}

/// The coordinate that a stop sits on.
void read_coordinate(Reading& reading, const Fields& fields, const Node& node, const Joint& joint, Limit& limit) {
  const std::vector<std::string> has = joint_coordinates(joint);
  const std::string on = fields.owner() + " sits on the " + joint.type + " joint " + quoted(joint.name);
  std::string list;
  for (const std::string& name : has)
    list += (list.empty() ? "" : &name == &has.back() ? " or " : ", ") + name;
  const auto wanted = fields.choice("coordinate");
  if (has.empty())
    reading.diagnostics.error(span_of(node), on + ", which has no angle or displacement",
                              {"expected a joint that turns about an axis or slides along one"});
  else if (wanted && std::find(has.begin(), has.end(), *wanted) == has.end())
    reading.diagnostics.error(span_of(*fields.node("coordinate")),
                              on + ", which has no " + quoted(*wanted) + " to stop",
                              {"expected 'coordinate' to be " + list});
  else if (!wanted && !fields.is_given("coordinate") && has.size() > 1)
    reading.diagnostics.error(span_of(node), on + ", which has several coordinates",
                              {"expected 'coordinate' to say which: " + list});
  else
    limit.coordinate = wanted.value_or(has.front());
  for (const char* bound : {"lower", "upper"})
    if (limit.coordinate.find("angle") == 0 && fields.is_given(bound))
      suspect_degrees(reading, *fields.node(bound), fields.target(bound));
}

void read_stop(Reading& reading, const Fields& fields, Limit& limit) {
  limit.lower = fields.number("lower");
  limit.upper = fields.number("upper");
  if (!fields.is_given("lower") && !fields.is_given("upper"))
    reading.diagnostics.error(fields.at(), fields.owner() + " has no bound", {"expected 'lower', 'upper' or both"});
  check_bounds(reading, fields, limit, "lower", "upper");
  const Node* node = fields.node("joint");
  const auto joint = node != nullptr ? read_joint_name(reading, *node, fields.target("joint")) : std::nullopt;
  if (!joint)
    return;
  limit.joint = *joint;
  const Joint& on = reading.deck.joints[static_cast<std::size_t>(*joint)];
  if (!on.type.empty())
    read_coordinate(reading, fields, *node, on, limit);
}

/// Impacts take an integrator that knows them.
void check_analysis(Reading& reading, const std::string& owner, const Span& at) {
  const std::string& analysis = reading.deck.analysis.type;
  const std::string& integrator = reading.deck.integrator.type;
  if (analysis == "static" || analysis == "modes")
    reading.diagnostics.error(at, owner + " cannot be part of this analysis, which is " + quoted(analysis),
                              {"expected 'analysis: transient', or no limits: only motions in time have them"});
  else if (family_of(integrator) == IntegratorFamily::rigid)
    reading.diagnostics.error(at, owner + " cannot be integrated by " + integrator + ", which knows no impacts",
                              {"expected the integrator energy_momentum, or no limits"});
}

void read_limit(Reading& reading, std::string_view name, const Node& node, const Span& at) {
  const std::string owner = "limit " + quoted(name);
  check_unique(reading, name, at, "limit");
  reading.limits.add(name);
  check_analysis(reading, owner, at);
  const Entry* kind = kind_of(reading, table_entry("limit"), node, at, owner);
  if (kind == nullptr)
    return;
  const Fields fields(reading, *kind, &node, at, owner);
  Limit limit;
  limit.name = name;
  limit.where = location(at);
  limit.type = kind->id;
  limit.enforcement = read_enforcement(reading, fields);
  limit.restitution = fields.number("restitution").value_or(1);
  if (fields.is_given("restitution") && limit.enforcement.method == EnforcementMethod::penalty)
    reading.diagnostics.error(fields.key_at("restitution"),
                              "'restitution' of " + owner + " has no meaning: a penalty is an elastic spring",
                              {"expected it with augmented_lagrangian or lagrange only"});
  else if (fields.is_given("restitution") && family_of(reading.deck.integrator.type) == IntegratorFamily::pointwise)
    reading.diagnostics.error(fields.key_at("restitution"),
                              "'restitution' of " + owner + " has no meaning: " + reading.deck.integrator.type +
                                  " stops positions, not rates",
                              {"expected it with energy_momentum only; here the rebound depends on where in a step the "
                               "impact falls"});
  if (limit.type == "wall")
    read_wall(reading, fields, limit);
  else if (limit.type == "rope")
    read_rope(reading, fields, limit);
  else
    read_stop(reading, fields, limit);
  reading.deck.limits.push_back(std::move(limit));
}

} // namespace

Enforcement read_enforcement(Reading& reading, const Fields& fields) {
  Enforcement result;
  const Node& node = *fields.node("enforcement");
  const std::string owner = "'enforcement' of " + fields.owner();
  std::optional<std::string> method;
  bool has_stiffness = false;
  if (node.is_scalar())
    method = read_choice(reading, node, {*table_entry("enforcement").find("method"), owner});
  else if (const Fields map = fields.entry("enforcement", owner); map.is_map()) {
    method = map.choice("method");
    has_stiffness = map.is_given("stiffness");
    if (method)
      read_scales(reading, map, *method, result);
  }
  if (method)
    result.method = method_of(*method);
  if (method == "penalty" && !has_stiffness)
    reading.diagnostics.error(span_of(node), owner + " is a penalty without a stiffness",
                              {"expected {method: penalty, stiffness: NUMBER}, in N/m or N m/rad"});
  return result;
}

void read_limits(Reading& reading, const Fields& top) {
  for_each_copy(reading, top.node("limits"), top.target("limits"), "limit", reading.limits,
                [&](auto name, const Node& node, const Span& at) { read_limit(reading, name, node, at); });
}

} // namespace emmy::deck
