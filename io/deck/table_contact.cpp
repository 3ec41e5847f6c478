#include "io/deck/table_parts.hpp"

namespace emmy::deck {

namespace {

/// What two surfaces do to each other, given for all or for a pair.
std::vector<Field> material_fields() {
  return {
      field("restitution", Type::number, "1",
            "speed at which surfaces part relative to that at which they met: 1 loses no energy, 0 does not bounce")
          .within(from_to(0, 1))
          .otherwise("1"),
      field("friction", Type::number, "1", "of sliding; only 0 is served yet").within(at_least(0)).otherwise("0"),
      field("tangential_restitution", Type::number, "1",
            "of points that stick, across the normal; only 0 is served yet: it comes with friction")
          .within(from_to(0, 1))
          .otherwise("0"),
      field("stiffness", Type::number, "N/m", "of `method: penalty`, which is not served yet").within(above(0)),
      field("damping", Type::number, "1", "of `method: penalty`, which is not served yet").within(at_least(0)),
  };
}

Entry contact() {
  Entry result = alternative(
      {}, "contact",
      "What may touch: surfaces of bodies and of the ground. Surfaces of one body never touch each other. For a "
      "transient analysis of free bodies by `energy_momentum` of second order.",
      {
          field(
              "method", Type::choice, "",
              "`forward_increment`: impulses that keep surfaces apart, found anew in each step; energy and momenta are "
              "conserved whatever the step")
              .of({"forward_increment"}, {"penalty", "augmented_lagrangian"})
              .otherwise("forward_increment"),
          field("bodies", Type::selection, "",
                "bodies whose solids are surfaces, by the names of the bodies: boxes and spheres; without it `all` if "
                "there are no `surfaces`, otherwise `none`"),
          field("surfaces", Type::named_entries, "", "further surfaces").like("surface"),
          field("material", Type::entry, "", "how all touch that no pair says otherwise of").like("material"),
          field("pairs", Type::named_entries, "", "how some of them touch, and what is written of them")
              .like("contact_pair"),
          field("groups", Type::named_lists, "", "names for several bodies or surfaces at once"),
          field("only", Type::choice, "", "`all`: whatever comes together touches; `pairs`: what `pairs` names")
              .of({"all", "pairs"})
              .otherwise("all"),
          field("exclude", Type::name_pairs, "", "what passes through each other"),
          field("jointed", Type::choice, "",
                "whether bodies that a joint connects touch; joints beside contact are not served yet")
              .of({"exclude", "include"})
              .otherwise("exclude"),
          field("overlap", Type::choice, "",
                "what becomes of surfaces that overlap at the start by more than 1e-9 of their size: a mistake, or "
                "`keep`: they stay as they are until the first step, which drives them apart if they are `stabilise`d")
              .of({"error", "keep"}, {"separate"})
              .otherwise("error"),
          field("stabilise", Type::flag, "",
                "corrects positions of surfaces that stay pressed into each other, with the energy that takes booked")
              .otherwise("true"),
          field(
              "arms", Type::choice, "",
              "where an impulse acts on its two bodies, to be compared: `common`, one point of both in the middle of "
              "the predicted step; `mean`, the same in the mean of the step as it comes out; `corrected`, the "
              "published "
              "rule with its misprints put right; `start`, the same with centres at the start of the step; `printed`, "
              "the rule as it is printed. The last two do not keep angular momentum")
              .of({"common", "mean", "corrected", "start", "printed"})
              .otherwise("common"),
          field("solver", Type::entry, "", "how impulses of contacts that depend on one another are found")
              .like("contact_solver"),
      });
  result.title = "Contact";
  return result;
}

Entry surface() {
  Entry result = alternative(
      {}, "surface",
      "A surface of a body, or of the ground. It is given along the axes of the body, from its centre of mass; on the "
      "ground along those of space, from the origin.",
      {
          field("on", Type::body, "", "the body that carries it, or `ground`").required(),
          field("sphere", Type::number, "m", "radius of a ball, touched from outside").within(above(0)),
          field("shell", Type::number, "m", "radius of a hollow ball, touched from inside").within(above(0)),
          field("half_space", Type::axis, "1", "normal of a plane through `at`, to the side that is free"),
          field("box", Type::vector, "m", "edge lengths").within(above(0)),
          field("capsule", Type::line, "m", "all points within `radius` of a line, `[[x, y, z], [x, y, z]]`"),
          field("nodes", Type::nodes, "m",
                "points, or balls of `radius` about them: a list, or `{line: [[x, y, z], [x, y, z]], count: n}` for n "
                "that are evenly spaced, both ends included"),
          field("mesh", Type::entry, "", "triangles and quadrilaterals").like("mesh"),
          field("at", Type::vector, "m", "where its centre or origin is").otherwise("[0, 0, 0]"),
          field("orientation", Type::orientation, "", "how it is turned against the axes of the body").otherwise("[]"),
          field("inside", Type::flag, "", "of a `box` or a closed `mesh`: a room, touched from inside")
              .otherwise("false"),
          field("radius", Type::number, "m", "of a `capsule`, of `nodes`, or of the skin about a `mesh`")
              .within(at_least(0))
              .otherwise("0"),
          scatter(),
          repeat(),
      });
  result.title = "Surfaces";
  result.groups = {{{"sphere", "shell", "half_space", "box", "capsule", "nodes", "mesh"}, true}};
  return result;
}

Entry mesh() {
  Entry result = alternative(
      {}, "mesh",
      "Facets on nodes, either here or in a file. Nodes of a facet go round so that they run against the clock seen "
      "from "
      "outside. A quadrilateral may be warped.",
      {
          field("file", Type::text, "", "an STL or OBJ file; from the folder of the deck if its path is relative"),
          field("scale", Type::number, "1", "factor on the coordinates of the file, 0.001 for mm")
              .within(above(0))
              .otherwise("1"),
          field("nodes", Type::vectors, "m", "the nodes, `[[x, y, z], ...]`"),
          field("facets", Type::facets, "1", "three or four nodes each, counted from 1"),
      });
  result.title = "Meshes";
  result.groups = {{{"file", "nodes"}, true}, {{"file", "facets"}, true}};
  return result;
}

Entry node_line() {
  Entry result =
      alternative({}, "node_line", "Nodes that are evenly spaced on a line.",
                  {
                      field("line", Type::line, "m", "its ends, which are nodes too").required(),
                      field("count", Type::integer, "1", "how many nodes").within(from_to(2, 1000000)).required(),
                  });
  result.title = "Nodes on a line";
  return result;
}

Entry material() {
  Entry result = alternative({}, "material", "What surfaces do to each other where they touch.", material_fields());
  result.title = "Material";
  return result;
}

Entry pair() {
  Entry result = alternative(
      {field("between", Type::two_names, "",
             "surfaces, bodies or groups; forces are written as acting on the second, about the centre of its body")
           .required()},
      "contact_pair",
      "Two surfaces, or all of two bodies or groups. What is not said here is as in `material`. Of several pairs that "
      "two surfaces belong to, the narrower holds (surfaces before bodies before groups), then the later.",
      {});
  for (Field& own : material_fields())
    result.fields.push_back(own.otherwise(""));
  result.title = "Pairs";
  return result;
}

Entry solver() {
  Entry result = alternative(
      {}, "contact_solver", "How the impulses of a step are found. Whatever comes out, energy and momenta are exact.",
      {
          field(
              "method", Type::choice, "",
              "`auto` takes what serves best: a closed form for a contact alone, otherwise the first that gets there. "
              "`constraint_planes`: conjugate gradients; `semismooth`: Newton's method; `interior_point`; "
              "`gauss_seidel`")
              .of({"auto", "constraint_planes", "semismooth", "interior_point", "gauss_seidel"})
              .otherwise("auto"),
          field("class", Type::choice, "",
                "`fast`: large heaps by a few sweeps, which meet the laws of contact less well")
              .of({"accurate", "fast"})
              .otherwise("accurate"),
          field("tolerance", Type::number, "1", "by which laws of contact may be missed, of the velocities at hand")
              .within({0, 1, true, false})
              .otherwise("1e-8"),
          field("most_applications", Type::integer, "1", "of all impulses at once, in a step: a budget")
              .within(from_to(1, 1000000000))
              .otherwise("2000"),
          field("not_converged", Type::choice, "",
                "what is done beyond the tolerance: a warning, the step once more in halves, or an end of the run")
              .of({"warn", "halve", "stop"})
              .otherwise("warn"),
      });
  result.title = "Solver of contact";
  return result;
}

} // namespace

std::vector<Entry> contact_entries() {
  return {contact(), surface(), mesh(), node_line(), material(), pair(), solver()};
}

} // namespace emmy::deck
