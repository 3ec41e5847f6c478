#include "io/deck/table_parts.hpp"

#include <algorithm>

namespace emmy::deck {

namespace {

Field between() {
  return field("between", Type::body_pair, "", "the two bodies; reactions are reported as acting on the second")
      .required();
}

Entry drive(const char* id, const char* title, const char* doc, const std::vector<std::string>& quantities,
            const char* why_not_others = "") {
  const std::vector<Field> all = {
      field("angle", Type::function, "rad",
            "angle by which the second body is turned about the axis against the first, from the typed configuration"),
      field("angular_velocity", Type::function, "rad/s", "rate of this angle"),
      field("displacement", Type::function, "m", "way of the second body's point along the axis, from the first's"),
      field("velocity", Type::function, "m/s", "rate of this way"),
  };
  Entry result = alternative({}, id, doc, {});
  result.title = title;
  result.absent.reason = why_not_others;
  for (const Field& f : all)
    if (std::find(quantities.begin(), quantities.end(), f.name) != quantities.end())
      result.fields.push_back(f);
    else
      result.absent.names.push_back(f.name);
  result.groups = {{quantities, true}};
  result.fields.push_back(
      field("jumps", Type::choice, "",
            "whether an angle or a displacement may jump within the run: the body is then moved in one step, without "
            "force and without work. Rates may jump")
          .of({"refused", "allowed"})
          .otherwise("refused"));
  return result;
}

Entry joint() {
  const std::vector<Field> common = {
      field("type", Type::choice, "", "kind of joint")
          .of({"constant_velocity", "coupler", "cylindrical", "distance", "fixed", "parallel_axes", "planar",
               "point_on_line", "point_on_plane", "prismatic", "revolute", "screw", "spherical", "universal"})
          .required(),
      enforcement("how the joint and its drive are enforced where bodies do not share points").otherwise("lagrange"),
      repeat(),
  };
  const Field at = field("at", Type::point_pair, "m", "where the joint sits").required();
  const Field anywhere =
      field("at", Type::point_pair, "m",
            "where the joint sits; without it at the centre of mass of the second body (of the first where the second "
            "is the ground)");
  const auto axis = [](const char* doc) { return field("axis", Type::direction_pair, "1", doc).required(); };
  const auto driven_by = [](const char* entry) {
    return field("drive", Type::entry, "", "the motion that a motor enforces; without it the joint moves freely")
        .like(entry);
  };
  const Field by =
      field("by", Type::choice, "",
            "how it is enforced: `sharing` points, which only `spring_tetra` bodies and the ground can, or "
            "by `multipliers`; without it by sharing where that is possible")
          .of({"sharing", "multipliers"});
  Entry result{"joint", "Joints", "A connection between two bodies, or a body and the ground.", common, {}, "type", {}};
  result.variants = {
      alternative(common, "spherical", "The two points coincide; all rotations are free.", {between(), at, by}),
      alternative(common, "revolute", "The two points and the two axes coincide; rotation about the axis is free.",
                  {between(), at, axis("the axis of rotation"), driven_by("turn"), by}),
      alternative(common, "prismatic", "The second body slides along an axis of the first and does not turn.",
                  {between(), at, axis("the axis it slides along"), driven_by("slide")}),
      alternative(common, "cylindrical", "The second body slides along an axis of the first and turns about it.",
                  {between(), at, axis("the axis"), driven_by("drive")}),
      alternative(common, "universal",
                  "The two points coincide, and an axis of the first body stays perpendicular to one of the second: a "
                  "cross between two forks.",
                  {between(), at, axis("the arms of the cross, `{first: DIRECTION, second: DIRECTION}`")}),
      alternative(common, "planar", "A plane of the second body stays in a plane of the first.",
                  {between(), at, axis("the normal of the plane"), driven_by("turn")}),
      alternative(common, "fixed", "The two bodies move as one.", {between(), anywhere, by}),
      alternative(
          common, "distance", "Two points keep their distance, as if a rod without mass held them.",
          {between(), at,
           field("length", Type::number, "m", "the distance; without it as it is at the start").within(above(0))}),
      alternative(common, "point_on_line", "The point of the second body stays on a line of the first.",
                  {between(), at, axis("the line, through the point of the first body")}),
      alternative(common, "point_on_plane", "The point of the second body stays in a plane of the first.",
                  {between(), at, axis("the normal of the plane, through the point of the first body")}),
      alternative(common, "parallel_axes", "The two axes stay parallel; nothing else is held.",
                  {between(), axis("the axes")}),
      alternative(common, "screw", "A cylindrical joint whose slide follows its rotation.",
                  {between(), at, axis("the axis"),
                   field("pitch", Type::number, "m", "way along the axis for a full turn, right-handed when positive")
                       .required(),
                   driven_by("drive")}),
      alternative(common, "constant_velocity",
                  "The two points coincide, and two shafts at any angle turn at the same rate.",
                  {between(), at, axis("the shafts, both pointing the same way through the joint")}),
      alternative(
          common, "coupler",
          "Couples the coordinates of two joints, as gears, belts and racks do: c1 + ratio c2 stays as it is at "
          "the start.",
          {field("joints", Type::joint_pair, "", "the two joints, with an angle or a displacement each").required(),
           field("ratio", Type::number, "1", "what c2 is multiplied by; gears on the outside have it > 0").required(),
           field("first", Type::choice, "", "coordinate c1 of a joint that has both").of({"angle", "displacement"}),
           field("second", Type::choice, "", "coordinate c2 of a joint that has both").of({"angle", "displacement"})}),
  };
  return result;
}

} // namespace

std::vector<Entry> joint_entries() {
  return {
      joint(),
      drive("turn", "Drive of a rotation", "A prescribed rotation, by its angle or by the rate of it.",
            {"angle", "angular_velocity"}, "this joint turns and does not slide"),
      drive("slide", "Drive of a slide", "A prescribed slide, by its way or by the rate of it.",
            {"displacement", "velocity"}, "this joint slides and does not turn"),
      drive("drive", "Drive of a rotation or slide", "A prescribed motion, by one coordinate or its rate.",
            {"angle", "angular_velocity", "displacement", "velocity"}),
  };
}

Entry force_entry() {
  const std::vector<Field> common = {
      field("type", Type::choice, "", "kind of force")
          .of({"bushing", "force", "rotational_spring", "spring", "torque", "translational_spring"})
          .required(),
      repeat(),
  };
  const Field body = field("body", Type::body, "", "the body it acts on").required();
  const auto on_joint = [](const char* doc) { return field("joint", Type::joint, "", doc).required(); };
  const auto damping = [](const char* unit, const char* doc) {
    return field("damping", Type::number, unit, doc).within(at_least(0)).otherwise("0");
  };
  const auto stiffness = [](const char* unit) {
    return field("stiffness", Type::number, unit, "stiffness").within(at_least(0)).otherwise("0");
  };
  Entry result{"force", "Forces", "A load on a body, or a spring and damper between two.", common, {}, "type", {}};
  result.variants = {
      alternative(
          common, "force", "A force at a point of the body, along global axes or turning with the body.",
          {body, field("value", Type::load_vector, "N", "the force").required(),
           field("at", Type::point, "m", "where it acts, a point of the body; without it at the centre of mass")}),
      alternative(common, "torque", "A torque on the body, along global axes or turning with the body.",
                  {body, field("value", Type::load_vector, "N m", "the torque").required()}),
      alternative(
          common, "spring", "A spring and damper between two points.",
          {field("between", Type::two_points, "m", "its ends, on two bodies or a body and the ground").required(),
           stiffness("N/m"),
           field("free_length", Type::number, "m",
                 "length without force; without it as it is typed, before any assembly")
               .within(at_least(0)),
           damping("N s/m", "force for each m/s of the length")}),
      alternative(common, "rotational_spring", "A spring and damper, or the friction, of a joint that turns.",
                  {on_joint("the joint: revolute, cylindrical, planar or screw"), stiffness("N m/rad"),
                   field("free_angle", Type::number, "rad", "angle of the joint without moment").otherwise("0"),
                   damping("N m s/rad", "moment for each rad/s")}),
      alternative(common, "translational_spring", "A spring and damper, or the friction, of a joint that slides.",
                  {on_joint("the joint: prismatic, cylindrical or screw"), stiffness("N/m"),
                   field("free_length", Type::number, "m",
                         "displacement of the joint without force; without it as it is typed, before any assembly"),
                   damping("N s/m", "force for each m/s")}),
      alternative(common, "bushing", "An elastic block between two bodies: stiff against displacement and rotation.",
                  {field("between", Type::body_pair, "", "the two bodies").required(),
                   field("at", Type::point_pair, "m", "where it sits").required(),
                   field("axes", Type::orientation, "", "its axes, from space, at the start").otherwise("[]"),
                   field("stiffness", Type::matrix6, "N/m, N m/rad", "forces and moments for displacements and angles")
                       .required(),
                   field("damping", Type::matrix6, "N s/m, N m s/rad", "likewise, for their rates")
                       .otherwise("[0, 0, 0, 0, 0, 0]")}),
  };
  return result;
}

} // namespace emmy::deck
