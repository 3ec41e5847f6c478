#pragma once
/// Broad phase: which surfaces may be near each other, by their bounding boxes.

#include "contact/narrow.hpp"

namespace emmy::contact {

/// Box along the axes of space.
struct Bounds {
  Vec3 low, high; ///< infinite for a half space and for what is seen from inside
};

Bounds bounds(const Geometry& geometry, const Placed& place);

/// Finds pairs of surfaces whose boxes come within the sum of their margins. Keeps nothing but room for its work.
class BroadPhase {
public:
  /// `places` by port, `margins` by surface. The pairs are sorted.
  void find(const Scene& scene, const std::vector<Placed>& places, const std::vector<double>& margins,
            std::vector<SurfacePair>& out);
};

} // namespace emmy::contact
