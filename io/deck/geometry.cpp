#include "io/deck/geometry.hpp"

#include "core/counted.hpp"
#include "io/deck/hints.hpp"
#include "io/deck/repeat.hpp"

#include <Eigen/SVD>

#include <cmath>

namespace emmy::deck {

namespace {

/// How far typed quaternions and matrices may be from a rotation before they are taken for a mistake: four digits.
constexpr double typed_rotation = 1e-3;

Eigen::Quaterniond turn(const Vec3& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
}

std::optional<Eigen::Quaterniond> from_quaternion(Reading& reading, const Node& node, const Target& target) {
  const auto n = read_numbers(reading, node, target, 4);
  if (!n)
    return std::nullopt;
  const Eigen::Quaterniond q((*n)[0], (*n)[1], (*n)[2], (*n)[3]);
  const double length = q.coeffs().stableNorm();
  if (std::abs(length - 1) > typed_rotation) {
    reading.diagnostics.error(span_of(node), target.describe() + " has length " + number_text(length),
                              {"expected a quaternion [w, x, y, z] of unit length, to 1e-3"});
    return std::nullopt;
  }
  return q.normalized();
}

std::optional<Eigen::Quaterniond> from_matrix(Reading& reading, const Node& node, const Target& target) {
  const auto R = read_matrix(reading, node, target);
  if (!R)
    return std::nullopt;
  const double error = (R->transpose() * *R - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= typed_rotation) || R->determinant() < 0) {
    const std::string found = error <= typed_rotation
                                  ? " is a reflection: its determinant is -1"
                                  : " is not a rotation: its columns are off orthonormal by " + number_text(error);
    reading.diagnostics.error(span_of(node), target.describe() + found,
                              {"expected orthonormal columns, to 1e-3, and determinant +1"});
    return std::nullopt;
  }
  // The nearest rotation: the orthogonal factor of the polar decomposition.
  const Eigen::JacobiSVD<Mat3> svd(*R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return Eigen::Quaterniond(Mat3(svd.matrixU() * svd.matrixV().transpose())).normalized();
}

std::optional<Eigen::Quaterniond> read_one_orientation(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_map()) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const std::string owner = target.describe();
  const Entry* form = select_variant(reading, table_entry("orientation"), node, span_of(node), owner);
  if (form == nullptr)
    return std::nullopt;
  const Fields fields(reading, *form, &node, span_of(node), owner);
  if (form->find("axis") != nullptr) {
    const auto axis = fields.axis("axis");
    const auto angle = fields.number("angle");
    return axis && angle ? std::optional(turn(*axis, *angle)) : std::nullopt;
  }
  if (form->find("euler") != nullptr) {
    const auto angles = fields.vector("euler");
    const auto sequence = fields.choice("sequence");
    return angles && sequence ? std::optional(from_euler(*angles, *sequence)) : std::nullopt;
  }
  if (form->find("quaternion") != nullptr)
    return from_quaternion(reading, *fields.node("quaternion"), fields.target("quaternion"));
  return from_matrix(reading, *fields.node("matrix"), fields.target("matrix"));
}

/// Index of the body called `name`, or `ground`.
std::optional<int> find_body(Reading& reading, std::string_view name, const Span& at, const Target& target) {
  if (name == "ground")
    return ground;
  const std::string copy = meant(reading, reading.bodies, name);
  const int index = reading.bodies.find(copy);
  if (index >= 0)
    return index;
  reading.diagnostics.error(at, "unknown body " + quoted(copy) + " in " + target.describe(),
                            notes_for_name(reading, reading.bodies, name, {"ground"}));
  return std::nullopt;
}

/// `body` or `body.marker`.
std::optional<Point> named_point(Reading& reading, const Node& node, const Target& target) {
  const std::size_t dot = node.text.find('.');
  const std::string_view name = node.text.substr(0, dot);
  if (!is_reference(name)) {
    report_wrong_kind(reading, node, target);
    return std::nullopt;
  }
  const auto body = find_body(reading, name, span_of(node, 0, name.size()), target);
  if (!body)
    return std::nullopt;
  if (dot == std::string_view::npos)
    return Point{*body, Vec3::Zero()};
  const std::string_view marker = node.text.substr(dot + 1);
  std::vector<std::string> known;
  if (*body != ground)
    for (const Marker& m : reading.deck.bodies[static_cast<std::size_t>(*body)].markers) {
      if (m.name == marker)
        return Point{*body, m.at};
      known.push_back(m.name);
    }
  std::vector<std::string> notes = notes_for(marker, known);
  if (known.empty())
    notes.push_back(quoted(name) + " has no markers");
  reading.diagnostics.error(
      span_of(node, dot + 1, marker.size()),
      "unknown marker " + quoted(marker) + " of body " + quoted(name) + " in " + target.describe(), notes);
  return std::nullopt;
}

/// Reads `{first: ..., second: ...}` or a single value for both.
template <class T, class Read>
std::optional<Pair<T>> read_pair(Reading& reading, const Node& node, const Target& target, const char* entry_id,
                                 Read read) {
  if (!node.is_map() || (node.find("first") == nullptr && node.find("second") == nullptr)) {
    const auto both = read(reading, node, target);
    return both ? std::optional(Pair<T>{*both, std::nullopt}) : std::nullopt;
  }
  const Fields fields(reading, table_entry(entry_id), &node, span_of(node), target.describe());
  if (!fields.is_given("first") || !fields.is_given("second"))
    return std::nullopt;
  const auto first = read(reading, *fields.node("first"), fields.target("first"));
  const auto second = read(reading, *fields.node("second"), fields.target("second"));
  return first && second ? std::optional(Pair<T>{*first, *second}) : std::nullopt;
}

} // namespace

Eigen::Quaterniond from_euler(const Vec3& angles, std::string_view sequence) {
  Eigen::Quaterniond R = Eigen::Quaterniond::Identity();
  for (Index i = 0; i < 3; ++i)
    R = R * turn(Vec3::Unit(sequence[static_cast<std::size_t>(i)] - 'x'), angles[i]);
  return R.normalized();
}

std::optional<Eigen::Quaterniond> read_orientation(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_list())
    return read_one_orientation(reading, node, target);
  Eigen::Quaterniond R = Eigen::Quaterniond::Identity();
  bool complete = true;
  for (const Member& member : node.members) {
    const auto factor = read_one_orientation(reading, *member.value, target);
    complete = complete && factor.has_value();
    if (factor)
      R = (R * *factor).normalized();
  }
  return complete ? std::optional(R) : std::nullopt;
}

std::optional<int> read_body(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar())
    return find_body(reading, node.text, span_of(node), target);
  report_wrong_kind(reading, node, target);
  return std::nullopt;
}

std::optional<Point> read_point(Reading& reading, const Node& node, const Target& target) {
  if (node.is_scalar())
    return named_point(reading, node, target);
  if (!node.is_map()) {
    const auto at = read_vector(reading, node, target);
    return at ? std::optional(Point{ground, *at}) : std::nullopt;
  }
  const Fields fields(reading, table_entry("point"), &node, span_of(node), target.describe());
  const auto at = fields.vector("point");
  const Node* body_node = fields.node("body");
  const auto body = body_node != nullptr ? read_body(reading, *body_node, fields.target("body")) : std::nullopt;
  return at && body ? std::optional(Point{*body, *at}) : std::nullopt;
}

std::optional<Direction> read_direction(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_map()) {
    const auto along = read_axis(reading, node, target);
    return along ? std::optional(Direction{ground, *along}) : std::nullopt;
  }
  const Fields fields(reading, table_entry("direction"), &node, span_of(node), target.describe());
  const auto along = fields.axis("along");
  const Node* body_node = fields.node("body");
  const auto body = body_node != nullptr ? read_body(reading, *body_node, fields.target("body")) : std::nullopt;
  return along && body ? std::optional(Direction{*body, *along}) : std::nullopt;
}

std::optional<Pair<Point>> read_point_pair(Reading& reading, const Node& node, const Target& target) {
  return read_pair<Point>(reading, node, target, "point_pair", read_point);
}

std::optional<Pair<Direction>> read_direction_pair(Reading& reading, const Node& node, const Target& target) {
  return read_pair<Direction>(reading, node, target, "direction_pair", read_direction);
}

namespace {

/// What holds the components of a vector that is given in global axes, or in a map in body axes; null after an error.
const Node* components_of(Reading& reading, const Node& node, const Target& target) {
  if (!node.is_map())
    return &node;
  return Fields(reading, table_entry("body_vector"), &node, span_of(node), target.describe()).node("body_axes");
}

} // namespace

std::optional<BodyVector> read_body_vector(Reading& reading, const Node& node, const Target& target) {
  const Node* list = components_of(reading, node, target);
  const auto value = list != nullptr ? read_vector(reading, *list, target) : std::nullopt;
  return value ? std::optional(BodyVector{*value, node.is_map()}) : std::nullopt;
}

std::optional<LoadVector> read_load_vector(Reading& reading, const Node& node, const Target& target) {
  const Node* list = components_of(reading, node, target);
  if (list == nullptr)
    return std::nullopt;
  if (!list->is_list()) {
    report_wrong_kind(reading, *list, target);
    return std::nullopt;
  }
  if (list->members.size() != 3) {
    reading.diagnostics.error(span_of(*list),
                              target.describe() + " has " + counted(list->members.size(), "component", "components"),
                              {"expected " + target.field.expected()});
    return std::nullopt;
  }
  LoadVector result;
  result.in_body_axes = node.is_map();
  bool complete = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto f =
        read_function(reading, *list->members[i].value, {target.field, target.owner, static_cast<int>(i) + 1});
    complete = complete && f.has_value();
    if (f)
      result.value[i] = *f;
  }
  return complete ? std::optional(result) : std::nullopt;
}

namespace {

/// True for a list of two; says otherwise how many there are.
bool is_two(Reading& reading, const Node& node, const Target& target, const char* one, const char* many) {
  if (node.is_list() && node.members.size() == 2)
    return true;
  if (node.is_list())
    reading.diagnostics.error(span_of(node), target.describe() + " names " + counted(node.members.size(), one, many),
                              {"expected " + target.field.expected()});
  else
    report_wrong_kind(reading, node, target);
  return false;
}

std::string name_of(const Deck& deck, int body) {
  return body == ground ? "ground" : "body " + quoted(deck.bodies[static_cast<std::size_t>(body)].name);
}

} // namespace

std::optional<std::array<int, 2>> read_body_pair(Reading& reading, const Node& node, const Target& target) {
  if (!is_two(reading, node, target, "body", "bodies"))
    return std::nullopt;
  const auto first = read_body(reading, *node.members[0].value, target);
  const auto second = read_body(reading, *node.members[1].value, target);
  if (!first || !second)
    return std::nullopt;
  if (*first == *second) {
    reading.diagnostics.error(span_of(node),
                              target.owner + " connects " + name_of(reading.deck, *first) + " with itself",
                              {"expected two different bodies, one of which may be ground"});
    return std::nullopt;
  }
  return std::array<int, 2>{*first, *second};
}

std::optional<std::array<Point, 2>> read_two_points(Reading& reading, const Node& node, const Target& target) {
  if (!is_two(reading, node, target, "point", "points"))
    return std::nullopt;
  const auto first = read_point(reading, *node.members[0].value, target);
  const auto second = read_point(reading, *node.members[1].value, target);
  if (!first || !second)
    return std::nullopt;
  if (first->body == second->body) {
    reading.diagnostics.error(span_of(node),
                              target.owner + " connects " + name_of(reading.deck, first->body) + " with itself",
                              {"expected points of two different bodies, one of which may be in space"});
    return std::nullopt;
  }
  bool good = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const Point& point = i == 0 ? *first : *second;
    good = check_point(reading, span_of(*node.members[i].value), target.owner, point.body, point) && good;
  }
  return good ? std::optional(std::array<Point, 2>{*first, *second}) : std::nullopt;
}

Vec3 coordinates_in(const Deck& deck, int body, const Point& point) {
  if (point.body == body)
    return point.at;
  const auto of = [&](int b) { return deck.bodies[static_cast<std::size_t>(b)]; };
  const Vec3 in_space =
      point.body == ground ? point.at : Vec3(of(point.body).position + of(point.body).orientation * point.at);
  return body == ground ? in_space : Vec3(of(body).orientation.conjugate() * (in_space - of(body).position));
}

Vec3 components_in(const Deck& deck, int body, const Direction& direction) {
  const auto of = [&](int b) { return deck.bodies[static_cast<std::size_t>(b)].orientation; };
  const Vec3 in_space = direction.body == ground ? direction.along : Vec3(of(direction.body) * direction.along);
  return body == ground ? in_space : Vec3(of(body).conjugate() * in_space);
}

namespace {
/// Typed numbers are good to so many digits.
constexpr double typed = 1e-8;
} // namespace

bool check_point(Reading& reading, const Span& at, const std::string& what, int body, const Point& point) {
  if (body == ground)
    return true;
  const Body& b = reading.deck.bodies[static_cast<std::size_t>(body)];
  const Vec3 r = coordinates_in(reading.deck, body, point);
  if (b.formulation == "point" && r.norm() > typed * (1 + b.position.norm())) {
    reading.diagnostics.error(
        at, what + " is attached " + number_text(r.norm()) + " m from the point mass " + quoted(b.name),
        {"expected its place: a point mass has no other points"});
    return false;
  }
  if (b.half_rod) {
    const double off = r.cross(b.half_rod->normalized()).norm();
    if (off > typed * (b.half_rod->norm() + b.position.norm())) {
      reading.diagnostics.error(
          at, what + " is attached " + number_text(off) + " m off the axis of the rod " + quoted(b.name),
          {"expected a point on its axis: a rod without radius has no others"});
      return false;
    }
  }
  return true;
}

bool check_direction(Reading& reading, const Span& at, const std::string& what, int body,
                     const std::optional<Direction>& direction) {
  if (body == ground)
    return true;
  const Body& b = reading.deck.bodies[static_cast<std::size_t>(body)];
  if (b.formulation == "point") {
    reading.diagnostics.error(at, what + " needs a direction of the point mass " + quoted(b.name) + ", which has none",
                              {"expected a body with a shape, or a joint or force that holds points only"});
    return false;
  }
  if (b.half_rod &&
      (!direction || components_in(reading.deck, body, *direction).cross(b.half_rod->normalized()).norm() > typed)) {
    reading.diagnostics.error(at,
                              what + " needs directions of the rod " + quoted(b.name) + ", which has none but its axis",
                              {"expected a rod with a radius, or a joint or force that holds points only"});
    return false;
  }
  return true;
}

} // namespace emmy::deck
