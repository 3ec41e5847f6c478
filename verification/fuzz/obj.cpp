/// The text of an OBJ file, and the mesh that is made of it.
#include "verification/fuzz/mesh.hpp"

void emmy::fuzz::read(const std::string& text, deck::Diagnostics& diagnostics) {
  read_mesh(read_obj, "mesh.obj", text, diagnostics);
}
