#include "io/deck/table_parts.hpp"

#include <utility>

namespace emmy::deck {

Entry alternative(const std::vector<Field>& common, std::string id, std::string doc, std::vector<Field> own) {
  Entry result;
  result.id = std::move(id);
  result.title = result.id;
  result.doc = std::move(doc);
  result.fields = common;
  result.fields.insert(result.fields.end(), own.begin(), own.end());
  return result;
}

Field repeat() {
  return field(
             "repeat", Type::counters, "1",
             "makes a copy of the entry for every value of its counters, `NAME1`, `NAME2` and so on, or `NAME1_1` with "
             "several counters; see *Copies*")
      .within(from_to(1, most_copies));
}

Field scatter() {
  return field("scatter", Type::number_or_entry, "m",
               "moves the position at random: each coordinate by a number between -scatter and scatter that follows "
               "from the name; see *Scatter*")
      .within(at_least(0))
      .like("scatter");
}

Entry scatter_entry() {
  Entry result = alternative(
      {}, "scatter",
      "How a position is moved at random, the same on every machine and whatever else is in the deck. "
      "`scatter: 0.01` is "
      "short for `scatter: {by: 0.01}`.",
      {field("by", Type::number, "m", "largest change of a coordinate").within(at_least(0)).required(),
       field("seed", Type::integer, "1", "another seed gives other positions").within(at_least(0)).otherwise("0")});
  result.title = "Scatter";
  return result;
}

namespace {

Entry deck() {
  return {
      "deck",
      "The deck",
      "The top level of a file.",
      {
          field("title", Type::text, "", "shown in summaries").otherwise("''"),
          field("parameters", Type::named_numbers, "1", "numbers for use in expressions; each may use those before it"),
          field("gravity", Type::vector, "m/s²", "acceleration of free fall").otherwise("[0, 0, 0]"),
          field("defaults", Type::entry, "", "what holds for every body that does not say otherwise").like("defaults"),
          field("bodies", Type::named_entries, "", "the rigid bodies").like("body", "point_mass"),
          field("chains", Type::named_entries, "", "links in a plane that hang on one another, in absolute angles")
              .like("chain"),
          field("joints", Type::named_entries, "", "what connects bodies with each other and with the ground")
              .like("joint"),
          field("forces", Type::named_entries, "", "applied forces and torques, springs and dampers").like("force"),
          field("limits", Type::named_entries, "", "walls, stops of joints and ropes: what pushes and does not pull")
              .like("limit"),
          field("contact", Type::entry, "", "surfaces of bodies that touch").like("contact"),
          field("initial", Type::entry, "", "how the initial configuration is made to fit the joints").like("initial"),
          field("analysis", Type::word_or_entry, "", "what is computed: a motion, an equilibrium, or natural modes")
              .like("analysis")
              .otherwise("transient"),
          field("integrator", Type::entry, "", "the time stepping; only a transient analysis needs it")
              .like("integrator"),
          field("solver", Type::entry, "", "how the equations of a step are solved").like("solver"),
          field("output", Type::entry, "", "what is written").like("output"),
          field("checkpoint", Type::entry, "", "states that `emmy run --restart` goes on from").like("checkpoint"),
          field("audit", Type::entry, "", "limits on what conservation laws leave unexplained").like("audit"),
      },
      {{{"bodies", "chains"}, true, false}},
      "",
      {}};
}

Field formulation() {
  return field(
             "formulation", Type::choice, "",
             "`frame`: a rotation and a centre of mass, 6 unknowns; `director`: centre and base vectors, 12 unknowns; "
             "`spring_tetra`: four points that six stiff springs hold apart; `point`: a mass without size")
      .of({"frame", "director", "spring_tetra", "point"});
}

/// What `spring_tetra` bodies may say; other bodies ignore it.
std::vector<Field> spring_options() {
  return {
      field("stiffness", Type::stiffness, "J",
            "of the springs of a `spring_tetra` body, between base vectors of unit length; `rigid` is the limit of "
            "stiff springs")
          .within(above(0)),
      field("evaluation", Type::choice, "",
            "how these springs are evaluated: with their forces as unknowns, from increments, or from lengths")
          .of({"mixed", "increments", "closed"}),
  };
}

Entry defaults() {
  Entry result{
      "defaults",
      "Defaults",
      "What holds for every body that does not say otherwise.",
      {
          formulation(),
          field("density", Type::number, "kg/m³", "density of bodies with a shape and no mass").within(above(0)),
      },
      {},
      "",
      {}};
  for (const Field& option : spring_options())
    result.fields.push_back(option);
  return result;
}

Entry body() {
  return {
      "body",
      "Bodies",
      "A rigid body: exactly one of the shapes with `mass` or `density`, or `inertia` with `mass`. Shapes are "
      "homogeneous, with the centre of mass at their centre.",
      {
          formulation().otherwise("frame"),
          spring_options()[0].otherwise("rigid"),
          spring_options()[1].otherwise("mixed"),
          enforcement("how a `spring_tetra` body that is `rigid` is kept so").otherwise("lagrange"),
          field("box", Type::vector, "m", "edge lengths along x, y, z").within(above(0)),
          field("sphere", Type::number, "m", "radius").within(above(0)),
          field("cylinder", Type::entry, "", "a solid cylinder").like("cylinder"),
          field("shell", Type::entry, "", "a hollow sphere").like("shell"),
          field("rod", Type::entry, "", "a slender solid rod").like("rod"),
          field("inertia", Type::inertia, "kg m²", "about the centre of mass, along the body's axes"),
          field("unphysical_inertia", Type::flag, "",
                "accept an `inertia` that no distribution of mass has: published test problems do not always care")
              .otherwise("false"),
          field("mass", Type::number, "kg", "mass").within(above(0)),
          field("density", Type::number, "kg/m³", "density, instead of the mass; only with a shape").within(above(0)),
          field("position", Type::vector, "m", "centre of mass, in space").otherwise("[0, 0, 0]"),
          field("orientation", Type::orientation, "", "rotation from the body's axes to space").otherwise("[]"),
          field("velocity", Type::body_vector, "m/s",
                "of the centre of mass; with a `fixed_point` it follows from the angular velocity")
              .otherwise("[0, 0, 0]"),
          field("angular_velocity", Type::body_vector, "rad/s", "angular velocity").otherwise("[0, 0, 0]"),
          field("fixed_point", Type::vector, "m",
                "point of the body, from its centre of mass along its axes, that is fixed in space: the body turns "
                "about it and has no other freedom; only with `formulation: frame`"),
          field("markers", Type::named_vectors, "m", "named points, from the centre of mass along the body's axes"),
          scatter(),
          repeat(),
      },
      {{{"box", "sphere", "cylinder", "shell", "rod", "inertia"}, true},
       {{"mass", "density"}, true},
       {{"inertia", "density"}, false}},
      "",
      {}};
}

Entry point_mass() {
  Entry result =
      alternative({}, "point_mass", "A body of the formulation `point`: a mass without size, which does not turn.",
                  {
                      formulation().otherwise("frame"),
                      field("mass", Type::number, "kg", "mass").within(above(0)).required(),
                      field("position", Type::vector, "m", "where it is, in space").otherwise("[0, 0, 0]"),
                      field("velocity", Type::vector, "m/s", "velocity, in space").otherwise("[0, 0, 0]"),
                      scatter(),
                      repeat(),
                  });
  result.title = "Point masses";
  result.absent = {{"box", "sphere", "cylinder", "shell", "rod", "inertia", "density", "orientation",
                    "angular_velocity", "fixed_point", "markers", "stiffness", "evaluation", "enforcement"},
                   "a point mass has no size and does not turn"};
  return result;
}

std::vector<Entry> shapes() {
  const Field along = field("axis", Type::axis, "1", "its axis, in the body's axes").otherwise("z");
  Entry cylinder = alternative({}, "cylinder", "A solid cylinder.",
                               {field("radius", Type::number, "m", "radius").within(above(0)).required(),
                                field("length", Type::number, "m", "length").within(above(0)).required(), along});
  Entry shell = alternative(
      {}, "shell", "A hollow sphere.",
      {field("radius", Type::number, "m", "outer radius").within(above(0)).required(),
       field("thickness", Type::number, "m", "of the wall, at most the radius; 0 is a thin shell, which needs a mass")
           .within(at_least(0))
           .otherwise("0")});
  Entry rod =
      alternative({}, "rod", "A slender solid rod: a cylinder by another name, for which the length comes first.",
                  {field("length", Type::number, "m", "length").within(above(0)).required(),
                   field("radius", Type::number, "m",
                         "radius; 0 only for `spring_tetra`, which then is two points and does not turn about its "
                         "axis: other formulations need inertia about every axis")
                       .within(at_least(0))
                       .otherwise("0"),
                   along});
  cylinder.title = "Cylinder";
  shell.title = "Shell";
  rod.title = "Rod";
  return {cylinder, shell, rod};
}

Entry orientation() {
  Entry result{
      "orientation",
      "Orientation",
      "The rotation from the body's axes to space, in one of these forms, or a list of them multiplied from left to "
      "right (the first is the outermost).",
      {},
      {},
      "",
      {}};
  result.variants = {
      alternative({}, "axis and angle", "Right-handed turn about an axis.",
                  {field("axis", Type::axis, "1", "the axis").required(),
                   field("angle", Type::number, "rad", "the angle").required()}),
      alternative({}, "quaternion", "Scalar first.",
                  {field("quaternion", Type::quaternion, "1", "body to space, scalar first").required()}),
      alternative({}, "Euler angles",
                  "Intrinsic turns: each about an axis of the body as the turns before it left it. "
                  "`zyx` with [a, b, c] is R = Rz(a) Ry(b) Rx(c): yaw, pitch, roll.",
                  {field("euler", Type::vector, "rad", "the three angles in the order of `sequence`").required(),
                   field("sequence", Type::choice, "", "the axes of the turns")
                       .of({"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"})
                       .otherwise("zyx")}),
      alternative({}, "matrix", "Columns are the body's axes in space.",
                  {field("matrix", Type::matrix, "1", "rotation matrix, body to space, by rows").required()}),
  };
  return result;
}

std::vector<Entry> points_and_directions() {
  Entry point =
      alternative({}, "point", "A point fixed in a body.",
                  {field("body", Type::body, "", "the body").required(),
                   field("point", Type::vector, "m", "from the centre of mass, along the body's axes").required()});
  Entry direction = alternative({}, "direction", "A direction fixed in a body.",
                                {field("body", Type::body, "", "the body").required(),
                                 field("along", Type::axis, "1", "in the body's axes").required()});
  Entry points = alternative({}, "point_pair", "Where each body of a joint is attached.",
                             {field("first", Type::point, "m", "on the first body").required(),
                              field("second", Type::point, "m", "on the second body").required()});
  Entry directions = alternative({}, "direction_pair", "The axis of a joint in each body.",
                                 {field("first", Type::direction, "1", "in the first body").required(),
                                  field("second", Type::direction, "1", "in the second body").required()});
  Entry in_axes = alternative(
      {}, "body_vector", "A vector given by its components along the body's axes.",
      {field("body_axes", Type::vector, "the unit of the entry", "components along the body's axes").required()});
  point.title = "Point of a body";
  direction.title = "Direction of a body";
  points.title = "Pair of points";
  directions.title = "Pair of directions";
  in_axes.title = "Vector in body axes";
  return {point, direction, points, directions, in_axes};
}

Entry initial() {
  return {"initial",
          "Initial configuration",
          "Positions, orientations and velocities are typed; joints may want them a little different.",
          {
              field("assemble", Type::flag, "",
                    "move the bodies to the nearest positions and velocities that all joints allow, and say how far; "
                    "otherwise a joint that does not close is a mistake")
                  .otherwise("false"),
          },
          {},
          "",
          {}};
}

Entry analysis() {
  return {
      "analysis",
      "Analysis",
      "What is computed. `analysis: static` is short for `analysis: {type: static}`.",
      {
          field("type", Type::choice, "",
                "`transient`: the motion in time; `static`: the equilibrium that is nearest to the initial "
                "configuration; `modes`: frequencies and shapes of small vibrations about that equilibrium")
              .of({"transient", "static", "modes"})
              .otherwise("transient"),
          field(
              "number", Type::integer, "1",
              "how many modes, from the lowest natural frequency up; 0 is all of them, or 20 of a model with more than "
              "1000 unknowns")
              .within(from_to(0, 1000000))
              .otherwise("0"),
      },
      {},
      "",
      {}};
}

std::vector<Entry> make_table() {
  std::vector<Entry> result = {deck(), defaults(), body(), point_mass()};
  const auto append = [&](std::vector<Entry> entries) {
    for (Entry& entry : entries)
      result.push_back(std::move(entry));
  };
  append(shapes());
  append({scatter_entry()});
  append({orientation()});
  append(points_and_directions());
  append(chain_entries());
  append(joint_entries());
  append({force_entry()});
  append(limit_entries());
  append(contact_entries());
  append({initial(), analysis(), integrator_entry()});
  append(solver_entries());
  append(output_entries());
  return result;
}

} // namespace

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = make_table();
  return entries;
}

} // namespace emmy::deck
