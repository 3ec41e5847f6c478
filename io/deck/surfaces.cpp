#include "io/deck/surfaces.hpp"

#include "core/counted.hpp"
#include "io/deck/geometry.hpp"
#include "io/deck/repeat.hpp"
#include "io/deck/sections.hpp"

#include <algorithm>

namespace emmy::deck {

namespace {

using contact::Geometry;

/// Where a surface is on its body.
struct Place {
  Vec3 at = Vec3::Zero();
  Mat3 axes = Mat3::Identity();
  Vec3 point(const Vec3& of_surface) const { return at + axes * of_surface; }
};

/// Two points; nothing after an error, also where they coincide.
std::optional<std::array<Vec3, 2>> read_line(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_list() || node.members.size() != 2) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const auto a = read_vector(reading, *node.members[0].value, target);
  const auto b = read_vector(reading, *node.members[1].value, target);
  if (!a || !b)
    return std::nullopt;
  if (*a == *b) {
    reading.diagnostics.error(span_of(node), target.describe() + " has no length: its ends coincide",
                              {"expected two different points; a ball is a 'sphere'"});
    return std::nullopt;
  }
  return std::array<Vec3, 2>{*a, *b};
}

/// One vector or more.
std::optional<std::vector<Vec3>> read_vectors(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_list() || node.members.empty()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  std::vector<Vec3> result;
  for (const Member& member : node.members)
    if (const auto at = read_vector(reading, *member.value, target))
      result.push_back(*at);
  return result.size() == node.members.size() ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<Vec3>> read_nodes(Reading& reading, const Fields& fields) {
  const Node& node = *fields.node("nodes");
  if (!node.is_map())
    return read_vectors(reading, node, fields.target("nodes"));
  const Fields map(reading, table_entry("node_line"), &node, span_of(node), "'nodes' of " + fields.owner());
  const auto count = map.integer("count");
  const auto ends = map.is_given("line") ? read_line(reading, *map.node("line"), map.target("line")) : std::nullopt;
  if (!count || !ends)
    return std::nullopt;
  std::vector<Vec3> result;
  for (int i = 0; i < *count; ++i) {
    const double share = static_cast<double>(i) / (*count - 1);
    result.push_back((1 - share) * (*ends)[0] + share * (*ends)[1]);
  }
  return result;
}

/// Nodes of one facet, counted from 0; nothing after an error.
std::optional<std::array<int, 4>> read_facet(Reading& reading, const Node& node, const Target& target, int nodes) {
  if (!node.is_list() || node.members.size() < 3 || node.members.size() > 4) {
    reading.diagnostics.error(
        span_of(node),
        "a facet in " + target.describe() +
            (node.is_list() ? " has " + counted(node.members.size(), "node", "nodes") : " is no list of nodes"),
        {"expected three or four"});
    return std::nullopt;
  }
  Field number = target.field;
  number.type = Type::integer;
  number.allowed = from_to(1, nodes);
  std::array<int, 4> facet{-1, -1, -1, -1};
  bool complete = true;
  for (std::size_t i = 0; i < node.members.size(); ++i) {
    const auto index = read_integer(reading, *node.members[i].value, {number, target.owner});
    complete = complete && index;
    facet[i] = index.value_or(0) - 1;
  }
  return complete ? std::optional(facet) : std::nullopt;
}

/// A surface that is being read.
class SurfaceReader {
public:
  SurfaceReader(Reading& reading, const Fields& fields) : reading_(reading), fields_(fields) {}

  void read(std::string_view name) {
    Surface surface;
    surface.name = name;
    surface.where = location(fields_.at());
    const Node* on = fields_.node("on");
    const auto body = on != nullptr ? read_body(reading_, *on, fields_.target("on")) : std::nullopt;
    place_.at = fields_.vector("at").value_or(Vec3::Zero()) + read_scatter(reading_, fields_, name);
    place_.axes = read_orientation(reading_, *fields_.node("orientation"), fields_.target("orientation"))
                      .value_or(Eigen::Quaterniond::Identity())
                      .toRotationMatrix();
    radius_ = fields_.number("radius");
    check_companions();
    auto geometry = read_geometry(surface);
    surface.body = body.value_or(ground);
    surface.is_known = body && geometry;
    if (geometry)
      surface.geometry = std::move(*geometry);
    if (surface.is_known)
      check_carrier(surface);
    check_name(surface);
    reading_.surfaces.add(name);
    reading_.deck.contact.surfaces.push_back(std::move(surface));
  }

private:
  /// Entries that only some kinds have.
  void check_companions() {
    const auto refuse = [&](const char* name, const char* kinds) {
      reading_.diagnostics.error(fields_.key_at(name), quoted(name) + " of " + fields_.owner() + " has no meaning",
                                 {std::string("expected it with ") + kinds + " only"});
    };
    if (fields_.is_given("inside") && !fields_.is_given("box") && !fields_.is_given("mesh"))
      refuse("inside", "'box' and 'mesh'");
    if (fields_.is_given("radius") && !fields_.is_given("capsule") && !fields_.is_given("nodes") &&
        !fields_.is_given("mesh"))
      refuse("radius", "'capsule', 'nodes' and 'mesh'");
    if (fields_.is_given("capsule") && radius_ == 0.0)
      reading_.diagnostics.error(fields_.at(), fields_.owner() + " is a capsule without a radius",
                                 {"expected 'radius' > 0 m"});
  }

  std::optional<Geometry> read_geometry(Surface& surface) {
    using contact::Sphere, contact::Shell, contact::HalfSpace, contact::Box, contact::Capsule, contact::NodeSet;
    if (fields_.is_given("sphere")) {
      const auto radius = fields_.number("sphere");
      return radius ? std::optional<Geometry>(Sphere{place_.at, *radius}) : std::nullopt;
    }
    if (fields_.is_given("shell")) {
      const auto radius = fields_.number("shell");
      return radius ? std::optional<Geometry>(Shell{place_.at, *radius}) : std::nullopt;
    }
    if (fields_.is_given("half_space")) {
      const auto axis = fields_.axis("half_space");
      if (!axis)
        return std::nullopt;
      const Vec3 normal = (place_.axes * *axis).normalized();
      return HalfSpace{normal, normal.dot(place_.at)};
    }
    if (fields_.is_given("box")) {
      const auto edges = fields_.vector("box");
      const bool inside = fields_.flag("inside").value_or(false);
      return edges ? std::optional<Geometry>(Box{place_.at, *edges / 2, place_.axes, inside}) : std::nullopt;
    }
    if (fields_.is_given("capsule")) {
      const auto line = read_line(reading_, *fields_.node("capsule"), fields_.target("capsule"));
      return line ? std::optional<Geometry>(
                        Capsule{place_.point((*line)[0]), place_.point((*line)[1]), radius_.value_or(1)})
                  : std::nullopt;
    }
    if (fields_.is_given("nodes")) {
      auto at = read_nodes(reading_, fields_);
      if (!at)
        return std::nullopt;
      for (Vec3& node : *at)
        node = place_.point(node);
      return NodeSet{std::move(*at), radius_.value_or(0)};
    }
    return fields_.is_given("mesh") ? read_mesh(surface) : std::nullopt;
  }

  /// A mesh as it is given, or what is to be read from a file later.
  std::optional<Geometry> read_mesh(Surface& surface) {
    const Fields map = fields_.entry("mesh", "'mesh' of " + fields_.owner());
    contact::Mesh mesh;
    mesh.radius = radius_.value_or(0);
    surface.inside = fields_.flag("inside").value_or(false);
    const auto file = map.text("file");
    surface.scale = map.number("scale").value_or(1);
    if (file) {
      surface.mesh_file = *file;
      surface.at = place_.at;
      surface.axes = place_.axes;
      return mesh;
    }
    if (map.is_given("scale") && !map.is_given("file"))
      reading_.diagnostics.error(map.key_at("scale"), "'scale' of " + map.owner() + " has no meaning",
                                 {"expected it with 'file' only"});
    if (!map.is_given("nodes") || !map.is_given("facets"))
      return std::nullopt;
    const auto nodes = read_vectors(reading_, *map.node("nodes"), map.target("nodes"));
    const Node& list = *map.node("facets");
    if (!list.is_list() || list.members.empty()) {
      report_wrong_kind(reading_, list, map.target("facets"));
      return std::nullopt;
    }
    if (!nodes)
      return std::nullopt;
    for (const Vec3& node : *nodes)
      mesh.nodes.push_back(place_.point(node));
    for (const Member& member : list.members)
      if (const auto facet = read_facet(reading_, *member.value, map.target("facets"), static_cast<int>(nodes->size())))
        mesh.facets.push_back(*facet);
    return mesh.facets.size() == list.members.size() ? std::optional<Geometry>(mesh) : std::nullopt;
  }

  /// Not every body can carry every surface.
  void check_carrier(const Surface& surface) {
    if (surface.body == ground)
      return;
    const Body& body = reading_.deck.bodies[static_cast<std::size_t>(surface.body)];
    if (body.formulation != "point")
      return;
    bool at_centre = false;
    if (const auto* sphere = std::get_if<contact::Sphere>(&surface.geometry))
      at_centre = sphere->centre.isZero(0);
    else if (const auto* nodes = std::get_if<contact::NodeSet>(&surface.geometry))
      at_centre = nodes->at.size() == 1 && nodes->at.front().isZero(0);
    if (!at_centre)
      reading_.diagnostics.error(fields_.key_at("on"),
                                 fields_.owner() + " cannot be on the point mass " + quoted(body.name) +
                                     ", which does not turn",
                                 {"expected a 'sphere' or one of 'nodes' at its centre"});
  }

  /// A name that a body has too must mean the same.
  void check_name(const Surface& surface) {
    const int namesake = reading_.bodies.find(surface.name);
    if (namesake >= 0 && surface.is_known && surface.body != namesake)
      reading_.diagnostics.error(fields_.at(), fields_.owner() + " has the name of a body that it is not on",
                                 {"expected a name of its own"});
  }

  Reading& reading_;
  const Fields& fields_;
  Place place_;
  std::optional<double> radius_;
};

/// The solids of bodies, as surfaces by the names of the bodies.
class Solids {
public:
  Solids(Reading& reading, const Fields& contact) : reading_(reading), contact_(contact) {
    Selection chosen;
    chosen.all = !contact.is_given("surfaces");
    if (const Node* bodies = contact.node("bodies"))
      chosen =
          read_selection(reading, *bodies, contact.target("bodies"), reading.bodies).value_or(Selection{false, {}});
    for (int i = 0; chosen.all && i < static_cast<int>(reading.deck.bodies.size()); ++i)
      add(i, false);
    for (const std::string& name : chosen.names)
      add(reading.bodies.find(name), true);
  }

  /// Once all surfaces are known: a body with a shape that was to touch but cannot is a mistake, unless it has surfaces
  /// of its own.
  void complain() const {
    std::vector<bool> has_surface(reading_.deck.bodies.size(), false);
    for (const Surface& surface : reading_.deck.contact.surfaces)
      if (surface.body != ground)
        has_surface[static_cast<std::size_t>(surface.body)] = true;
    for (const auto& [index, is_named] : without_)
      if (is_named || !has_surface[static_cast<std::size_t>(index)])
        complain_of(reading_.deck.bodies[static_cast<std::size_t>(index)]);
  }

private:
  void add(int index, bool is_named) {
    const Body& body = reading_.deck.bodies[static_cast<std::size_t>(index)];
    if (body.solid) {
      reading_.surfaces.add(body.name);
      reading_.deck.contact.surfaces.push_back({body.name, body.where, index, *body.solid, true, "", 1, false, {}, {}});
    } else if (is_named || !body.shape.empty()) {
      without_.emplace_back(index, is_named);
    }
  }

  void complain_of(const Body& body) const {
    reading_.diagnostics.error(
        contact_.is_given("bodies") ? span_of(*contact_.node("bodies")) : contact_.at(),
        "the solid of body " + quoted(body.name) +
            " cannot be a surface: " + (body.shape.empty() ? "it has no shape" : "it is a " + body.shape),
        {"expected a box or a sphere; give it a surface under 'surfaces', such as " +
         std::string(body.shape == "shell" ? "a 'sphere' for its outside or a 'shell' for its inside"
                                           : "a 'capsule', 'nodes' or a 'mesh'")});
  }

  Reading& reading_;
  const Fields& contact_;
  std::vector<std::pair<int, bool>> without_; ///< a usable solid, and whether it was asked for by name
};

} // namespace

void read_surfaces(Reading& reading, const Fields& contact) {
  const Solids solids(reading, contact);
  for_each_copy(reading, contact.node("surfaces"), contact.target("surfaces"), "surface", reading.surfaces,
                [&](std::string_view name, const Node& node, const Span& at) {
                  const Fields fields(reading, table_entry("surface"), &node, at, "surface " + quoted(name));
                  if (fields.is_map())
                    SurfaceReader(reading, fields).read(name);
                });
  solids.complain();
}

} // namespace emmy::deck
