#pragma once
/// When to look for contacts next. Far from contact a step costs a subtraction and a comparison a body.
///
/// Every body has an *allowance*: how far its points may travel before one of its pairs could come within the reserve,
/// the gap from which on a pair matters to a step. For all pairs (a, b) of surfaces that may meet
///
///     allowance_a + allowance_b <= distance_ab - reserve,                                                       [C42]
///
/// where the distance is a lower bound that is safe against rounding. The ground does not travel and has no share.
/// Travel is taken off both sides alike, so the inequality holds until a body has used up its allowance; until then no
/// pair is nearer than the reserve. Then the pairs of that body are measured anew, and what is left is shared between
/// the two bodies of a pair as their travels in a step suggest.
///
/// Only pairs that a broad phase has found are measured. It grants every body a margin, as many steps of its travel as
/// leave it a few neighbours; once a body has used up its margin, all are searched anew. Measured distances count no
/// further than the margins do, so that pairs that the broad phase did not find satisfy the inequality as well.
///
/// It is a cache: what it returns is complete wherever allowances come from, so no result depends on its past [K6].

#include "contact/search/broad_phase.hpp"

namespace emmy::contact {

class Watch {
public:
  /// The scene must outlive it. `ports`: how many the model has, the ground included.
  Watch(const Scene& scene, std::size_t ports);

  /// How far points of a body's surfaces are from its centre [m]: it travels by no more than |shift| + |turn| * reach,
  /// the turn in radians. Of bodies with half spaces, which are looked at in each step, 0.
  double reach(Index port) const { return reaches_[static_cast<std::size_t>(port)]; }

  /// A body travels. True if it has used up its allowance: then call look() with where all bodies are now.
  bool spend(Index port, double travel) { return !((allowances_[static_cast<std::size_t>(port)] -= travel) > 0); }
  /// By port, for callers that subtract and compare (`!(allowance > 0)`) by themselves.
  double* allowances() { return allowances_.data(); }
  const std::vector<double>& allowances() const { return allowances_; }
  /// Allowances leave at least this reserve; if not, call look() as well.
  bool covers(double reserve) const { return reserve <= reserve_; }

  /// Renews allowances that have been used up. Returns all pairs that are not farther apart than the reserve, and some
  /// that are, sorted.
  ///   places   by port, where all bodies are with all that they have spent
  ///   travels  by port, about how far each goes in a step: a guess that decides how often to look, not what is found
  ///   reserve  [m], >= 0
  const std::vector<SurfacePair>& look(const std::vector<Placed>& places, const std::vector<double>& travels,
                                       double reserve);
  /// What the last look returned.
  const std::vector<SurfacePair>& pairs() const { return close_; }

  /// What it has taken so far.
  struct Effort {
    long looks = 0, searches = 0; ///< searches: broad phases
    long distances = 0;           ///< pairs that were measured
  };
  const Effort& effort() const { return effort_; }

  /// Bodies have been moved without spending: everything is looked at anew.
  void forget();

private:
  /// A ball about a surface that has bounds; body coordinates.
  struct Ball {
    Vec3 centre = Vec3::Zero();
    double radius = 0;
  };
  /// Of two surfaces; to count to `enough` is enough.
  double distance(const SurfacePair& pair, const Placed& place_a, const Placed& place_b, double enough);
  void search(const std::vector<Placed>& places, const std::vector<double>& travels, double reserve);
  void find_candidates(const std::vector<Placed>& places);
  void measure(std::size_t pair, const std::vector<Placed>& places, const std::vector<double>& travels);
  void lower(std::size_t port, double allowance);
  std::size_t port_of(int surface) const { return static_cast<std::size_t>(surface_of(surface).port); }
  const Surface& surface_of(int surface) const { return scene_->surfaces[static_cast<std::size_t>(surface)]; }

  const Scene* scene_;
  // by surface
  std::vector<Ball> balls_;
  std::vector<double> sizes_; // that rounding is measured by
  std::vector<double> margins_;
  std::vector<char> has_many_points_;

  // by port
  std::vector<double> reaches_, allowances_;
  std::vector<double> beyond_;      // what is left of the margin of the broad phase, beyond the allowance
  std::vector<char> has_surfaces_;  // and moves
  std::vector<char> always_looked_; // carries a half space: far out it travels without bound
  std::vector<char> is_spent_;

  // by pair
  BroadPhase broad_phase_;
  std::vector<SurfacePair> candidates_, close_;
  std::vector<std::size_t> starts_, incident_; // numbers of the candidates of each port
  std::vector<std::size_t> close_numbers_, spent_;
  std::vector<ContactPoint> points_;

  double reserve_ = -1;    // that allowances leave; negative: nothing has been looked at
  double horizon_ = 20;    // steps that a margin is to last
  double mean_margin_ = 0; // of the last search
  Effort effort_;
};

} // namespace emmy::contact
