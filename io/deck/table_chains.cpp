#include "io/deck/table_parts.hpp"

namespace emmy::deck {

std::vector<Entry> chain_entries() {
  Entry chain = alternative(
      {}, "chain",
      "Links that hang on one another in a plane, from a point fixed in space. Each has one unknown, the angle from "
      "`down` towards `across`; the joints between them need no equations. A link is a body by its own name: its x "
      "axis "
      "runs along it, its y axis where it moves when the angle grows.",
      {
          field("pivot", Type::vector, "m", "where the first link turns, in space").otherwise("[0, 0, 0]"),
          field("down", Type::axis, "1", "direction of a link at the angle 0").otherwise("-y"),
          field("across", Type::axis, "1", "direction of a link at the angle pi/2; perpendicular to `down`")
              .otherwise("x"),
          field("links", Type::named_entries, "", "the links, from the pivot on; at most 24").like("link").required(),
      });
  Entry link = alternative(
      {}, "link",
      "A link of a chain. `NAME.start` and `NAME.end` are markers at its joints. By default it is a uniform rod.",
      {
          field("length", Type::number, "m", "from its joint to that of the next link").within(above(0)).required(),
          field("mass", Type::number, "kg", "mass").within(above(0)).required(),
          field("centre", Type::number, "m",
                "of mass, from its joint towards the next one; otherwise half of the length"),
          field("inertia", Type::number, "kg m²",
                "about its centre of mass and the normal of the plane; otherwise mass length²/12")
              .within(at_least(0)),
          field("angle", Type::number, "rad", "at the start, from `down` towards `across`; not from the link before")
              .otherwise("0"),
          field("angular_velocity", Type::number, "rad/s", "rate of this angle at the start").otherwise("0"),
          field("markers", Type::named_vectors, "m", "further named points, from the centre of mass along its axes"),
      });
  chain.title = "Chains";
  link.title = "Links";
  return {chain, link};
}

} // namespace emmy::deck
