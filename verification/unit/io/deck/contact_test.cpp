/// The section `contact`: surfaces, how they touch, and what goes with it.
#include "verification/unit/io/deck/support.hpp"

#include <cmath>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

const std::string bodies = R"(parameters: {r: 0.1}
bodies:
  ball: {sphere: r, mass: 1, position: [0, 0, 1]}
  box: {box: [1, 2, 3], mass: 1, position: [5, 0, 2]}
  dot: {formulation: point, mass: 1, position: [9, 0, 1]}
  block: {mass: 1, inertia: [1, 1, 1], formulation: director, position: [20, 0, 0]}
)";

Contact contact_of(const std::string& entries) {
  return read_good(bodies + "contact:\n" + entries + integrator).contact;
}

Surface surface_of(const std::string& entries) {
  return contact_of("  surfaces:\n    it: " + entries + "\n").surfaces.at(0);
}

std::vector<std::string> names_of(const Contact& contact) {
  std::vector<std::string> names;
  for (const Surface& surface : contact.surfaces)
    names.push_back(surface.name);
  return names;
}

using Names = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(ContactEntries)

BOOST_AUTO_TEST_CASE(a_deck_without_contact_has_no_surfaces) {
  BOOST_TEST(read_good(bodies + integrator).contact.surfaces.empty());
}

BOOST_AUTO_TEST_CASE(solids_of_bodies_are_surfaces_unless_there_are_others) {
  BOOST_TEST((names_of(read_good(bodies + "contact:\n" + integrator).contact) == Names{"ball", "box"}));
  BOOST_TEST((names_of(contact_of("  surfaces: {floor: {on: ground, half_space: z}}\n")) == Names{"floor"}));
  BOOST_TEST((names_of(contact_of("  bodies: all\n  surfaces: {floor: {on: ground, half_space: z}}\n")) ==
              Names{"ball", "box", "floor"}));
  const Contact one = contact_of("  bodies: [box]\n");
  BOOST_TEST_REQUIRE(one.surfaces.size() == 1U);
  BOOST_TEST(one.surfaces[0].body == 1);
  BOOST_TEST((std::get<contact::Box>(one.surfaces[0].geometry).half == Vec3(0.5, 1, 1.5)));
  BOOST_TEST(!std::get<contact::Box>(one.surfaces[0].geometry).inside);
  BOOST_TEST(std::get<contact::Sphere>(contact_of("  bodies: ball\n").surfaces[0].geometry).radius == 0.1);
}

BOOST_AUTO_TEST_CASE(every_kind_of_surface_sits_where_it_is_put) {
  const std::string placed = ", at: [1, 2, 3], orientation: {axis: z, angle: pi/2}}";
  const Vec3 at(1, 2, 3);
  const double rounding = 1e-15;
  const auto sphere = std::get<contact::Sphere>(surface_of("{on: ball, sphere: 2*r" + placed).geometry);
  BOOST_TEST((sphere.centre == at && sphere.radius == 0.2));
  const auto shell = std::get<contact::Shell>(surface_of("{on: ground, shell: 4" + placed).geometry);
  BOOST_TEST((shell.centre == at && shell.radius == 4));
  const auto plane = std::get<contact::HalfSpace>(surface_of("{on: ground, half_space: [2, 0, 0]" + placed).geometry);
  BOOST_TEST((plane.normal - Vec3::UnitY()).norm() <= rounding);
  BOOST_TEST(std::abs(plane.offset - 2) <= 4 * rounding);
  const auto room = std::get<contact::Box>(surface_of("{on: box, box: [2, 4, 6], inside: true" + placed).geometry);
  BOOST_TEST((room.centre == at && room.half == Vec3(1, 2, 3) && room.inside));
  BOOST_TEST((room.axes.col(0) - Vec3::UnitY()).norm() <= rounding);
  const auto rod =
      std::get<contact::Capsule>(surface_of("{on: box, capsule: [[-1, 0, 0], [1, 0, 0]], radius: r" + placed).geometry);
  BOOST_TEST((rod.a - Vec3(1, 1, 3)).norm() <= 4 * rounding);
  BOOST_TEST((rod.b - Vec3(1, 3, 3)).norm() <= 4 * rounding);
  BOOST_TEST(rod.radius == 0.1);
  const auto nodes =
      std::get<contact::NodeSet>(surface_of("{on: box, nodes: [[1, 0, 0]], radius: r" + placed).geometry);
  BOOST_TEST((nodes.at.at(0) - Vec3(1, 3, 3)).norm() <= 4 * rounding);
  BOOST_TEST(nodes.radius == 0.1);
  const auto mesh = std::get<contact::Mesh>(
      surface_of(
          "{on: box, mesh: {nodes: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], facets: [[1, 2, 3], [1, 2, 4, 3]]}" +
          placed)
          .geometry);
  BOOST_TEST((mesh.nodes.at(1) - Vec3(1, 3, 3)).norm() <= 4 * rounding);
  BOOST_TEST((mesh.facets.at(0) == std::array<int, 4>{0, 1, 2, -1}));
  BOOST_TEST((mesh.facets.at(1) == std::array<int, 4>{0, 1, 3, 2}));
  const Surface file = surface_of("{on: box, mesh: {file: part.stl, scale: 0.001}" + placed);
  BOOST_TEST(file.mesh_file == "part.stl");
  BOOST_TEST(file.scale == 0.001);
  BOOST_TEST((file.at == at));
}

BOOST_AUTO_TEST_CASE(nodes_on_a_line_are_evenly_spaced_with_both_ends) {
  const auto nodes = std::get<contact::NodeSet>(
      surface_of("{on: block, nodes: {line: [[-0.5, 0, 0], [0.5, 0, 0]], count: 6}}").geometry);
  BOOST_TEST_REQUIRE(nodes.at.size() == 6U);
  for (int i = 0; i < 6; ++i)
    BOOST_TEST((nodes.at[static_cast<std::size_t>(i)] - Vec3(-0.5 + 0.2 * i, 0, 0)).norm() <=
               2e-16); // two roundings of 0.5
  BOOST_TEST(nodes.radius == 0);
}

BOOST_AUTO_TEST_CASE(point_masses_carry_spheres_and_nodes_at_their_centre) {
  BOOST_TEST(surface_of("{on: dot, sphere: 0.2}").body == 2);
  BOOST_TEST(surface_of("{on: dot, nodes: [[0, 0, 0]], radius: 0.1}").body == 2);
}

BOOST_AUTO_TEST_CASE(pairs_name_surfaces_bodies_groups_and_copies) {
  const Contact contact = read_good(R"(bodies:
  ball: {sphere: 0.1, mass: 1, position: [i, 0, 1], repeat: {i: 3}}
  box: {box: [1, 1, 1], mass: 1, position: [0, 5, 1]}
contact:
  bodies: all
  surfaces:
    floor: {on: ground, half_space: z}
    tip: {on: box, sphere: 0.1, at: [0, 0, 0.6]}
    cap: {on: ball, sphere: 0.05, at: [0, 0, 0.1], repeat: {k: 3}}
  material: {restitution: 0.5}
  groups: {ends: [tip, ball2], all: [ends, floor]}
  exclude: [[cap, box], [tip, ball1]]
  pairs:
    a: {between: [floor, ball], restitution: 0.25}
    b: {between: [ground, tip]}
    c: {between: [all, ball3]}
    d: {between: [box, ball2], restitution: 1}
    e: {between: [box, ball1]}
)" + integrator)
                              .contact;
  // ball1, ball2, ball3, box, floor, tip, cap1, cap2, cap3
  BOOST_TEST_REQUIRE(contact.pairs.size() == 5U);
  const auto side = [&](std::size_t pair, std::size_t i) { return contact.pairs[pair].between[i]; };
  BOOST_TEST((side(0, 1).surfaces == std::vector<int>{0, 1, 2, 6, 7, 8})); // copies of the body, with all they carry
  BOOST_TEST(side(0, 1).narrowness == 0);
  BOOST_TEST((side(0, 0).surfaces == std::vector<int>{4}));
  BOOST_TEST(side(0, 0).narrowness == 2);
  BOOST_TEST((side(1, 0).surfaces == std::vector<int>{4}));
  BOOST_TEST(side(1, 0).narrowness == 1);
  BOOST_TEST((side(2, 0).surfaces == std::vector<int>{1, 4, 5}));
  BOOST_TEST((side(3, 0).surfaces == std::vector<int>{3})); // the solid, which has the name of its body
  BOOST_TEST(contact.pairs[0].material.restitution == 0.25);
  BOOST_TEST(contact.pairs[1].material.restitution == 0.5); // as all others
  BOOST_TEST((contact.excluded.at(0)[0].surfaces == std::vector<int>{6, 7, 8}));
  BOOST_TEST(contact.surfaces[7].body == 1);
}

BOOST_AUTO_TEST_CASE(settings_have_the_defaults_that_are_documented) {
  const Contact usual = contact_of("  bodies: all\n");
  BOOST_TEST(usual.material.restitution == 1);
  BOOST_TEST(usual.material.friction == 0);
  BOOST_TEST(usual.overlap == "error");
  BOOST_TEST(usual.stabilise);
  BOOST_TEST(usual.arms == "common");
  BOOST_TEST(!usual.only_pairs);
  BOOST_TEST(!usual.jointed);
  BOOST_TEST(usual.solver.method == "auto");
  BOOST_TEST(usual.solver.tolerance == 1e-8);
  BOOST_TEST(usual.solver.most_applications == 2000);
  BOOST_TEST(usual.solver.not_converged == "warn");
  const Deck deck = read_good(bodies + R"(contact:
  overlap: keep
  stabilise: false
  arms: printed
  jointed: include
  material: {friction: 0, tangential_restitution: 0}
  solver: {method: constraint_planes, class: fast, tolerance: 1e-10, most_applications: 50, not_converged: stop}
integrator: {step: 0.01, end: 1, events: located, rotation: exponential}
)");
  BOOST_TEST(deck.contact.overlap == "keep");
  BOOST_TEST(!deck.contact.stabilise);
  BOOST_TEST(deck.contact.arms == "printed");
  BOOST_TEST(deck.contact.jointed);
  BOOST_TEST(deck.contact.solver.method == "constraint_planes");
  BOOST_TEST(deck.contact.solver.fast);
  BOOST_TEST(deck.contact.solver.tolerance == 1e-10);
  BOOST_TEST(deck.contact.solver.most_applications == 50);
  BOOST_TEST(deck.contact.solver.not_converged == "stop");
  BOOST_TEST(deck.integrator.located);
  BOOST_TEST(deck.integrator.exponential);
  BOOST_TEST(!read_good(bodies + "contact:\n" + integrator).integrator.located);
}

BOOST_AUTO_TEST_CASE(overrides_reach_into_contact) {
  const std::string text = bodies + "contact: {surfaces: {floor: {on: ground, half_space: z}}}\n" + integrator;
  const Contact contact = read_good(text, {"contact.material.restitution=0.5", "contact.surfaces.floor.at=[0, 0, -1]",
                                           "contact.bodies=all"})
                              .contact;
  BOOST_TEST(contact.material.restitution == 0.5);
  BOOST_TEST(std::get<contact::HalfSpace>(contact.surfaces.at(2).geometry).offset == -1);
}

BOOST_AUTO_TEST_SUITE_END()
