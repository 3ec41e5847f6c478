#include "io/deck/geometry.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"
#include "io/deck/shapes.hpp"

#include <cmath>

namespace emmy::deck {

namespace {

std::optional<Shape> read_shell(Reading& reading, const Fields& body) {
  const Fields shell = body.entry("shell", "'shell' of " + body.owner());
  const auto radius = shell.number("radius"), thickness = shell.number("thickness");
  if (!radius || !thickness)
    return std::nullopt;
  if (*thickness > *radius) {
    reading.diagnostics.error(span_of(*shell.node("thickness")),
                              shell.target("thickness").describe() + " is " + number_text(*thickness) + " m",
                              {"expected at most the radius, " + number_text(*radius) + " m"});
    return std::nullopt;
  }
  if (*thickness == 0 && !body.is_given("mass")) {
    reading.diagnostics.error(body.key_at("shell"),
                              "the shell of " + body.owner() + " has no thickness, hence no volume",
                              {"expected 'mass' instead of 'density', or a thickness"});
    return std::nullopt;
  }
  return spherical_shell(*radius, *thickness);
}

/// Only springs do without inertia about every axis.
bool needs_inertia(const Body& body) {
  return body.formulation != "spring_tetra";
}

std::optional<Shape> read_rod(Reading& reading, const Fields& fields, Body& body) {
  const Fields rod = fields.entry("rod", "'rod' of " + fields.owner());
  const auto length = rod.number("length"), radius = rod.number("radius");
  const auto axis = rod.axis("axis");
  if (!length || !radius || !axis)
    return std::nullopt;
  if (*radius == 0 && needs_inertia(body)) {
    reading.diagnostics.error(fields.key_at("rod"),
                              "the rod of " + fields.owner() +
                                  " has no radius, hence no inertia about its axis, which a " +
                                  quoted(body.formulation) + " body cannot take",
                              {"expected 'radius' > 0 m, or the formulation 'spring_tetra'"});
    return std::nullopt;
  }
  if (*radius == 0 && !fields.is_given("mass")) {
    reading.diagnostics.error(fields.key_at("rod"), "the rod of " + fields.owner() + " has no radius, hence no volume",
                              {"expected 'mass' instead of 'density', or a radius"});
    return std::nullopt;
  }
  if (*radius == 0)
    body.half_rod = *length / 2 * *axis;
  return cylinder(*radius, *length, *axis);
}

std::optional<Shape> read_shape(Reading& reading, const Fields& body, Body& result) {
  for (const char* name : {"box", "sphere", "cylinder", "shell", "rod"})
    if (body.is_given(name))
      result.shape = name;
  if (body.is_given("box")) {
    const auto edges = body.vector("box");
    if (edges)
      result.solid = contact::Box{Vec3::Zero(), *edges / 2, Mat3::Identity(), false};
    return edges ? std::optional(box(*edges)) : std::nullopt;
  }
  if (body.is_given("sphere")) {
    const auto radius = body.number("sphere");
    if (radius)
      result.solid = contact::Sphere{Vec3::Zero(), *radius};
    return radius ? std::optional(sphere(*radius)) : std::nullopt;
  }
  if (body.is_given("cylinder")) {
    const Fields given = body.entry("cylinder", "'cylinder' of " + body.owner());
    const auto radius = given.number("radius"), length = given.number("length");
    const auto axis = given.axis("axis");
    return radius && length && axis ? std::optional(cylinder(*radius, *length, *axis)) : std::nullopt;
  }
  if (body.is_given("shell"))
    return read_shell(reading, body);
  if (body.is_given("rod"))
    return read_rod(reading, body, result);
  return std::nullopt;
}

void read_mass(Reading& reading, const Fields& fields, Body& body) {
  if (fields.is_given("inertia")) {
    const auto inertia = fields.inertia("inertia");
    const auto mass = fields.number("mass");
    if (inertia && !fields.flag("unphysical_inertia").value_or(false))
      check_triangle(reading, *fields.node("inertia"), fields.target("inertia"), *inertia);
    // With no density either, or with one of its own, the body's groups of fields have been complained about.
    if (!fields.is_given("mass") && fields.is_given("density") && !fields.is_given_here("density"))
      reading.diagnostics.error(fields.at(), "missing entry 'mass' of " + fields.owner(),
                                {"expected 'mass' with 'inertia': the default density needs a shape"});
    body.mass = mass.value_or(0);
    body.inertia = inertia.value_or(Mat3::Zero());
    return;
  }
  const auto shape = read_shape(reading, fields, body);
  // A mass given here wins over a density given for all bodies.
  const bool by_mass = fields.is_given("mass");
  const auto value = fields.number(by_mass ? "mass" : "density");
  if (!shape || !value)
    return;
  body.mass = by_mass ? *value : *value * shape->volume;
  body.inertia = body.mass * shape->gyration;
  const double least = body.half_rod ? body.inertia.trace() : body.inertia.diagonal().minCoeff();
  if (!std::isnormal(body.mass) || !body.inertia.allFinite() || !(least > 0))
    reading.diagnostics.error(fields.at(),
                              "mass or inertia of " + fields.owner() + " is outside the range of numbers: mass " +
                                  number_text(body.mass) + " kg",
                              {"check the sizes and the density"});
}

/// A vector in global axes, wherever it was given.
Vec3 to_global(const Fields& fields, std::string_view name, Reading& reading, const Eigen::Quaterniond& orientation) {
  const auto given = read_body_vector(reading, *fields.node(name), fields.target(name));
  if (!given)
    return Vec3::Zero();
  return given->in_body_axes ? orientation * given->value : given->value;
}

std::string vector_text(const Vec3& v) {
  return "[" + number_text(v.x()) + ", " + number_text(v.y()) + ", " + number_text(v.z()) + "]";
}

/// After position, orientation and velocities: what is fixed decides the velocity of the centre of mass.
void read_fixed_point(Reading& reading, const Fields& fields, Body& body) {
  body.fixed_point = fields.vector("fixed_point");
  if (!body.fixed_point)
    return;
  if (!body.formulation.empty() && body.formulation != "frame")
    reading.diagnostics.error(fields.key_at("fixed_point"),
                              "'fixed_point' of " + fields.owner() + " has no meaning: the body is a " +
                                  quoted(body.formulation),
                              {"expected it with 'formulation: frame' only; a spherical joint with the ground holds "
                               "a point of any body"});
  const Vec3 arm = body.orientation * -*body.fixed_point, expected = body.angular_velocity.cross(arm);
  // As equal as a person types; the size is that of the terms, which may cancel.
  const double size = body.angular_velocity.norm() * arm.norm() + body.velocity.norm();
  if (fields.is_given_here("velocity") && (body.velocity - expected).norm() > 1e-8 * size)
    reading.diagnostics.error(span_of(*fields.node("velocity")),
                              fields.target("velocity").describe() +
                                  " does not fit the angular velocity about its 'fixed_point'",
                              {"expected " + vector_text(expected) + " m/s, or no 'velocity': it follows"});
  body.velocity = expected;
}

} // namespace

void read_markers(Reading& reading, const Fields& fields, Body& body) {
  const Target target = fields.target("markers");
  const std::string owner = "'markers' of " + fields.owner();
  for_each_named(reading, fields.node("markers"), target, "marker",
                 [&](std::string_view name, const Node& node, const Span&) {
                   Field point = target.field;
                   point.name = name;
                   point.type = Type::vector;
                   if (const auto at = read_vector(reading, node, {point, owner}))
                     body.markers.push_back({std::string(name), *at});
                 });
}

namespace {

void read_rigid_body(Reading& reading, const Fields& fields, Body& body) {
  body.formulation = fields.choice("formulation").value_or("");
  body.stiffness = fields.stiffness("stiffness").value_or(1);
  body.evaluation = fields.choice("evaluation").value_or("");
  if (std::isinf(body.stiffness) && body.evaluation != "mixed" && !body.evaluation.empty() &&
      body.formulation == "spring_tetra")
    reading.diagnostics.error(fields.key_at("evaluation"),
                              "the evaluation " + quoted(body.evaluation) + " of " + fields.owner() +
                                  " cannot keep the body rigid",
                              {"expected 'mixed', or a number for 'stiffness'"});
  for (const char* name : {"stiffness", "evaluation"})
    if (fields.is_given_here(name) && !body.formulation.empty() && body.formulation != "spring_tetra")
      reading.diagnostics.error(fields.key_at(name),
                                quoted(name) + " of " + fields.owner() + " has no meaning: the body is a " +
                                    quoted(body.formulation),
                                {"expected it with 'formulation: spring_tetra' only"});
  if (fields.is_given("enforcement")) {
    body.enforcement = read_enforcement(reading, fields);
    if (!body.formulation.empty() && !(body.formulation == "spring_tetra" && std::isinf(body.stiffness)))
      reading.diagnostics.error(
          fields.key_at("enforcement"),
          "'enforcement' of " + fields.owner() + " has no meaning: the body " +
              (body.formulation == "spring_tetra" ? "has a stiffness" : "is a " + quoted(body.formulation)),
          {"expected it with 'formulation: spring_tetra' and 'stiffness: rigid' only"});
  }
  const bool unphysical = fields.flag("unphysical_inertia").value_or(false);
  if (unphysical && !body.formulation.empty() && body.formulation != "frame")
    reading.diagnostics.error(fields.key_at("unphysical_inertia"),
                              "'unphysical_inertia' of " + fields.owner() + " cannot be: the body is a " +
                                  quoted(body.formulation) + ", which needs masses for its inertia",
                              {"expected it with 'formulation: frame' only"});
  if (unphysical && !fields.is_given("inertia"))
    reading.diagnostics.error(fields.key_at("unphysical_inertia"),
                              "'unphysical_inertia' of " + fields.owner() + " has no meaning: its shape has an inertia",
                              {"expected it with 'inertia' only"});
  read_mass(reading, fields, body);
  body.position = fields.vector("position").value_or(Vec3::Zero());
  body.orientation = read_orientation(reading, *fields.node("orientation"), fields.target("orientation"))
                         .value_or(Eigen::Quaterniond::Identity());
  body.velocity = to_global(fields, "velocity", reading, body.orientation);
  body.angular_velocity = to_global(fields, "angular_velocity", reading, body.orientation);
  read_fixed_point(reading, fields, body);
  read_markers(reading, fields, body);
}

void read_point_mass(const Fields& fields, Body& body) {
  body.formulation = "point";
  body.mass = fields.number("mass").value_or(0);
  body.position = fields.vector("position").value_or(Vec3::Zero());
  body.velocity = fields.vector("velocity").value_or(Vec3::Zero());
}

} // namespace

void read_bodies(Reading& reading, const Fields& top) {
  const Fields defaults = top.entry("defaults", "'defaults'");
  const auto usual = defaults.choice("formulation"); // these for their errors too, once
  defaults.number("density");
  defaults.stiffness("stiffness");
  defaults.choice("evaluation");
  const auto read_one = [&](std::string_view name, const Node& node, const Span& at) {
    const Member* formulation = node.find("formulation");
    const bool is_point = formulation != nullptr ? formulation->value->text == "point" : usual == "point";
    const Fields fields(reading, table_entry(is_point ? "point_mass" : "body"), &node, at, "body " + quoted(name),
                        &defaults);
    Body body;
    body.name = name;
    body.where = location(at);
    if (fields.is_map() && is_point)
      read_point_mass(fields, body);
    else if (fields.is_map())
      read_rigid_body(reading, fields, body);
    body.position += fields.is_map() ? read_scatter(reading, fields, name) : Vec3::Zero();
    reading.bodies.add(name);
    reading.deck.bodies.push_back(std::move(body));
  };
  const Node* bodies = top.node("bodies");
  for_each_copy(reading, bodies, top.target("bodies"), "body", reading.bodies, read_one);
  if (bodies != nullptr && !top.is_given("chains") &&
      (bodies->is_null() || (bodies->is_map() && bodies->members.empty())))
    reading.diagnostics.error(top.key_at("bodies"), "the deck has no bodies", {"expected at least one body"});
}

} // namespace emmy::deck
