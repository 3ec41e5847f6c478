#pragma once
/// What the targets for files of meshes share.

#include "contact/surfaces/mesh_index.hpp"
#include "io/mesh_files.hpp"
#include "verification/fuzz/fuzz.hpp"

#include <algorithm>

namespace emmy::fuzz {

inline void read_mesh(MeshFile (*read)(const std::string&, std::string_view), const std::string& name,
                      const std::string& text, deck::Diagnostics& diagnostics) {
  try {
    MeshFile file = read(name, text);
    contact::MeshFindings findings;
    const contact::Mesh mesh = contact::make_mesh(std::move(file.nodes), file.facets, 0, findings);
    contact::Touch touch;
    for (std::size_t i = 0; i < std::min<std::size_t>(mesh.nodes.size(), 4); ++i)
      mesh.index->nearest(mesh, mesh.nodes[i], 0, touch);
  } catch (const MeshFileError& error) {
    diagnostics.error(deck::Location{}, error.what());
  }
}

} // namespace emmy::fuzz
