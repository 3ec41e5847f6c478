#include "contact/surfaces/mesh_index.hpp"
#include "verification/support/compare.hpp"
#include "verification/unit/contact/random_shapes.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::contact;
using namespace emmy::test;

namespace {

using Facet = std::array<int, 4>;

const std::vector<Vec3> cube_nodes{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
const std::vector<Facet> cube_sides{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

std::vector<Facet> turned(std::vector<Facet> facets) {
  for (Facet& facet : facets)
    std::reverse(facet.begin(), facet.begin() + static_cast<std::ptrdiff_t>(corners_of(facet)));
  return facets;
}

/// A prism on the L of three squares, one high.
Mesh l_shape() {
  const std::vector<Eigen::Vector2d> outline{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  std::vector<Vec3> nodes;
  for (const double z : {0, 1})
    for (const Eigen::Vector2d& x : outline)
      nodes.emplace_back(x.x(), x.y(), z);
  std::vector<Facet> facets{{6, 7, 8, 9}, {6, 9, 10, 11}, {3, 2, 1, 0}, {5, 4, 3, 0}};
  for (int i = 0; i < 6; ++i)
    facets.push_back({i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
  MeshFindings findings;
  Mesh mesh = make_mesh(nodes, facets, 0, findings);
  BOOST_TEST(findings.closed());
  BOOST_TEST(agree("volume", findings.volume, 3, 100 * eps));
  return mesh;
}

bool in_l_shape(const Vec3& p) {
  const auto in = [&](double x, double y) { return p.x() > 0 && p.x() < x && p.y() > 0 && p.y() < y; };
  return p.z() > 0 && p.z() < 1 && (in(2, 1) || in(1, 2));
}

double distance_to_facets(const Mesh& mesh, const Vec3& p) {
  double least = 1e300;
  for (const Facet& facet : mesh.facets) {
    const auto x = [&](std::size_t i) { return mesh.nodes[static_cast<std::size_t>(facet[i])]; };
    const double squared = facet[3] < 0 ? closest_on_triangle(p, {x(0), x(1), x(2)}).distance_squared
                                        : closest_on_quad(p, {x(0), x(1), x(2), x(3)}).distance_squared;
    least = std::min(least, std::sqrt(squared));
  }
  return least;
}

/// n x n squares of a metre in the plane z = 0, seen from above.
Mesh sheet(int n) {
  std::vector<Vec3> nodes;
  std::vector<Facet> facets;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      nodes.emplace_back(i, j, 0);
      const int node = j * (n + 1) + i;
      if (i < n && j < n)
        facets.push_back({node, node + 1, node + n + 2, node + n + 1});
    }
  MeshFindings findings;
  Mesh mesh = make_mesh(nodes, facets, 0, findings);
  BOOST_TEST(findings.open.size() == 4u * static_cast<std::size_t>(n));
  return mesh;
}

} // namespace

BOOST_AUTO_TEST_SUITE(MeshOf)

BOOST_AUTO_TEST_CASE(a_cube_has_each_edge_once_and_is_closed) {
  MeshFindings findings;
  const Mesh mesh = make_mesh(cube_nodes, cube_sides, 0, findings);
  BOOST_TEST(mesh.edges.size() == 12u);
  BOOST_TEST(findings.closed());
  BOOST_TEST(!findings.inward);
  BOOST_TEST(agree("volume", findings.volume, 1, 20 * eps));
  BOOST_TEST(mesh.index->solid());
  BOOST_TEST(thickness(mesh) == 1);
  BOOST_TEST(agree("reach", reach(mesh), std::sqrt(3), 4 * eps));
  std::vector<const SharpEdge*> edges;
  mesh.index->sharp_edges_near(Vec3::Zero(), Vec3::Ones(), edges);
  BOOST_TEST(edges.size() == 12u);
}

BOOST_AUTO_TEST_CASE(diagonals_of_flat_sides_do_not_stick_out) {
  const Mesh mesh = box_mesh({}, Facets::triangles);
  BOOST_TEST(mesh.edges.size() == 18u);
  std::vector<const SharpEdge*> edges;
  mesh.index->sharp_edges_near(Vec3::Constant(-2), Vec3::Constant(2), edges);
  BOOST_TEST(edges.size() == 12u);
}

BOOST_AUTO_TEST_CASE(facets_that_look_inwards_are_told) {
  MeshFindings findings;
  const Mesh mesh = make_mesh(cube_nodes, turned(cube_sides), 0, findings);
  BOOST_TEST(findings.closed());
  BOOST_TEST(findings.inward);
  BOOST_TEST(agree("volume", findings.volume, -1, 20 * eps));
  BOOST_TEST(!mesh.index->solid());
}

BOOST_AUTO_TEST_CASE(open_edges_and_turned_facets_are_told) {
  MeshFindings open, wrong;
  make_mesh(cube_nodes, {cube_sides.begin(), cube_sides.end() - 1}, 0, open);
  BOOST_TEST(open.open.size() == 4u);
  BOOST_TEST((open.open[0] == std::array<int, 2>{4, 5}));
  BOOST_TEST(!open.closed());
  std::vector<Facet> sides = cube_sides;
  std::swap(sides[0][1], sides[0][3]);
  make_mesh(cube_nodes, sides, 0, wrong);
  BOOST_TEST(wrong.turned.size() == 4u);
  BOOST_TEST(wrong.open.empty());
  BOOST_TEST(!wrong.closed());
}

BOOST_AUTO_TEST_CASE(edges_of_more_than_two_facets_are_told) {
  MeshFindings findings;
  make_mesh({{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}, {{0, 1, 2, -1}, {0, 1, 3, -1}, {0, 1, 4, -1}}, 0,
            findings);
  BOOST_REQUIRE(findings.non_manifold.size() == 1u);
  BOOST_TEST((findings.non_manifold[0] == std::array<int, 2>{0, 1}));
}

BOOST_AUTO_TEST_CASE(facets_without_area_or_with_bad_nodes_are_dropped_and_told) {
  MeshFindings findings;
  const double nan = std::nan("");
  const Mesh mesh = make_mesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {nan, 0, 0}},
                              {{0, 1, 2, -1},  // on a line
                               {0, 1, 3, 3},   // a triangle
                               {0, 0, 3, -1},  // a line
                               {0, 1, 4, -1},  // nan
                               {0, 1, 9, -1},  // not there
                               {0, -5, 1, -1}, // neither
                               {1, 2, 3, -1}},
                              0, findings);
  BOOST_TEST(mesh.facets.size() == 2u);
  BOOST_TEST((mesh.facets[0] == Facet{0, 1, 3, -1}));
  BOOST_TEST((findings.degenerate_facets == std::vector<int>{0, 2}));
  BOOST_TEST((findings.bad_facets == std::vector<int>{3, 4, 5}));
  BOOST_TEST((findings.bad_nodes == std::vector<int>{4}));
}

BOOST_AUTO_TEST_CASE(nothing_is_empty_and_touches_nothing) {
  MeshFindings findings;
  const Geometry empty = make_mesh({}, {}, 0, findings), ball = Sphere{Vec3::Zero(), 1};
  BOOST_TEST(!can_meet(empty, ball));
  BOOST_TEST(points_of(scene_of(empty, ball), {}, {}, 1).empty());
  BOOST_TEST(points_of(scene_of(Mesh{}, ball), {}, {}, 1).empty());
}

BOOST_AUTO_TEST_CASE(copies_share_their_trees) {
  const Mesh mesh = sheet(3), copy = mesh;
  BOOST_TEST(mesh.index.get() == copy.index.get());
}

BOOST_AUTO_TEST_CASE(nearest_points_of_a_solid_have_the_sign_of_in_and_out) {
  const Mesh mesh = l_shape();
  Random random(41);
  int inside = 0, outside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p = Vec3(1, 1, 0.5) + random.vector(1.5);
    const double expected = distance_to_facets(mesh, p);
    Touch touch;
    const bool found = mesh.index->nearest(mesh, p, 0.3, touch);
    BOOST_TEST(found == (in_l_shape(p) || expected <= 0.3));
    if (!found)
      continue;
    BOOST_TEST(agree("distance", touch.distance, in_l_shape(p) ? -expected : expected, 20 * eps));
    BOOST_TEST(agree("point", touch.at + touch.distance * touch.normal, p, 20 * eps));
    (in_l_shape(p) ? inside : outside) += 1;
  }
  BOOST_TEST(inside > 200);
  BOOST_TEST(outside > 200);
}

BOOST_AUTO_TEST_CASE(thickness_is_that_of_the_thinnest_wall) {
  BOOST_TEST(agree("L", thickness(l_shape()), 1, 20 * eps));
  // A hollow cube: the inner sides look into the hollow.
  std::vector<Vec3> nodes = cube_nodes;
  for (const Vec3& x : cube_nodes)
    nodes.push_back(Vec3::Constant(0.5) + 0.9 * (x - Vec3::Constant(0.5)));
  std::vector<Facet> facets = cube_sides;
  for (Facet facet : turned(cube_sides)) {
    for (int& node : facet)
      node += 8;
    facets.push_back(facet);
  }
  MeshFindings findings;
  const Mesh hollow = make_mesh(nodes, facets, 0, findings);
  BOOST_TEST(!findings.inward);
  BOOST_TEST(agree("volume", findings.volume, 1 - 0.729, 100 * eps));
  BOOST_TEST(agree("hollow", thickness(hollow), 0.05, 20 * eps));
  Touch touch;
  BOOST_REQUIRE(hollow.index->nearest(hollow, Vec3(0.5, 0.5, 0.06), 0.1, touch));
  BOOST_TEST(agree("in the hollow", touch.distance, 0.01, 20 * eps));
}

BOOST_AUTO_TEST_CASE(sheets_are_touched_from_the_side_of_their_normals) {
  const Mesh mesh = sheet(4);
  Touch touch;
  BOOST_REQUIRE(mesh.index->nearest(mesh, {1.3, 2.2, 0.1}, 0.2, touch));
  BOOST_TEST(agree("above", touch.distance, 0.1, 4 * eps));
  BOOST_TEST(touch.facet == 9);
  BOOST_TEST(!mesh.index->nearest(mesh, {1.3, 2.2, 0.3}, 0.2, touch));
  BOOST_REQUIRE(mesh.index->nearest(mesh, {1.3, 2.2, -0.9}, 0.2, touch)); // edges are a metre long
  BOOST_TEST(agree("behind", touch.distance, -0.9, 4 * eps));
  BOOST_TEST(touch.normal == Vec3::UnitZ());
  BOOST_TEST(!mesh.index->nearest(mesh, {1.3, 2.2, -1.1}, 0.2, touch));
  BOOST_REQUIRE(mesh.index->nearest(mesh, {-0.03, 2.2, -0.04}, 0.2, touch)); // at the rim
  BOOST_TEST(agree("rim", touch.distance, 0.05, 4 * eps));
  BOOST_TEST(agree("rim", touch.normal, Vec3(-0.6, 0, -0.8), 40 * eps));
  BOOST_REQUIRE(mesh.index->nearest(mesh, {2, 2, 0}, 0.2, touch)); // on a node
  BOOST_TEST(touch.distance == 0);
  BOOST_TEST(touch.normal == Vec3::UnitZ());
}

BOOST_AUTO_TEST_SUITE_END()
