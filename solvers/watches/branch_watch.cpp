#include "solvers/watches/branch_watch.hpp"

#include "core/model_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {
/// Accelerations change abruptly if what they make of the step changes by this share of it, and by this many times what
/// was usual.
constexpr double abrupt_share = 0.3;
constexpr double abrupt_factor = 20;
/// A part is at rest if it moves by so many roundings of its coordinates: solving for them leaves some hundred. What
/// changes then is noise, and a start from rest is no change of branch.
constexpr double rest = 1e3 * std::numeric_limits<double>::epsilon();
} // namespace

void take_into_mean(double now, long steps, double& mean) {
  const double usual = steps > settled_steps ? std::min(now, largest_growth * mean) : now;
  mean += (usual - mean) / static_cast<double>(std::min(steps, usual_steps));
}

BranchWatch::BranchWatch(const Model& model) {
  const ModelParts parts(model);
  part_of_ = parts.of_unknown;
  changes_.resize(parts.count);
  events_.reserve(parts.count);
  std::vector<bool> has_joints(parts.count, false);
  for (const auto& element : model.elements())
    if (element->multipliers() > 0 && !element->nodes().empty())
      has_joints[part_of_[static_cast<std::size_t>(element->nodes().front().unknown)]] = true;
  for (const Node& node : model.nodes()) {
    const std::size_t part = part_of_[static_cast<std::size_t>(node.unknown)];
    if (!has_joints[part])
      continue;
    if (ranges_.empty() || ranges_.back().part != part ||
        ranges_.back().unknown + ranges_.back().unknowns != node.unknown)
      ranges_.push_back({part, node.unknown, 0, node.value, 0});
    ranges_.back().unknowns += node.unknowns();
    ranges_.back().values += node.values();
  }
}

const std::vector<BranchWatch::Event>& BranchWatch::look(const Step& s, Seen& seen) {
  events_.clear();
  std::rotate(seen.pushes.begin(), seen.pushes.begin() + 1, seen.pushes.end());
  const Seen::Push& earlier = seen.pushes.front();
  Seen::Push& now = seen.pushes.back();
  now.v = s.z / s.h - s.n.rates;
  now.h = s.h;
  if (earlier.h == 0) // there are not yet three
    return events_;
  std::fill(changes_.begin(), changes_.end(), Change{});
  for (const Range& range : ranges_) {
    Change& part = changes_[range.part];
    const auto take = [&](double& largest, double factor, const auto& x) {
      largest = std::max(largest, factor * x.segment(range.unknown, range.unknowns).cwiseAbs().maxCoeff());
    };
    take(part.by_accelerations, std::abs(s.h), now.v - s.h / earlier.h * earlier.v);
    take(part.by_velocities, std::abs(s.h), now.v - earlier.v);
    take(part.size, 1, s.z);
    part.reach = std::max(part.reach, s.n.values.segment(range.value, range.values).cwiseAbs().maxCoeff());
  }
  for (std::size_t p = 0; p < changes_.size(); ++p)
    if (Seen::Part& part = seen.parts[p]; is_abrupt(changes_[p], part)) {
      if (part.quiet > usual_steps)
        events_.push_back({p, part.events++});
      part.quiet = 0;
    }
  return events_;
}

bool BranchWatch::is_abrupt(const Change& now, Seen::Part& part) {
  ++part.quiet;
  if (now.size <= rest * now.reach) {
    part.steps = 0;
    return false;
  }
  const double change = std::min(now.by_accelerations, now.by_velocities);
  const bool abrupt =
      ++part.steps > settled_steps && change > abrupt_share * now.size && change > abrupt_factor * part.mean_change;
  take_into_mean(change, part.steps, part.mean_change);
  return abrupt;
}

bool BranchWatch::is_in(std::size_t part, const Element& element) const {
  return !element.nodes().empty() && part_of_[static_cast<std::size_t>(element.nodes().front().unknown)] == part;
}

} // namespace emmy
