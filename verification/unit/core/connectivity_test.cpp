#include "core/connectivity.hpp"
#include "elements/bodies/affine.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "verification/support/checks.hpp"

#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(ConnectivityMaps)

BOOST_AUTO_TEST_CASE(the_ground_is_upright_at_the_origin_and_has_no_unknowns) {
  const Ground ground;
  BOOST_TEST(ground.fixed());
  BOOST_TEST(ground.unknowns() == 0);
  const State state;
  const VecX none;
  PortMotion m;
  ground.move({state, 0.1, 10, none, none}, m);
  Vec12 upright, q, q_dot;
  upright << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  ground.at(state, q, q_dot);
  BOOST_TEST((m.q_n == upright));
  BOOST_TEST((m.q_n1 == upright));
  BOOST_TEST((q == upright));
  BOOST_TEST((q_dot == Vec12::Zero()));
  BOOST_TEST(m.P_bar.cols() == 0);
  BOOST_TEST(m.D.cols() == 0);
}

// [F4], [F7] for every kind of body, to the figure of the theory; the numbers of the trials are of size one.
BOOST_AUTO_TEST_CASE(ports_move_by_the_secant_map_times_the_increment) {
  Random random(41);
  for (const BodyMaker& maker : body_makers())
    for (const StepSize& size : step_sizes())
      for (int repeat = 0; repeat < 20; ++repeat) {
        Model model;
        const Body& body = maker.add(model, "body", 1, random.inertia());
        const Trial trial = random_trial(model, size, random);
        PortMotion m;
        model.ports()[static_cast<std::size_t>(body.port())]->move(trial.step(), m);
        BOOST_TEST_CONTEXT(maker.name << ", " << size.name << " step")
        BOOST_TEST(agree("[F4]", Vec12(m.q_n1 - m.q_n), Vec12(m.P_bar * trial.z), 1e-14));
      }
}

BOOST_AUTO_TEST_CASE(a_body_point_is_linear_in_the_port) {
  Random random(42);
  const Mat3 Q = random.triad();
  const Vec3 x = random.vector(), r = random.vector();
  Vec12 q;
  q << x, Q.col(0), Q.col(1), Q.col(2);
  // Four products of numbers of size one.
  BOOST_TEST(agree("point", body_point(0, r).of(q), Vec3(x + Q * r), 4 * eps * 2));
  BOOST_TEST(agree("direction", body_direction(0, r).of(q), Vec3(Q * r), 4 * eps * 2));
  BOOST_TEST(body_point(3, r).port == 3);
  BOOST_TEST(body_direction(3, r).port == 3);
}

// The three ways to read the weights of a natural variable are one linear map: rows(map) z = of(map z), and the force
// on a port is the transpose: r . of(q) = port force . q.
BOOST_AUTO_TEST_CASE(rows_and_port_forces_are_the_map_and_its_transpose) {
  Random random(43);
  const NaturalVariable v = body_point(0, random.vector());
  const Vec12 q = random.numbers(12);
  PortMap map(12, 6);
  for (Index j = 0; j < 6; ++j)
    map.col(j) = random.numbers(12);
  const VecX z = random.numbers(6);
  // Some thirty products of numbers below one.
  BOOST_TEST(agree("rows", Vec3(v.rows(map) * z), v.of(Vec12(map * z)), 30 * eps));
  const Vec3 r = random.vector();
  Vec12 force = Vec12::Ones(); // it adds
  v.add_to_port(r, force);
  BOOST_TEST(agree("transpose", (force - Vec12::Ones()).dot(q), r.dot(v.of(q)), 30 * eps));
}

BOOST_AUTO_TEST_CASE(a_port_of_too_many_unknowns_is_refused) {
  const AffineConnectivity::Weights any = AffineConnectivity::Weights::Zero(4, 8);
  const std::vector<Node> eight(8), nine(9); // points of three unknowns: 24 and 27
  BOOST_CHECK_NO_THROW(AffineConnectivity(eight, any));
  BOOST_CHECK_THROW(AffineConnectivity(nine, any), std::length_error);
}

// Where the map is constant nothing turns with the unknowns.
BOOST_AUTO_TEST_CASE(a_constant_map_has_no_geometric_term) {
  Random random(44);
  Model model;
  const SpringTetra& body = SpringTetra::add_to(model, "body", 1, random.inertia());
  const Trial trial = random_trial(model, step_sizes()[2], random);
  const Connectivity& port = *model.ports()[static_cast<std::size_t>(body.port())];
  PortMotion m;
  port.move(trial.step(), m);
  MatX k = MatX::Zero(12, 12);
  port.add_geometric(trial.step(), m, random.numbers(12), k);
  BOOST_TEST((k == MatX::Zero(12, 12)));
}

BOOST_AUTO_TEST_SUITE_END()
