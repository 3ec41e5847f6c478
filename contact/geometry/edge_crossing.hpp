#pragma once
/// Two edges that cross, with the faces at their sides. A pure function of points.

#include "contact/geometry/closest.hpp"

namespace emmy::contact {

struct EdgeFeature {
  int number = -1;          ///< of the body; -1: the axis of a capsule
  std::array<Vec3, 2> x;    ///< its ends
  std::array<Vec3, 2> into; ///< unit vectors across it, into the faces at its sides; zero where there is none
  double radius = 0;        ///< of the rounding about it
};

struct EdgeCrossing {
  enum class Kind {
    none,
    apart,
    passed ///< if each point is inside the other body, which the edges alone do not tell
  };
  Kind kind = Kind::none;
  double s = 0, t = 0; ///< places along the slave's and the master's edge, 0 to 1
  Vec3 on_slave, on_master;
  Vec3 normal;         ///< from master to slave, of unit length
  double distance = 0; ///< along the normal, without roundings; negative where they have passed each other
};

/// Crossings that are nearer to each other than what is beside the edges. Parallel edges have none: their ends have.
EdgeCrossing cross_edges(const EdgeFeature& slave, const EdgeFeature& master);

/// How far outside the other body points of edges that have passed may be, in units of their distance.
constexpr double crossing_tolerance = 0.02;

} // namespace emmy::contact
