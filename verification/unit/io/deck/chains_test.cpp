/// Chains of links: what they contain after reading, and that links are bodies to everything else.
#include "verification/unit/io/deck/support.hpp"

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::deck;
using namespace emmy::deck::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Two links in a plane of their own, the second turning.
const std::string arm = R"(
chains:
  arm:
    pivot: [1, 2, 3]
    down: [0, 0, -2]
    across: y
    links:
      upper: {length: 2, mass: 6, angle: pi/2, angular_velocity: 3}
      lower: {length: 1, mass: 4, centre: 0.25, inertia: 0.5, angle: 5*pi, angular_velocity: -2, markers: {tip: [1, 2, 0]}}
)";

bool is_near(const Vec3& a, const Vec3& b) {
  return (a - b).norm() <= 30 * eps * 16; // some thirty roundings, angles of size 16
}

} // namespace

BOOST_AUTO_TEST_SUITE(Chains)

BOOST_AUTO_TEST_CASE(a_chain_has_a_plane_and_links_that_are_rods_by_default) {
  const Deck deck = read_good(arm + integrator);
  BOOST_TEST_REQUIRE(deck.chains.size() == 1U);
  const Chain& chain = deck.chains[0];
  BOOST_TEST(chain.name == "arm");
  BOOST_TEST(chain.where.line == 3);
  BOOST_TEST((chain.pivot == Vec3(1, 2, 3)));
  BOOST_TEST((chain.down == -Vec3::UnitZ()));
  BOOST_TEST((chain.across == Vec3::UnitY()));
  BOOST_TEST_REQUIRE(chain.links.size() == 2U);
  const Link &upper = chain.links[0], &lower = chain.links[1];
  BOOST_TEST(upper.body == 0);
  BOOST_TEST(upper.length == 2.0);
  BOOST_TEST(upper.centre == 1.0);
  BOOST_TEST(upper.inertia == 2.0); // 6 * 2² / 12
  BOOST_TEST(upper.angular_velocity == 3.0);
  BOOST_TEST(lower.body == 1);
  BOOST_TEST(lower.centre == 0.25);
  BOOST_TEST(lower.inertia == 0.5);
  BOOST_TEST(lower.angle == 5 * std::acos(-1.0)); // whole turns are kept
  const Chain simple = read_good("chains: {c: {links: {rod: {length: 1, mass: 1}}}}\n" + integrator).chains[0];
  BOOST_TEST((simple.down == -Vec3::UnitY()));
  BOOST_TEST((simple.across == Vec3::UnitX()));
  BOOST_TEST((simple.pivot == Vec3::Zero()));
}

// The normal is down x across = (1, 0, 0); the upper link lies along y, the lower one points up.
BOOST_AUTO_TEST_CASE(links_are_bodies_placed_by_their_angles) {
  const Deck deck = read_good("bodies:\n  ball: {sphere: 1, mass: 1}\n" + arm + integrator);
  BOOST_TEST_REQUIRE(deck.bodies.size() == 3U);
  BOOST_TEST(deck.chains[0].links[0].body == 1);
  const Body &upper = deck.bodies[1], &lower = deck.bodies[2];
  BOOST_TEST(upper.name == "upper");
  BOOST_TEST(upper.formulation == "planar_chain");
  BOOST_TEST(upper.mass == 6.0);
  BOOST_TEST(is_near(upper.position, {1, 3, 3}));
  BOOST_TEST(is_near(upper.orientation * Vec3::UnitX(), Vec3::UnitY()));
  BOOST_TEST(is_near(upper.orientation * Vec3::UnitZ(), Vec3::UnitX()));
  BOOST_TEST(is_near(upper.velocity, {0, 0, 3}));
  BOOST_TEST(is_near(upper.angular_velocity, {3, 0, 0}));
  BOOST_TEST_REQUIRE(upper.fixed_point.has_value());
  BOOST_TEST((*upper.fixed_point == Vec3(-1, 0, 0)));
  BOOST_TEST(!lower.fixed_point.has_value());
  BOOST_TEST(is_near(lower.position, {1, 4, 3.25}));
  BOOST_TEST(is_near(lower.orientation * Vec3::UnitX(), Vec3::UnitZ()));
  BOOST_TEST(is_near(lower.velocity, {0, 0.5, 6})); // (-2, 0, 0) x (0, 0, 0.25), and that of the joint
  BOOST_TEST_REQUIRE(lower.markers.size() == 3U);
  BOOST_TEST((lower.markers[0].at == Vec3(-0.25, 0, 0)));
  BOOST_TEST((lower.markers[1].at == Vec3(0.75, 0, 0)));
  BOOST_TEST((lower.markers[2].at == Vec3(1, 2, 0)));
}

BOOST_AUTO_TEST_CASE(everything_that_takes_a_body_takes_a_link) {
  const Deck deck = read_good(arm + R"(
joints:
  rope: {type: distance, between: [ground, lower], at: {first: [5, 5, 5], second: lower.end}}
forces:
  coil: {type: spring, between: [[0, 0, 0], upper.end], stiffness: 800}
  push: {type: force, body: lower, at: lower.tip, value: [0, 1, 0]}
output: {bodies: [lower], points: [lower.end]}
)" + integrator,
                              {"chains.arm.links.lower.mass=5", "chains.arm.pivot=[0, 0, 0]"});
  BOOST_TEST(deck.bodies[1].mass == 5.0);
  BOOST_TEST(is_near(deck.bodies[0].position, {0, 1, 0}));
  BOOST_TEST(deck.joints[0].between[1] == 1);
  BOOST_TEST((deck.forces[0].ends[1].at == Vec3(1, 0, 0)));
  BOOST_TEST(deck.forces[1].body == 1);
  BOOST_TEST(deck.output.points[0].name == "lower.end");
  BOOST_TEST(deck.output.bodies.names[0] == "lower");
}

// To four digits, as for other typed directions; then made exact.
BOOST_AUTO_TEST_CASE(almost_perpendicular_directions_are_made_so) {
  const Chain chain =
      read_good("chains: {c: {across: [1, 5e-4, 0], links: {rod: {length: 1, mass: 1}}}}\n" + integrator).chains[0];
  BOOST_TEST(std::abs(chain.across.dot(chain.down)) <= eps);
  BOOST_TEST(std::abs(chain.across.norm() - 1) <= 2 * eps);
}

BOOST_AUTO_TEST_SUITE_END()
