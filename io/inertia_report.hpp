#pragma once
/// Principal moments of inertia of a body, and about which axes they are.

#include "core/types.hpp"
#include "io/deck/deck.hpp"

#include <string>

namespace emmy {

struct PrincipalInertia {
  Vec3 moments;        ///< [kg m²], each about the axis nearest to x, y or z of the body, in this order
  Mat3 axes;           ///< columns, along the axes of the body; right-handed
  bool turned = false; ///< the axes are not those of the body
  int symmetry = -1;   ///< of the other two axes any pair will do: their moments are equal; -1: all moments differ
};

PrincipalInertia principal_inertia(const Mat3& J);

/// Lines that tell the axes of those of the first `most` bodies whose principal axes are not their own; empty if none.
std::string principal_axes_report(const deck::Deck& deck, std::size_t most);

} // namespace emmy
