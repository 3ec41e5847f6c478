#include "io/deck/table_parts.hpp"

namespace emmy::deck {

namespace {

Entry enforcement_entry() {
  return {
      "enforcement",
      "Enforcement",
      "How constraints are enforced. `enforcement: lagrange` is short for `enforcement: {method: lagrange}`.",
      {
          field("method", Type::choice, "",
                "multipliers that are unknowns of the system, a stiff spring that gives way, or multipliers that are "
                "improved in iterations")
              .of({"lagrange", "penalty", "augmented_lagrangian"})
              .required(),
          field("stiffness", Type::number, "N/m or N m/rad",
                "of a `penalty`, which needs it; of an `augmented_lagrangian` instead of `beta`, the same in "
                "steps of any size")
              .within(above(0)),
          field("beta", Type::number, "1",
                "stiffness of an `augmented_lagrangian` in units of what the inertia of the bodies has against "
                "the constraint in a step; without it as the form of the solver wants")
              .within(above(0)),
      },
      {},
      "",
      {}};
}

Entry limit_entry() {
  const std::vector<Field> common = {
      field("type", Type::choice, "", "kind of limit").of({"rope", "stop", "wall"}).required(),
      field("restitution", Type::number, "1",
            "rate at which it parts relative to the rate at which it closed: 1 loses no energy, 0 does not bounce; a "
            "`penalty` is elastic and has none")
          .within(from_to(0, 1))
          .otherwise("1"),
      enforcement("how it is enforced").otherwise("augmented_lagrangian"),
      repeat(),
  };
  Entry result{"limit",
               "Limits",
               "A bound on how two bodies, or a body and the ground, move against each other. It pushes where the "
               "bound is reached and does nothing elsewhere. Limits are for a transient analysis, by "
               "`energy_momentum` or by integrators that take forces at instants; these stop positions and leave the "
               "rebound to chance.",
               common,
               {},
               "type",
               {}};
  result.variants = {
      alternative(common, "wall", "A point stays on one side of a plane.",
                  {field("between", Type::two_points, "m",
                         "a point of the plane, which moves with its body, and the point that stays off it")
                       .required(),
                   field("normal", Type::direction, "1", "normal of the plane, to the side on which the point stays")
                       .required(),
                   field("radius", Type::number, "m", "of a ball about the point, which touches instead of the point")
                       .within(at_least(0))
                       .otherwise("0")}),
      alternative(
          common, "stop",
          "Bounds on a coordinate that a joint leaves free. It is measured as in history.csv: from zero at the start, "
          "unless the joint has places or axes of its own in each body.",
          {field("joint", Type::joint, "", "the joint, with an angle or a displacement").required(),
           field("coordinate", Type::choice, "", "which of its coordinates, if it has several")
               .of({"angle", "angle1", "angle2", "displacement", "displacement1", "displacement2"}),
           field("lower", Type::number, "rad or m", "least value; without it there is none"),
           field("upper", Type::number, "rad or m",
                 "largest value, likewise; angles count turns, so that it may be beyond a full one")}),
      alternative(
          common, "rope", "Two points stay within a distance, as if a rope without mass held them.",
          {field("between", Type::two_points, "m", "its ends, on two bodies or a body and the ground").required(),
           field("length", Type::number, "m", "its length; without it the distance as it is typed").within(above(0)),
           field("least", Type::number, "m", "distance below which the points push each other apart")
               .within(above(0))}),
  };
  return result;
}

} // namespace

Field enforcement(const char* doc) {
  return field("enforcement", Type::word_or_entry, "", doc).like("enforcement");
}

std::vector<Entry> limit_entries() {
  return {limit_entry(), enforcement_entry()};
}

} // namespace emmy::deck
