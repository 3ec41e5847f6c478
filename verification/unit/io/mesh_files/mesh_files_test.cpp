#include "io/mesh_files.hpp"

#include "contact/surfaces/mesh.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

using namespace emmy;

namespace {

using Facet = std::array<int, 4>;

const char* const one_triangle = "solid a thing\n"
                                 "  facet normal 0 0 1\n"
                                 "    outer loop\n"
                                 "      vertex 0 0 0\n"
                                 "      vertex 1e0 0 -0\n"
                                 "      vertex 0 +2.5 0\n"
                                 "    endloop\n"
                                 "  endfacet\n"
                                 "endsolid a thing\n";

std::string binary_stl(const std::vector<std::array<float, 9>>& triangles, std::uint32_t count) {
  std::string bytes(80, ' ');
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(count >> 8 * i & 255);
  for (const auto& triangle : triangles) {
    bytes.append(12, '\0');
    for (const float value : triangle) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      for (int i = 0; i < 4; ++i)
        bytes += static_cast<char>(bits >> 8 * i & 255);
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

template <class Read>
std::string error_of(const Read& read) {
  try {
    read();
  } catch (const MeshFileError& error) {
    return error.what();
  }
  return "no error";
}

std::string stl_error(const std::string& text) {
  return error_of([&] { read_stl("part.stl", text); });
}

std::string obj_error(const std::string& text) {
  return error_of([&] { read_obj("part.obj", text); });
}

/// A text with one piece replaced.
std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t at = text.find(old);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), replacement);
}

} // namespace

BOOST_AUTO_TEST_SUITE(MeshFiles)

BOOST_AUTO_TEST_CASE(stl_text_is_read) {
  const MeshFile mesh = read_stl("part.stl", one_triangle);
  BOOST_REQUIRE(mesh.nodes.size() == 3u);
  BOOST_TEST(mesh.nodes[1] == Vec3(1, 0, 0));
  BOOST_TEST(mesh.nodes[2] == Vec3(0, 2.5, 0));
  BOOST_TEST((mesh.facets == std::vector<Facet>{{0, 1, 2, -1}}));
}

BOOST_AUTO_TEST_CASE(corners_of_stl_that_coincide_to_the_bit_are_one_node) {
  // 0 and -0 are the same place, 1 and the next number are not.
  const float next = std::nextafter(1.0f, 2.0f);
  const std::string bytes =
      binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {-0.0f, 0, 0, 0, 1, 0, next, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, 3);
  const MeshFile mesh = read_stl("part.stl", bytes);
  BOOST_TEST(mesh.nodes.size() == 5u);
  BOOST_TEST((mesh.facets == std::vector<Facet>{{0, 1, 2, -1}, {0, 2, 3, -1}, {1, 2, 4, -1}}));
}

BOOST_AUTO_TEST_CASE(binary_stl_may_call_itself_solid) {
  std::string bytes = binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}}, 1);
  bytes.replace(0, 5, "solid");
  BOOST_TEST(read_stl("part.stl", bytes).facets.size() == 1u);
}

BOOST_AUTO_TEST_CASE(obj_is_read_with_quads_fans_and_numbers_from_the_end) {
  const MeshFile mesh = read_obj("part.obj", "# comment\n"
                                             "o thing\n"
                                             "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\r\nv 0.5 2 0\n"
                                             "vn 0 0 1\nvt 0 0\nusemtl steel\n"
                                             "f 1 2 3\n"
                                             "f 1/1 2/1/1 3//1 4 # a quad\n"
                                             "f -5 -4 -3 \\\n -1 -2\n");
  BOOST_TEST(mesh.nodes.size() == 5u);
  BOOST_TEST(
      (mesh.facets == std::vector<Facet>{{0, 1, 2, -1}, {0, 1, 2, 3}, {0, 1, 2, -1}, {0, 2, 4, -1}, {0, 4, 3, -1}}));
}

BOOST_AUTO_TEST_CASE(the_same_cube_comes_from_all_files) {
  for (const char* file : {"/stl/cube.stl", "/stl/binary.stl", "/obj/quads.obj", "/obj/triangles.obj"}) {
    std::string contents;
    const MeshFile read = read_mesh_file(std::string(EMMY_MESHES) + file, contents);
    contact::MeshFindings findings;
    const contact::Mesh mesh = contact::make_mesh(read.nodes, read.facets, 0, findings);
    BOOST_TEST(mesh.nodes.size() == 8u);
    BOOST_TEST(findings.closed());
    BOOST_TEST(findings.volume == 1);
  }
}

BOOST_AUTO_TEST_CASE(mistakes_in_stl_texts_are_told_with_their_line) {
  const std::string good = one_triangle;
  BOOST_TEST(stl_error(with(good, "2.5", "2.5.1")) == "part.stl:6: error: expected a number, found '+2.5.1'");
  BOOST_TEST(stl_error(with(good, "1e0", "nan")) == "part.stl:5: error: expected a number, found 'nan'");
  BOOST_TEST(stl_error(with(good, "1e0", "1e999")) == "part.stl:5: error: expected a number, found '1e999'");
  BOOST_TEST(stl_error(with(good, "outer", "inner")) == "part.stl:3: error: expected 'outer', found 'inner'");
  BOOST_TEST(stl_error(with(good, "endloop", "vertex")) == "part.stl:7: error: expected 'endloop', found 'vertex'");
  BOOST_TEST(stl_error(with(good, "  facet", "  fact")) ==
             "part.stl:2: error: expected 'facet', 'solid' or 'endsolid', found 'fact'");
  BOOST_TEST(stl_error(good.substr(0, 66)) == "part.stl:4: error: expected a number, found the end of the file");
  BOOST_TEST(stl_error("solid nothing\nendsolid\n") == "part.stl: error: has no facets");
}

BOOST_AUTO_TEST_CASE(sizes_in_binary_stl_are_not_believed) {
  BOOST_TEST(
      stl_error(binary_stl({{0, 0, 0, 1, 0, 0, 0, 1, 0}}, 4294967295u)) ==
      "part.stl: error: at byte 80: says that there are 4294967295 triangles, which take 214748364834 bytes; the "
      "file has 134 bytes");
  BOOST_TEST(stl_error(binary_stl({}, 0)) == "part.stl: error: has no facets");
  BOOST_TEST(stl_error("") ==
             "part.stl: error: is neither an STL text, which begins with 'solid', nor binary: a header "
             "of 84 bytes is expected, found 0 bytes");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  BOOST_TEST(stl_error(binary_stl({{0, 0, 0, 1, nan, 0, 0, 1, 0}}, 1)) ==
             "part.stl: error: at byte 108: corner 2 of triangle 1 is not finite");
}

BOOST_AUTO_TEST_CASE(mistakes_in_obj_are_told_with_their_line) {
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  BOOST_TEST(obj_error(vertices + "f 1 2 4\n") ==
             "part.obj:4: error: there is no vertex '4': the file has 3 up to here");
  BOOST_TEST(obj_error(vertices + "f 1 2 -4\n") ==
             "part.obj:4: error: there is no vertex '-4': the file has 3 up to here");
  BOOST_TEST(obj_error(vertices + "f 0 1 2\n") ==
             "part.obj:4: error: there is no vertex '0': the file has 3 up to here");
  BOOST_TEST(obj_error(vertices + "f 1 2 \\\n  -9223372036854775808\n") ==
             "part.obj:4: error: there is no vertex '-9223372036854775808': the file has 3 up to here");
  BOOST_TEST(obj_error(vertices + "f 1 2 99999999999999999999\n") ==
             "part.obj:4: error: expected the number of a vertex, found '99999999999999999999'");
  BOOST_TEST(obj_error(vertices + "f 1 2\n") ==
             "part.obj:4: error: expected at least three corners of a face, found 2");
  BOOST_TEST(obj_error("v 0 zero 0\n") == "part.obj:1: error: expected three coordinates of a vertex, found 'zero'");
  BOOST_TEST(obj_error("v 0 0\n") ==
             "part.obj:1: error: expected three coordinates of a vertex, found the end of the line");
  BOOST_TEST(obj_error(vertices) == "part.obj: error: has no facets");
  BOOST_TEST(obj_error("{\"json\": true}") == "part.obj: error: has no facets");
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_told) {
  const auto error = [](const std::string& path) {
    return error_of([&] {
      std::string contents;
      read_mesh_file(path, contents);
    });
  };
  BOOST_TEST(error("nowhere/part.stl") == "nowhere/part.stl: error: cannot read: No such file or directory");
  BOOST_TEST(error("part.step") == "part.step: error: expected a file that ends with .stl or .obj");
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "emmy_mesh_files_test.obj";
  std::filesystem::create_directory(directory);
  BOOST_TEST(error(directory.string()) == directory.string() + ": error: cannot read: not a file");
  std::filesystem::remove(directory);
}

BOOST_AUTO_TEST_SUITE_END()
