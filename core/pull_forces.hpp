#pragma once
/// Forces on natural variables as forces on unknowns.

#include "core/interaction.hpp"

namespace emmy {

/// Adds P_bar^T r, one natural variable after the other: weights are summed before anything is multiplied with them,
/// since those of points of a body on nodes cancel where the point is far from a node.
void pull_forces(const std::vector<NaturalVariable>& variables, const std::vector<PortUse>& uses,
                 const std::vector<std::size_t>& use, const PortMotions& motions, const NaturalVector& r,
                 VectorRef of_unknowns);

} // namespace emmy
