#include "io/deck/geometry.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"

namespace emmy::deck {

namespace {

/// Force or torque on a body.
void read_load(Reading& reading, const Entry& kind, const Fields& fields, Force& force) {
  std::optional<int> body;
  if (const Node* given = fields.node("body"))
    body = read_body(reading, *given, fields.target("body"));
  if (body == ground)
    reading.diagnostics.error(span_of(*fields.node("body")),
                              fields.owner() + " acts on the ground, which does not move",
                              {"expected the name of a body"});
  force.body = body.value_or(ground);
  force.at.body = force.body;
  if (const Node* given = fields.node("value"))
    if (const auto value = read_load_vector(reading, *given, fields.target("value"))) {
      force.value = value->value;
      force.body_frame = value->in_body_axes;
    }
  if (force.type == "torque" || force.body_frame)
    check_direction(reading, fields.key_at("value"), fields.owner(), force.body, std::nullopt);
  if (kind.find("at") == nullptr || !fields.is_given("at"))
    return;
  const Node& given = *fields.node("at");
  if (const auto point = read_point(reading, given, fields.target("at"))) {
    force.at = *point;
    if (body && point->body != ground && point->body != *body)
      reading.diagnostics.error(span_of(given), fields.target("at").describe() + " is a point of another body",
                                {"expected a point of " + quoted(fields.node("body")->text) + " or of space"});
    else
      check_point(reading, span_of(given), fields.owner(), force.body, force.at);
  }
}

void read_stiffness_and_damping(Reading& reading, const Fields& fields, Force& force) {
  const auto stiffness = fields.number("stiffness"), damping = fields.number("damping");
  force.stiffness = stiffness.value_or(0);
  force.damping = damping.value_or(0);
  if (stiffness && damping && *stiffness == 0 && *damping == 0)
    reading.diagnostics.error(fields.at(), fields.owner() + " has neither stiffness nor damping",
                              {"expected 'stiffness' or 'damping' > 0"});
}

void read_spring(Reading& reading, const Fields& fields, Force& force) {
  read_stiffness_and_damping(reading, fields, force);
  force.free = fields.number("free_length");
  const Node* between = fields.node("between");
  if (between == nullptr)
    return;
  const auto ends = read_two_points(reading, *between, fields.target("between"));
  if (!ends)
    return;
  force.ends = *ends;
  const bool needs_direction = force.free != 0.0 || force.damping > 0; // a spring that pulls to a point needs none
  if (needs_direction &&
      coordinates_in(reading.deck, ground, (*ends)[0]) == coordinates_in(reading.deck, ground, (*ends)[1]))
    reading.diagnostics.error(span_of(*between), "the ends of " + fields.owner() + " coincide at the start",
                              {"expected a distance between them, or 'free_length: 0' and no damping: the force would "
                               "have no direction"});
}

void read_joint_spring(Reading& reading, const Fields& fields, Force& force) {
  const bool turns = force.type == "rotational_spring";
  read_stiffness_and_damping(reading, fields, force);
  force.free = fields.number(turns ? "free_angle" : "free_length");
  const Node* node = fields.node("joint");
  const auto joint = node != nullptr ? read_joint_name(reading, *node, fields.target("joint")) : std::nullopt;
  if (!joint)
    return;
  force.joint = *joint;
  const Joint& on = reading.deck.joints[static_cast<std::size_t>(*joint)];
  if (!on.type.empty() && !(turns ? joint_turns(on) : joint_slides(on)))
    reading.diagnostics.error(span_of(*node),
                              fields.owner() + " sits on the " + on.type + " joint " + quoted(on.name) +
                                  ", which does not " + (turns ? "turn about an axis" : "slide along an axis"),
                              {turns ? "expected a revolute, cylindrical, planar or screw joint"
                                     : "expected a prismatic, cylindrical or screw joint"});
}

void read_bushing(Reading& reading, const Fields& fields, Force& force) {
  force.stiffness_matrix = fields.matrix6("stiffness").value_or(Mat6::Zero());
  force.damping_matrix = fields.matrix6("damping").value_or(Mat6::Zero());
  force.axes =
      read_orientation(reading, *fields.node("axes"), fields.target("axes")).value_or(Eigen::Quaterniond::Identity());
  if (!fields.is_given("between") || !fields.is_given("at"))
    return;
  const auto between = read_body_pair(reading, *fields.node("between"), fields.target("between"));
  const auto points = read_point_pair(reading, *fields.node("at"), fields.target("at"));
  if (!between || !points)
    return;
  force.between = *between;
  force.at = points->first;
  force.at_second = points->second;
  for (const int body : force.between)
    check_direction(reading, fields.key_at("between"), fields.owner(), body, std::nullopt);
}

void read_force(Reading& reading, std::string_view name, const Node& node, const Span& at) {
  const std::string owner = "force " + quoted(name);
  check_unique(reading, name, at, "force");
  reading.forces.add(name);
  const Entry* kind = kind_of(reading, table_entry("force"), node, at, owner);
  if (kind == nullptr)
    return;
  const Fields fields(reading, *kind, &node, at, owner);
  Force force;
  force.name = name;
  force.where = location(at);
  force.type = kind->id;
  if (force.type == "force" || force.type == "torque")
    read_load(reading, *kind, fields, force);
  else if (force.type == "spring")
    read_spring(reading, fields, force);
  else if (force.type == "bushing")
    read_bushing(reading, fields, force);
  else
    read_joint_spring(reading, fields, force);
  reading.deck.forces.push_back(std::move(force));
}

} // namespace

void read_forces(Reading& reading, const Fields& top) {
  for_each_copy(reading, top.node("forces"), top.target("forces"), "force", reading.forces,
                [&](auto name, const Node& node, const Span& at) { read_force(reading, name, node, at); });
}

} // namespace emmy::deck
