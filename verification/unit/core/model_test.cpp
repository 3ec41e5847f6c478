#include "core/model.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "verification/support/checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// An element that has multipliers and history and does nothing.
class Idle final : public Element {
public:
  Idle(Index multipliers, Index history) : Element("idle", "idle element", {}, multipliers, history) {}
  void evaluate(const Step&, const PortMotions&, LocalSystem&) const override {}
  void add_magnitude(const Step&, const PortMotions&, VectorRef) const override {}
  void book(const Step& s, const PortMotions& motions, const State& n1, StepBooks& books) const override {
    books.potential += 2;
    books.kinetic += s.z.norm() + static_cast<double>(motions.size()) + n1.time;
  }
  std::string row_name(Index) const override { return "nothing"; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(Models)

BOOST_AUTO_TEST_CASE(a_new_model_has_the_ground_and_nothing_else) {
  const Model model;
  BOOST_TEST(model.ports().size() == 1);
  BOOST_TEST(model.ports()[Model::ground]->fixed());
  BOOST_TEST(model.unknowns() == 0);
  BOOST_TEST(model.values() == 0);
  BOOST_TEST((model.rest_state() == State()));
}

BOOST_AUTO_TEST_CASE(nodes_are_numbered_one_after_the_other) {
  Model model;
  const Node point = model.add_node(NodeKind::point), frame = model.add_node(NodeKind::frame);
  const Node scalar = model.add_node(NodeKind::scalar), director = model.add_node(NodeKind::director);
  BOOST_TEST(point.value == 0);
  BOOST_TEST(point.unknown == 0);
  BOOST_TEST(frame.value == 3);
  BOOST_TEST(frame.unknown == 3);
  BOOST_TEST(scalar.value == 10);
  BOOST_TEST(scalar.unknown == 9);
  BOOST_TEST(director.value == 11);
  BOOST_TEST(director.unknown == 10);
  BOOST_TEST(model.values() == 23);
  BOOST_TEST(model.unknowns() == 22);
  BOOST_TEST(model.nodes().size() == 4);
}

BOOST_AUTO_TEST_CASE(multipliers_and_history_are_numbered_in_the_order_of_joining) {
  Model model;
  const Idle& a = model.add(std::make_unique<Idle>(3, 0));
  const Idle& b = model.add(std::make_unique<Idle>(0, 2));
  const Idle& c = model.add(std::make_unique<Idle>(5, 1));
  BOOST_TEST(a.first_multiplier() == 0);
  BOOST_TEST(b.first_multiplier() == 3);
  BOOST_TEST(c.first_multiplier() == 3);
  BOOST_TEST(a.first_history() == 0);
  BOOST_TEST(b.first_history() == 0);
  BOOST_TEST(c.first_history() == 2);
  BOOST_TEST(model.multipliers() == 8);
  BOOST_TEST(model.history() == 3);
  BOOST_TEST(model.elements().size() == 3);
  BOOST_TEST(model.bodies().empty());
}

BOOST_AUTO_TEST_CASE(bodies_are_listed_among_the_elements_and_on_their_own) {
  Model model;
  const FrameBody& a = FrameBody::add_to(model, "a", 2, Mat3::Identity());
  model.add(std::make_unique<Idle>(1, 0));
  const SpringTetra& b = SpringTetra::add_to(model, "b", 3, Mat3::Identity());
  BOOST_TEST(model.elements().size() == 3);
  BOOST_TEST(model.bodies().size() == 2);
  BOOST_TEST(model.bodies()[0] == &a);
  BOOST_TEST(model.bodies()[1] == &b);
  BOOST_TEST(a.port() == 1);
  BOOST_TEST(b.port() == 2);
  BOOST_TEST(a.unknowns() == 6);
  BOOST_TEST(b.unknowns() == 12); // four nodes
  BOOST_TEST(a.mass() == 2);
}

BOOST_AUTO_TEST_CASE(the_rest_state_is_upright_at_the_origin) {
  Model model;
  const FrameBody& a = FrameBody::add_to(model, "a", 2, Mat3::Identity());
  const FrameBody& b = FrameBody::add_to(model, "b", 2, Mat3::Identity());
  model.add(std::make_unique<Idle>(4, 2));
  const State state = model.rest_state();
  BOOST_TEST(state.values.size() == 14);
  BOOST_TEST(state.rates.size() == 12);
  BOOST_TEST(state.multipliers.size() == 4);
  BOOST_TEST(state.history.size() == 2);
  BOOST_TEST(state.values.squaredNorm() == 2); // two unit quaternions
  BOOST_TEST(state.rates.norm() + state.multipliers.norm() + state.history.norm() + state.time == 0);
  for (const FrameBody* body : {&a, &b}) {
    BOOST_TEST((body->motion(state).position == Vec3::Zero()));
    BOOST_TEST((body->motion(state).orientation.coeffs() == Vec4(0, 0, 0, 1)));
  }
}

BOOST_AUTO_TEST_CASE(ports_and_nodes_move_to_the_same_configuration) {
  Random random(51);
  Model model;
  for (const BodyMaker& maker : body_makers())
    maker.add(model, maker.name, 1, random.inertia());
  Trial trial = random_trial(model, step_sizes()[3], random);
  PortMotions motions = model.port_motions();
  BOOST_TEST(motions.size() == model.ports().size());
  for (std::size_t p = 0; p < motions.size(); ++p) {
    BOOST_TEST(motions[p].P_bar.cols() == model.ports()[p]->unknowns());
    BOOST_TEST(motions[p].D.cols() == model.ports()[p]->unknowns());
  }
  model.move_ports(trial.step(), motions);
  model.retract_nodes(trial.step(), trial.n1.values);
  for (std::size_t p = 0; p < motions.size(); ++p) {
    Vec12 q_n, q_n1, q_dot;
    model.ports()[p]->at(trial.n, q_n, q_dot);
    model.ports()[p]->at(trial.n1, q_n1, q_dot);
    BOOST_TEST((motions[p].q_n == q_n)); // the same arithmetic
    BOOST_TEST((motions[p].q_n1 == q_n1));
  }
}

BOOST_AUTO_TEST_CASE(books_at_an_instant_are_those_of_a_step_that_does_not_move) {
  Random random(52);
  Model model;
  const FrameBody& body = FrameBody::add_to(model, "a", 2, random.inertia());
  model.add(std::make_unique<Idle>(0, 0));
  State state = random_trial(model, step_sizes()[2], random).n1;
  const BodyMotion m = body.motion(state);
  const Vec3 Omega = m.orientation.conjugate() * m.angular_velocity;
  const StepBooks books = model.books_at(state);
  // Some twenty products of numbers of size ten.
  const double tolerance = 20 * eps * 10;
  BOOST_TEST(books.potential == 2);
  BOOST_TEST(agree("kinetic", books.kinetic,
                   m.velocity.squaredNorm() + Omega.dot(body.inertia() * Omega) / 2 + 2 + state.time, tolerance));
  BOOST_TEST(agree("momentum", books.linear_momentum, Vec3(2 * m.velocity), tolerance));
}

BOOST_AUTO_TEST_SUITE_END()
