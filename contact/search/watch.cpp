#include "contact/search/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace emmy::contact {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Steps. Bodies that are going to use up their allowances within these are renewed with those that have: some of many
/// bodies have used up theirs in almost every step, and a look at all costs more than renewing a few too early.
constexpr double soon = 16;
/// Of a margin; the rest is kept back for the rounding of travels and of their sums, eps / 2 a step.
constexpr double granted = 1 - 1e-6;
/// A search is repeated seldom with long margins, and finds few pairs with short ones: more neighbours a body than
/// these shorten the margins of the next search and of this one.
constexpr double many_neighbours = 3, too_many_neighbours = 16;
constexpr double longest_horizon = 1e6, first_horizon = 20;
/// Of the mean travel: margins of bodies that rest, which others may set in motion.
constexpr double least_travel = 0.05;
/// Of the travel of both: what the slower body of a pair gets of their distance at least.
constexpr double least_share = 0.1;
/// Surfaces with more points than this are measured no further than some steps ahead: all points within the margin
/// would have to be listed.
constexpr std::size_t many_points = 32;
constexpr double steps_ahead = 20;

const std::vector<Vec3>* points_of(const Geometry& geometry) {
  if (const auto* nodes = std::get_if<NodeSet>(&geometry))
    return &nodes->at;
  if (const auto* mesh = std::get_if<Mesh>(&geometry))
    return &mesh->nodes;
  return nullptr;
}

/// That rounding of distances is relative to.
double size_of(const Geometry& geometry) {
  const auto* plane = std::get_if<HalfSpace>(&geometry);
  return plane != nullptr ? std::abs(plane->offset) : reach(geometry);
}

} // namespace

Watch::Watch(const Scene& scene, std::size_t ports)
    : scene_(&scene), margins_(scene.surfaces.size()), reaches_(ports, 0.), allowances_(ports, infinity),
      beyond_(ports, 0.), has_surfaces_(ports, 0), always_looked_(ports, 0), is_spent_(ports, 0) {
  for (const Surface& surface : scene.surfaces) {
    const auto port = static_cast<std::size_t>(surface.port);
    const double size = size_of(surface.geometry);
    sizes_.push_back(size);
    Ball ball;
    if (!is_unbounded(surface.geometry)) {
      const Bounds box = bounds(surface.geometry, Placed());
      if ((box.low.array() <= box.high.array()).all()) {
        ball.centre = (box.low + box.high) / 2;
        ball.radius = (box.high - box.low).norm() / 2;
      }
      if (const auto* sphere = std::get_if<Sphere>(&surface.geometry))
        ball = {sphere->centre, sphere->radius};
    }
    balls_.push_back(ball);
    const std::vector<Vec3>* points = points_of(surface.geometry);
    has_many_points_.push_back(points != nullptr && points->size() > many_points);
    if (port == 0)
      continue;
    has_surfaces_[port] = 1;
    if (std::holds_alternative<HalfSpace>(surface.geometry))
      always_looked_[port] = 1;
    else
      reaches_[port] = std::max(reaches_[port], size);
  }
  for (std::size_t port = 0; port < ports; ++port)
    if (always_looked_[port])
      reaches_[port] = 0;
  forget();
}

void Watch::forget() {
  reserve_ = -1;
  for (std::size_t port = 0; port < allowances_.size(); ++port)
    allowances_[port] = has_surfaces_[port] ? -infinity : infinity;
}

const std::vector<SurfacePair>& Watch::look(const std::vector<Placed>& places, const std::vector<double>& travels,
                                            double reserve) {
  ++effort_.looks;
  spent_.clear();
  bool needs_search = !covers(reserve);
  for (std::size_t port = 1; port < allowances_.size(); ++port) {
    is_spent_[port] = has_surfaces_[port] && !(allowances_[port] > soon * travels[port]);
    if (!is_spent_[port])
      continue;
    spent_.push_back(port);
    if (always_looked_[port])
      continue;
    allowances_[port] += beyond_[port];
    beyond_[port] = 0;
    needs_search |= !(allowances_[port] > 0);
  }
  if (needs_search)
    search(places, travels, reserve);

  close_numbers_.clear();
  for (const std::size_t port : spent_)
    for (std::size_t k = starts_[port]; k < starts_[port + 1]; ++k) {
      const SurfacePair& pair = candidates_[incident_[k]];
      const std::size_t port_a = port_of(pair.a), port_b = port_of(pair.b), other = port == port_a ? port_b : port_a;
      if (!(is_spent_[other] && other < port)) // otherwise it has been measured with the other
        measure(incident_[k], places, travels);
    }
  std::sort(close_numbers_.begin(), close_numbers_.end());
  close_.clear();
  for (const std::size_t number : close_numbers_)
    close_.push_back(candidates_[number]);
  return close_;
}

/// Shares what two surfaces are apart between their bodies.
void Watch::measure(std::size_t number, const std::vector<Placed>& places, const std::vector<double>& travels) {
  ++effort_.distances;
  const SurfacePair& pair = candidates_[number];
  const std::size_t a = port_of(pair.a), b = port_of(pair.b);
  const auto left = [&](std::size_t port) {
    return port == 0 || always_looked_[port] ? 0. : std::max(allowances_[port] + beyond_[port], 0.);
  };
  const double travel_a = a == 0 ? 0 : travels[a], travel_b = b == 0 ? 0 : travels[b], travel = travel_a + travel_b;
  double enough = left(a) + left(b);
  if (has_many_points_[static_cast<std::size_t>(pair.a)] || has_many_points_[static_cast<std::size_t>(pair.b)])
    enough = std::min(enough, reserve_ + steps_ahead * travel);
  const double apart = distance(pair, places[a], places[b], reserve_ + enough) - reserve_;
  if (!(apart > 0))
    close_numbers_.push_back(number);
  double part_a = a == 0 ? 0 : b == 0 ? 1 : 0.5;
  if (a != 0 && b != 0 && travel > 0)
    part_a = (travel_a + least_share * travel) / ((1 + 2 * least_share) * travel);
  if (!always_looked_[b])
    lower(a, part_a * apart);
  if (!always_looked_[a])
    lower(b, (1 - part_a) * apart);
}

void Watch::lower(std::size_t port, double allowance) {
  if (port == 0 || always_looked_[port] || allowance >= allowances_[port])
    return;
  beyond_[port] += allowances_[port] - allowance;
  allowances_[port] = allowance;
}

double Watch::distance(const SurfacePair& pair, const Placed& place_a, const Placed& place_b, double enough) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const Geometry &of_a = scene_->surfaces[a].geometry, &of_b = scene_->surfaces[b].geometry;
  const double rounding =
      64 * eps * (place_a.x.cwiseAbs().maxCoeff() + place_b.x.cwiseAbs().maxCoeff() + sizes_[a] + sizes_[b]);
  const Vec3 centre_a = place_a.point(balls_[a].centre), centre_b = place_b.point(balls_[b].centre);
  const bool is_wall_a = is_unbounded(of_a), is_wall_b = is_unbounded(of_b);
  double found = -balls_[a].radius - balls_[b].radius; // of the balls about them
  if (is_wall_a)
    found += clearance(of_a, place_a, {centre_b, centre_b});
  else if (is_wall_b)
    found += clearance(of_b, place_b, {centre_a, centre_a});
  else
    found += (centre_a - centre_b).norm();
  const auto is_itself = [](const Geometry& geometry) { return std::holds_alternative<Sphere>(geometry); };
  const bool is_exact = (is_wall_a || is_itself(of_a)) && (is_wall_b || is_itself(of_b));
  if (!is_exact && !(found > enough)) {
    points_.clear();
    near_points(*scene_, pair, place_a, place_b, enough, points_);
    double least = enough;
    for (const ContactPoint& point : points_)
      least = std::min(least, point.gap);
    found = std::max(found, least);
  }
  return found - rounding;
}

/// Broad phase, with margins for as many steps as leave every surface a few neighbours.
void Watch::search(const std::vector<Placed>& places, const std::vector<double>& travels, double reserve) {
  if (!covers(reserve) || reserve < reserve_ / 4)
    reserve_ = 1.25 * reserve; // so that one that grows a little does not lead to a search each time
  spent_.clear();
  double mean_travel = 0;
  for (std::size_t port = 1; port < allowances_.size(); ++port)
    if (has_surfaces_[port]) {
      is_spent_[port] = 1;
      spent_.push_back(port);
      mean_travel += travels[port];
    }
  mean_travel /= std::max<double>(1, static_cast<double>(spent_.size()));

  // Where speeds have grown, margins for as many steps as before could make everybody a neighbour.
  double horizon = std::min(horizon_, std::max(first_horizon, 2 * mean_margin_ / mean_travel));
  const auto neighbours = [&] {
    return static_cast<double>(candidates_.size()) / std::max<double>(1, static_cast<double>(margins_.size()));
  };
  for (;; horizon /= 2) {
    for (const std::size_t port : spent_)
      if (!always_looked_[port]) {
        allowances_[port] = granted * (reserve_ + horizon * std::max(travels[port], least_travel * mean_travel));
        beyond_[port] = 0;
      }
    ++effort_.searches;
    find_candidates(places);
    if (neighbours() <= too_many_neighbours || horizon < 2)
      break;
  }
  mean_margin_ = horizon * mean_travel;
  horizon_ = neighbours() <= many_neighbours ? std::min(2 * horizon, longest_horizon) : horizon;
}

void Watch::find_candidates(const std::vector<Placed>& places) {
  for (std::size_t s = 0; s < margins_.size(); ++s) {
    const std::size_t port = port_of(static_cast<int>(s));
    margins_[s] = reserve_ / 2 + (port == 0 ? 0 : always_looked_[port] ? infinity : allowances_[port] / granted);
  }
  broad_phase_.find(*scene_, places, margins_, candidates_);

  // Candidates by port: count, add up, fill in.
  starts_.assign(allowances_.size() + 1, 0);
  const auto for_each_port = [&](const auto& visit) {
    for (std::size_t number = 0; number < candidates_.size(); ++number)
      for (const int surface : {candidates_[number].a, candidates_[number].b})
        visit(port_of(surface), number);
  };
  for_each_port([&](std::size_t port, std::size_t) { ++starts_[port]; });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  incident_.resize(starts_.back());
  for_each_port([&](std::size_t port, std::size_t number) { incident_[--starts_[port]] = number; });
}

} // namespace emmy::contact
