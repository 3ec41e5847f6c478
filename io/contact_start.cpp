#include "io/contact_start.hpp"

#include "contact/narrow.hpp"
#include "contact/search/broad_phase.hpp"
#include "core/counted.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace emmy {

namespace {

/// Overlap that typed numbers may have, relative to the size of the smaller of two surfaces.
constexpr double typed = 1e-9;
/// Pairs that are named; the others are counted.
constexpr std::size_t most_told = 10;
/// How many of the fastest surfaces all others are held against.
constexpr std::size_t fast_ones = 16;

/// Half the diagonal of a box about the surface [m]; infinite for a half space.
double size_of(const contact::Geometry& geometry) {
  struct Size {
    double operator()(const contact::Sphere& s) const { return s.radius; }
    double operator()(const contact::Shell& s) const { return s.radius; }
    double operator()(const contact::HalfSpace&) const { return std::numeric_limits<double>::infinity(); }
    double operator()(const contact::Box& box) const { return box.half.norm(); }
    double operator()(const contact::Capsule& c) const { return (c.b - c.a).norm() / 2 + c.radius; }
    double operator()(const contact::NodeSet& set) const { return of(set.at) + set.radius; }
    double operator()(const contact::Mesh& mesh) const { return of(mesh.nodes) + mesh.radius; }
    static double of(const std::vector<Vec3>& points) {
      Eigen::AlignedBox3d box;
      for (const Vec3& point : points)
        box.extend(point);
      return box.isEmpty() ? 0 : box.diagonal().norm() / 2;
    }
  };
  return std::visit(Size{}, geometry);
}

/// What has to be crossed to pass through; of a mesh the least width of a box about it.
double depth_of(const contact::Geometry& geometry) {
  const auto* mesh = std::get_if<contact::Mesh>(&geometry);
  if (mesh == nullptr)
    return contact::thickness(geometry);
  Eigen::AlignedBox3d box;
  for (const Vec3& node : mesh->nodes)
    box.extend(node);
  return box.isEmpty() ? 0 : box.sizes().minCoeff() + 2 * mesh->radius;
}

/// The deepest overlap of two surfaces.
struct Overlap {
  double depth = 0;
  Vec3 at = Vec3::Zero();
};

} // namespace

std::vector<contact::Placed> places_of(const Model& model, const State& state) {
  std::vector<contact::Placed> places(model.ports().size());
  for (const Body* body : model.bodies()) {
    const BodyMotion motion = body->motion(state);
    places[static_cast<std::size_t>(body->port())] = {motion.position, motion.orientation.toRotationMatrix()};
  }
  return places;
}

void check_overlap(const deck::Deck& deck, const Model& model, const State& initial, const contact::Scene& scene,
                   deck::Diagnostics& diagnostics) {
  if (deck.contact.overlap != "error")
    return;
  const std::vector<contact::Placed> places = places_of(model, initial);
  std::vector<contact::SurfacePair> pairs;
  contact::BroadPhase().find(scene, places, std::vector<double>(scene.surfaces.size(), 0), pairs);
  std::vector<contact::ContactPoint> points;
  std::size_t found = 0;
  for (const contact::SurfacePair& pair : pairs) {
    const contact::Surface& a = scene.surfaces[static_cast<std::size_t>(pair.a)];
    const contact::Surface& b = scene.surfaces[static_cast<std::size_t>(pair.b)];
    const contact::Placed& place_a = places[static_cast<std::size_t>(a.port)];
    const contact::Placed& place_b = places[static_cast<std::size_t>(b.port)];
    points.clear();
    contact::near_points(scene, pair, place_a, place_b, 0, points);
    Overlap worst;
    for (const contact::ContactPoint& point : points)
      if (-point.gap > worst.depth) {
        const contact::Placed& place = places[static_cast<std::size_t>(point.slave.port)];
        worst = {-point.gap, place.point(point.slave.at) - point.radius * point.normal};
      }
    if (worst.depth <= typed * std::min(size_of(a.geometry), size_of(b.geometry)) || ++found > most_told)
      continue;
    diagnostics.error(deck.contact.surfaces[static_cast<std::size_t>(pair.a)].where,
                      formatted("'%s' is %.3g m inside '%s' at the start, at (%.6g, %.6g, %.6g) m", a.name.c_str(),
                                worst.depth, b.name.c_str(), worst.at.x(), worst.at.y(), worst.at.z()),
                      found > 1
                          ? std::vector<std::string>{}
                          : std::vector<std::string>{
                                "expected surfaces that do not overlap by more than 1e-9 of their size; move them "
                                "apart, name them in 'exclude' of 'contact', or take 'overlap: keep'"});
  }
  if (found > most_told)
    diagnostics.error(deck.contact.where,
                      counted(found - most_told, "more pair of surfaces overlaps", "more pairs of surfaces overlap") +
                          " at the start");
}

TunnelWatch::TunnelWatch(const Model& model, const contact::Scene& scene, double step)
    : scene_(scene), step_(step), body_of_port_(model.ports().size(), nullptr), speed_(scene.surfaces.size(), 0),
      fastest_(scene.surfaces.size()), told_(scene.rules.size(), false) {
  for (const Body* body : model.bodies())
    body_of_port_[static_cast<std::size_t>(body->port())] = body;
  for (const contact::Surface& surface : scene.surfaces) {
    thickness_.push_back(depth_of(surface.geometry));
    reach_.push_back(contact::reach(surface.geometry));
  }
}

std::string TunnelWatch::look(const State& state) {
  for (std::size_t i = 0; i < speed_.size(); ++i) {
    const Body* body = body_of_port_[static_cast<std::size_t>(scene_.surfaces[i].port)];
    if (body == nullptr)
      continue;
    const BodyMotion motion = body->motion(state);
    // What turns with an infinite reach is as fast as anything; it cannot be passed through.
    const double turning = motion.angular_velocity.norm() * reach_[i];
    speed_[i] = motion.velocity.norm() + (std::isfinite(turning) ? turning : 0);
  }
  std::iota(fastest_.begin(), fastest_.end(), 0);
  const std::size_t count = std::min(fast_ones, fastest_.size());
  std::partial_sort(
      fastest_.begin(), fastest_.begin() + static_cast<std::ptrdiff_t>(count), fastest_.end(),
      [&](int i, int k) { return speed_[static_cast<std::size_t>(i)] > speed_[static_cast<std::size_t>(k)]; });
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < speed_.size(); ++i) {
      const auto fast = static_cast<std::size_t>(fastest_[k]);
      const double speed = speed_[i] + speed_[fast], thickness = thickness_[i] + thickness_[fast];
      if (speed * step_ <= thickness || !(thickness < std::numeric_limits<double>::infinity()))
        continue;
      const int rule = scene_.rule(static_cast<int>(fast), static_cast<int>(i));
      if (rule < 0 || told_[static_cast<std::size_t>(rule)])
        continue;
      told_[static_cast<std::size_t>(rule)] = true;
      return formatted(
          "'%s' and '%s' move by up to %.3g m in a step at t = %.6g s, further than the %.3g m that they are "
          "thick: they may pass through each other unseen; expected a step of at most %.3g s",
          scene_.surfaces[fast].name.c_str(), scene_.surfaces[i].name.c_str(), speed * step_, state.time, thickness,
          thickness / speed);
    }
  return {};
}

} // namespace emmy
