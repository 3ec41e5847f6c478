/// The contents of an STL file, text or binary, and the mesh that is made of it.
#include "verification/fuzz/mesh.hpp"

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  read_mesh(read_stl, "mesh.stl", text, diagnostics);
}
