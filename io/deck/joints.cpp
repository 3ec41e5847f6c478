#include "io/deck/geometry.hpp"
#include "io/deck/sections.hpp"

#include <array>

namespace emmy::deck {

namespace {

/// Names are columns and appear in messages without their kind, so that bodies, joints and forces share one set of
/// them.
void check_unique(Reading& reading, std::string_view name, const Span& at, const char* kind) {
  const bool is_body = reading.bodies.find(name) >= 0, is_joint = reading.joints.find(name) >= 0;
  if (is_body || is_joint)
    reading.diagnostics.error(
        at, std::string(kind) + " " + quoted(name) + " has the name of a " + (is_body ? "body" : "joint"),
        {"expected a name of its own"});
}

std::optional<std::array<int, 2>> read_between(Reading& reading, const Fields& joint) {
  const Node* node = joint.node("between");
  if (node == nullptr)
    return std::nullopt;
  const Target target = joint.target("between");
  if (!node->is_list() || node->members.size() != 2) {
    const std::string count = std::to_string(node->members.size());
    if (node->is_list())
      reading.diagnostics.error(span_of(*node),
                                target.describe() + " names " + count + (count == "1" ? " body" : " bodies"),
                                {"expected " + target.field.expected()});
    else
      report_wrong_kind(reading, *node, target);
    return std::nullopt;
  }
  const auto first = read_body(reading, *node->members[0].value, target);
  const auto second = read_body(reading, *node->members[1].value, target);
  if (!first || !second)
    return std::nullopt;
  if (*first == *second) {
    const std::string whom = *first == ground ? "ground" : "body " + quoted(node->members[0].value->text);
    reading.diagnostics.error(span_of(*node), joint.owner() + " connects " + whom + " with itself",
                              {"expected two different bodies, one of which may be ground"});
    return std::nullopt;
  }
  return std::array<int, 2>{*first, *second};
}

/// What the `type` of a joint or force selects; null after an error.
const Entry* kind_of(Reading& reading, const Entry& kinds, const Node& node, const Span& at, const std::string& owner) {
  if (node.is_map())
    return select_variant(reading, kinds, node, at, owner);
  const Fields complaint(reading, kinds, &node, at, owner); // says that a map was expected
  return nullptr;
}

void read_joint(Reading& reading, std::string_view name, const Node& node, const Span& at) {
  const Entry& kinds = table_entry("joint");
  const std::string owner = "joint " + quoted(name);
  check_unique(reading, name, at, "joint");
  reading.joints.add(name);
  const Entry* kind = kind_of(reading, kinds, node, at, owner);
  if (kind == nullptr)
    return;
  const Fields fields(reading, *kind, &node, at, owner);
  Joint joint;
  joint.name = name;
  joint.where = location(at);
  joint.type = kind->id;
  const auto between = read_between(reading, fields);
  if (between)
    joint.between = *between;
  if (const Node* given = fields.node("at")) {
    if (const auto points = read_point_pair(reading, *given, fields.target("at"))) {
      joint.at = points->first;
      joint.at_second = points->second;
    }
  } else if (between) {
    joint.at.body = (*between)[1] != ground ? (*between)[1] : (*between)[0];
  }
  if (kind->find("axis") != nullptr && fields.is_given("axis"))
    if (const auto axes = read_direction_pair(reading, *fields.node("axis"), fields.target("axis"))) {
      joint.axis = axes->first;
      joint.axis_second = axes->second;
    }
  reading.deck.joints.push_back(std::move(joint));
}

void read_force(Reading& reading, std::string_view name, const Node& node, const Span& at) {
  const Entry& kinds = table_entry("force");
  const std::string owner = "force " + quoted(name);
  check_unique(reading, name, at, "force");
  const Entry* kind = kind_of(reading, kinds, node, at, owner);
  if (kind == nullptr)
    return;
  const Fields fields(reading, *kind, &node, at, owner);
  Force force;
  force.name = name;
  force.where = location(at);
  force.type = kind->id;
  std::optional<int> body;
  if (const Node* given = fields.node("body"))
    body = read_body(reading, *given, fields.target("body"));
  if (body == ground)
    reading.diagnostics.error(span_of(*fields.node("body")), owner + " acts on the ground, which does not move",
                              {"expected the name of a body"});
  force.body = body.value_or(ground);
  force.at.body = force.body;
  if (const Node* given = fields.node("value"))
    if (const auto value = read_body_vector(reading, *given, fields.target("value"))) {
      force.value = value->value;
      force.body_frame = value->in_body_axes;
    }
  if (kind->find("at") != nullptr && fields.is_given("at"))
    if (const auto point = read_point(reading, *fields.node("at"), fields.target("at"))) {
      force.at = *point;
      if (body && point->body != ground && point->body != *body)
        reading.diagnostics.error(span_of(*fields.node("at")),
                                  fields.target("at").describe() + " is a point of another body",
                                  {"expected a point of " + quoted(fields.node("body")->text) + " or of space"});
    }
  reading.deck.forces.push_back(std::move(force));
}

} // namespace

void read_joints(Reading& reading, const Fields& top) {
  for_each_named(reading, top.node("joints"), top.target("joints"), "joint",
                 [&](auto name, const Node& node, const Span& at) { read_joint(reading, name, node, at); });
}

void read_forces(Reading& reading, const Fields& top) {
  for_each_named(reading, top.node("forces"), top.target("forces"), "force",
                 [&](auto name, const Node& node, const Span& at) { read_force(reading, name, node, at); });
}

} // namespace emmy::deck
