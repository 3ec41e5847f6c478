#pragma once
/// Broad phase: which surfaces may be near each other, by their bounding boxes [K7].

#include "contact/narrow.hpp"

#include <memory>

namespace emmy::contact {

/// Box along the axes of space.
struct Bounds {
  Vec3 low, high; ///< infinite for a half space and for what is seen from inside; low > high: nothing is there
};

/// Rounded outwards: the surface lies within, whatever the rounding.
Bounds bounds(const Geometry& geometry, const Placed& place);

/// Has no box: a half space, or what is seen from inside.
bool is_unbounded(const Geometry& geometry);

/// Lower bound of the gap between all that lies within `box` and a surface that is unbounded [m]; negative if they may
/// overlap.
double clearance(const Geometry& unbounded, const Placed& place, const Bounds& box);

/// Finds pairs of surfaces whose boxes come within the sum of their margins; what is unbounded is held against the
/// boxes by its own geometry (`clearance`). Two surfaces that are both unbounded never meet. A box that is not finite
/// meets everything: a body that is lost in NaN is not lost silently.
///
/// The boxes go into an R-tree that is packed anew each time, so that the result depends on the arguments alone;
/// nothing is kept but room for the work. N surfaces with few neighbours cost O(N log N).
class BroadPhase {
public:
  BroadPhase();
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;

  /// `places` by port, `margins` >= 0 by surface. The pairs are sorted; those without a rule are left out.
  void find(const Scene& scene, const std::vector<Placed>& places, const std::vector<double>& margins,
            std::vector<SurfacePair>& out);

private:
  struct Work;
  std::unique_ptr<Work> work_;
};

} // namespace emmy::contact
