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
/// A target has a kink if its rate bends by this share from step to step. Twenty steps a period make as much.
constexpr double kink_share = 0.1;
/// Kicks are guessed from three steps before [V13], and a step is compared with the one before the last: so many steps
/// later a kink is seen for the last time.
constexpr long kink_shows = 5;
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
    if (element->multipliers() > 0 && !element->nodes().empty()) {
      has_joints[part_of(*element)] = true;
      if (const auto* drive = dynamic_cast<const Drive*>(element.get()))
        drives_.push_back(drive);
    }
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

std::size_t BranchWatch::part_of(const Element& element) const {
  return part_of_[static_cast<std::size_t>(element.nodes().front().unknown)];
}

/// Bends of mean rates, and of the rate at the end from them, which the velocities of what is driven follow. Where a
/// target is smooth both are of second order.
void BranchWatch::look_at_targets(const Step& s, Seen& seen) const {
  for (Seen::Part& part : seen.parts)
    ++part.since_kink;
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    auto& [before, last] = seen.targets[i];
    const auto [f_n, f_n1] = drives_[i]->targets(s.n, s.h);
    const double now = (f_n1 - f_n) / s.h, rounded = rest * std::max(std::abs(f_n), std::abs(f_n1)) / std::abs(s.h);
    const double end = drives_[i]->target_rate(s.n.time + s.h);
    const double size = std::max({std::abs(before), std::abs(last), std::abs(now), std::abs(end)});
    const double bend = std::max(std::abs(now - 2 * last + before), std::abs(end - now - (now - last) / 2));
    if (bend > std::max(kink_share * size, rounded))
      seen.parts[part_of(*drives_[i])].since_kink = 0;
    before = last;
    last = now;
  }
}

const std::vector<BranchWatch::Event>& BranchWatch::look(const Step& s, Seen& seen) {
  events_.clear();
  look_at_targets(s, seen);
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
    if (Seen::Part& part = seen.parts[p]; is_abrupt(changes_[p], part) && part.since_kink > kink_shows) {
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
  return !element.nodes().empty() && part_of(element) == part;
}

} // namespace emmy
