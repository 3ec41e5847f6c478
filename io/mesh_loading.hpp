#pragma once
/// Meshes of a deck, made ready for contact: read from their files, looked over, and completed by their edges.

#include "contact/surfaces/surface.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/diagnostics.hpp"
#include "io/file_mark.hpp"

#include <vector>

namespace emmy {

/// The geometry of a surface. Of a mesh: says what is wrong with its file, with facets that point to the wrong side or
/// not to the same, and warns of those without area, which are left out, of open edges and of edges of more than two
/// facets. Files that were read are added to `files`.
contact::Geometry loaded_geometry(const deck::Deck& deck, const deck::Surface& surface, deck::Diagnostics& diagnostics,
                                  std::vector<ReferredFile>& files);

} // namespace emmy
