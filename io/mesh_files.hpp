#pragma once
/// Surfaces from files: STL (text or binary) and Wavefront OBJ. What is read is plain nodes and facets; whether they
/// make a sound mesh is told by contact::make_mesh. Lengths are those of the file: its unit is for the caller to know.

#include "core/types.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace emmy {

struct MeshFile {
  std::vector<Vec3> nodes;
  std::vector<std::array<int, 4>> facets; ///< last -1: a triangle
};

/// A file that is not what it should be; what() is the whole message, "beam.stl:12: error: ..." or, where there are no
/// lines, "beam.stl: error: at byte 84: ...".
class MeshFileError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// By the ending of the name, .stl or .obj. Throws MeshFileError, also if there is no facet in it. `contents` gets the
/// bytes that were read.
MeshFile read_mesh_file(const std::string& path, std::string& contents);

/// `name` is for messages. Corners that coincide to the bit are one node. The normals of the file are not looked at:
/// facets are seen counterclockwise from outside.
MeshFile read_stl(const std::string& name, std::string_view contents);

/// Vertices and faces; all else (texture, normals, groups, lines) is passed over. Faces of more than four corners
/// become fans of triangles.
MeshFile read_obj(const std::string& name, std::string_view contents);

} // namespace emmy
