#include "core/connectivity.hpp"
#include "io/deck/sections.hpp"

#include <cmath>

namespace emmy::deck {

namespace {

/// How far typed directions may be from perpendicular before they are taken for a mistake: four digits.
constexpr double typed_direction = 1e-3;

/// `down` and `across`, made perpendicular.
void read_plane(Reading& reading, const Fields& fields, Chain& chain) {
  chain.pivot = fields.vector("pivot").value_or(Vec3::Zero());
  const auto down = fields.axis("down"), across = fields.axis("across");
  if (!down || !across)
    return;
  const double cosine = down->dot(*across);
  if (std::abs(cosine) > typed_direction) {
    reading.diagnostics.error(fields.is_given("across") ? span_of(*fields.node("across")) : fields.key_at("down"),
                              "'across' of " + fields.owner() +
                                  " is not perpendicular to 'down': the cosine of their angle is " +
                                  number_text(cosine),
                              {"expected perpendicular directions, to 1e-3"});
    return;
  }
  chain.down = *down;
  chain.across = (*across - cosine * *down).normalized();
}

/// A link as a body, at the joint where it begins and with the velocity of it.
Body body_of(const Chain& chain, const Link& link, const Vec3& joint, const Vec3& joint_velocity) {
  const Vec3 u = std::sin(link.angle) * chain.across + std::cos(link.angle) * chain.down;
  const Vec3 n = chain.down.cross(chain.across);
  Mat3 axes;
  axes << u, n.cross(u), n;
  Body body;
  body.formulation = "planar_chain";
  body.inertia(2, 2) = link.inertia; // about the other axes it cannot turn
  body.position = joint + link.centre * u;
  body.orientation = Eigen::Quaterniond(axes).normalized();
  body.angular_velocity = link.angular_velocity * n;
  body.velocity = joint_velocity + body.angular_velocity.cross(link.centre * u);
  body.markers = {{"start", {-link.centre, 0, 0}}, {"end", {link.length - link.centre, 0, 0}}};
  return body;
}

class ChainReader {
public:
  ChainReader(Reading& reading, Chain& chain) : reading_(reading), chain_(chain), joint_(chain.pivot) {}

  void read_link(std::string_view name, const Node& node, const Span& at) {
    const Fields fields(reading_, table_entry("link"), &node, at, "link " + quoted(name));
    check_unique(reading_, name, at, "link");
    Link link;
    link.length = fields.number("length").value_or(1);
    const double mass = fields.number("mass").value_or(1);
    link.centre = fields.number("centre").value_or(link.length / 2);
    link.inertia = fields.number("inertia").value_or(mass * link.length * link.length / 12);
    link.angle = fields.number("angle").value_or(0);
    link.angular_velocity = fields.number("angular_velocity").value_or(0);
    check_inertia(fields, link, mass);

    Body body = body_of(chain_, link, joint_, joint_velocity_);
    body.name = name;
    body.where = location(at);
    body.mass = mass;
    if (chain_.links.empty())
      body.fixed_point = Vec3(-link.centre, 0, 0);
    const Vec3 to_next = body.orientation * body.markers.back().at; // the end
    joint_ = body.position + to_next;
    joint_velocity_ = body.velocity + body.angular_velocity.cross(to_next);
    read_more_markers(fields, body);
    link.body = static_cast<int>(reading_.deck.bodies.size());
    chain_.links.push_back(link);
    reading_.bodies.add(name);
    reading_.deck.bodies.push_back(std::move(body));
  }

private:
  void read_more_markers(const Fields& fields, Body& body) {
    const Node* markers = fields.node("markers");
    for (const Marker& own : body.markers)
      if (const Member* again = markers != nullptr ? markers->find(own.name) : nullptr)
        reading_.diagnostics.error(again->key_at,
                                   "the marker " + quoted(own.name) + " of " + fields.owner() +
                                       " is there already: it is one of its joints",
                                   {"expected another name"});
    read_markers(reading_, fields, body);
  }

  void check_inertia(const Fields& fields, const Link& link, double mass) const {
    const double about_joint = link.inertia + mass * link.centre * link.centre;
    if (!std::isnormal(mass * link.length * link.length))
      reading_.diagnostics.error(fields.at(), "mass or length of " + fields.owner() +
                                                  " is outside the range of numbers: mass " + number_text(mass) +
                                                  " kg, length " + number_text(link.length) + " m");
    else if (!std::isnormal(about_joint))
      reading_.diagnostics.error(
          fields.at(), fields.owner() + " has an inertia of " + number_text(about_joint) + " kg m² about its joint",
          {"expected an 'inertia' > 0 or a 'centre' away from the joint, of ordinary size"});
  }

  Reading& reading_;
  Chain& chain_;
  Vec3 joint_, joint_velocity_ = Vec3::Zero(); ///< where the next link begins
};

void read_chain(Reading& reading, std::string_view name, const Node& node, const Span& at) {
  const Fields fields(reading, table_entry("chain"), &node, at, "chain " + quoted(name));
  Chain chain;
  chain.name = name;
  chain.where = location(at);
  if (!fields.is_map())
    return;
  read_plane(reading, fields, chain);
  ChainReader reader(reading, chain);
  for_each_named(reading, fields.node("links"), fields.target("links"), "link",
                 [&](auto link, const Node& entries, const Span& place) { reader.read_link(link, entries, place); });
  const Node* links = fields.node("links");
  if (links != nullptr && (links->is_null() || (links->is_map() && links->members.empty())))
    reading.diagnostics.error(fields.key_at("links"), fields.owner() + " has no links", {"expected at least one link"});
  if (chain.links.size() > max_port_unknowns)
    reading.diagnostics.error(fields.key_at("links"),
                              fields.owner() + " has " + std::to_string(chain.links.size()) + " links",
                              {"expected at most " + std::to_string(max_port_unknowns)});
  reading.deck.chains.push_back(std::move(chain));
}

} // namespace

void read_chains(Reading& reading, const Fields& top) {
  const Node* chains = top.node("chains");
  if (chains != nullptr && (chains->is_null() || (chains->is_map() && chains->members.empty())) &&
      reading.deck.bodies.empty())
    reading.diagnostics.error(top.key_at("chains"), "the deck has no bodies", {"expected at least one body or chain"});
  for_each_named(reading, chains, top.target("chains"), "chain",
                 [&](auto name, const Node& node, const Span& at) { read_chain(reading, name, node, at); });
}

} // namespace emmy::deck
