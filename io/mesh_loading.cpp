#include "io/mesh_loading.hpp"

#include "core/counted.hpp"
#include "io/mesh_files.hpp"
#include "io/report.hpp"

#include <filesystem>
#include <utility>

namespace emmy {

namespace {

/// Paths that are relative start at the folder of the deck; absolute ones stay as they are.
std::string mesh_path(const deck::Deck& deck, const deck::Surface& surface) {
  return (std::filesystem::path(deck.file).parent_path() / surface.mesh_file).string();
}

/// A mesh that is being made, and what is said about it.
class MeshLoader {
public:
  MeshLoader(const deck::Surface& surface, deck::Diagnostics& diagnostics, std::vector<ReferredFile>& files)
      : surface_(surface), diagnostics_(diagnostics), files_(files) {}

  contact::Mesh load(const deck::Deck& deck, const contact::Mesh& given) {
    contact::MeshFindings findings;
    if (surface_.mesh_file.empty()) {
      contact::Mesh mesh = contact::make_mesh(given.nodes, given.facets, given.radius, findings);
      judge(mesh, findings);
      return mesh;
    }
    try {
      const std::string path = mesh_path(deck, surface_);
      std::string contents;
      MeshFile file = read_mesh_file(path, contents);
      files_.push_back({path, {contents.size(), digest_of(contents)}});
      for (Vec3& node : file.nodes)
        node = surface_.at + surface_.axes * (surface_.scale * node);
      contact::Mesh mesh = contact::make_mesh(std::move(file.nodes), file.facets, given.radius, findings);
      judge(mesh, findings);
      return mesh;
    } catch (const MeshFileError& bad) {
      error("cannot be read", {bad.what(), "paths that are relative start at the folder of the deck"});
      return {};
    }
  }

private:
  void error(const std::string& what, std::vector<std::string> notes) {
    diagnostics_.error(surface_.where, "the mesh of surface '" + surface_.name + "' " + what, std::move(notes));
  }
  void warn(const std::string& what, std::vector<std::string> notes) {
    diagnostics_.warning(surface_.where, "the mesh of surface '" + surface_.name + "' " + what, std::move(notes));
  }
  static std::string edge_text(const std::array<int, 2>& edge) {
    return formatted("between nodes %d and %d", edge[0] + 1, edge[1] + 1);
  }

  void judge(const contact::Mesh& mesh, const contact::MeshFindings& f) {
    if (!f.bad_nodes.empty() || !f.bad_facets.empty()) {
      error("has " + counted(f.bad_nodes.size(), "node that is", "nodes that are") + " not finite, and " +
                counted(f.bad_facets.size(), "facet", "facets") + " on such nodes or on some that are not there",
            {"check the file and 'scale'"});
      return;
    }
    if (mesh.facets.empty()) {
      error("has no facet with an area", {"expected triangles or quadrilaterals"});
      return;
    }
    if (const std::size_t n = f.degenerate_facets.size(); n > 0)
      warn("has " + counted(n, "facet", "facets") + " without area, which " + (n == 1 ? "is" : "are") + " left out",
           {formatted("the first is facet %d", f.degenerate_facets.front() + 1)});
    judge_sides(f);
    if (!f.open.empty())
      warn("is open: " + counted(f.open.size(), "edge has", "edges have") + " one facet only",
           {"the first is " + edge_text(f.open.front()),
            "it is touched on the side of its normals, and what is far behind it is not kept off"});
    if (!f.non_manifold.empty())
      warn("has " + counted(f.non_manifold.size(), "edge", "edges") + " of more than two facets",
           {"the first is " + edge_text(f.non_manifold.front()), "inside and outside are not told apart there"});
  }

  /// Normals must agree, and point where the deck says.
  void judge_sides(const contact::MeshFindings& f) {
    if (!f.turned.empty())
      error("has neighbours that point to opposite sides, at " + counted(f.turned.size(), "edge", "edges"),
            {"the first is " + edge_text(f.turned.front()),
             "expected nodes of all facets to run against the clock, seen from where they are touched"});
    else if (f.closed() && f.inward != surface_.inside)
      error(f.inward ? formatted("has facets that point inward: its volume is %.3g m³", f.volume)
                     : "has facets that point outward, but it is to be touched from inside",
            {std::string("expected nodes to run against the clock, seen from where they are touched: reverse their "
                         "order") +
             (f.inward ? ", or take 'inside: true' if it is a room" : ", or leave out 'inside'")});
  }

  const deck::Surface& surface_;
  deck::Diagnostics& diagnostics_;
  std::vector<ReferredFile>& files_;
};

} // namespace

contact::Geometry loaded_geometry(const deck::Deck& deck, const deck::Surface& surface, deck::Diagnostics& diagnostics,
                                  std::vector<ReferredFile>& files) {
  const auto* mesh = std::get_if<contact::Mesh>(&surface.geometry);
  return mesh == nullptr ? surface.geometry : MeshLoader(surface, diagnostics, files).load(deck, *mesh);
}

} // namespace emmy
