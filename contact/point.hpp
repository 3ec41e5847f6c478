#pragma once
/// A place where two surfaces are near each other.

#include "core/contact_memory.hpp"

namespace emmy::contact {

/// One side of a contact: a material point of a body, which on a facet is a weighted mean of its nodes.
struct ContactSide {
  Index port = 0;
  Vec3 at = Vec3::Zero();              ///< body coordinates [m]; of a rounded slave the centre of its rounding
  int facet = -1;                      ///< of a mesh
  std::array<double, 4> N{1, 0, 0, 0}; ///< weights of the nodes of the facet, or of the two nodes of an edge
};

struct ContactPoint {
  ContactKey key;
  ContactSide slave, master;
  double radius = 0;           ///< of the rounding of the slave: it touches at its point - radius * normal [m]
  Vec3 normal = Vec3::UnitZ(); ///< from master to slave, in space, of unit length
  double gap = 0;              ///< [m]; negative inside
  int rule = -1;               ///< of the scene, for this pair of surfaces
};

} // namespace emmy::contact
