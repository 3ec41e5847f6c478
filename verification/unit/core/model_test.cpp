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
  Idle(Index multipliers, Index history)
      : Element("idle", "idle element", {}, {},
                {ConstraintRows::equations(multipliers), history, Nonlinear::in_displacements, Rates::by_integrator}) {}
  void evaluate(const MovedStep&, LocalSystem&) const override {}
  void add_magnitude(const MovedStep&, VectorRef) const override {}
  void book(const MovedStep& s, const State& n1, StepBooks& books) const override {
    books.potential += 2;
    books.kinetic += s.z.norm() + static_cast<double>(s.motions.size()) + n1.time;
  }
  std::string row_name(Index) const override { return "nothing"; }
};

/// Holds the centre of a body at x = 0 and x = 1 at once, so that one row is violated one way, one the other.
class Rows final : public Interaction {
public:
  Rows(const Ports& ports, Index port, ConstraintRows rows)
      : Interaction(
            "rows", "rows", ports, {body_point(port, Vec3::Zero())},
            {std::move(rows), no_history, Acts::between_bodies, Forces::of_configuration, Nonlinear::in_turns}) {}
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override {
    for (const int i : {0, 1}) {
      out.phi[i] = s.q_n1[0] - i;
      out.G_bar(i, 0) = 1;
      if (out.tangent)
        out.G(i, 0) = 1;
    }
  }
  std::string row_name(Index) const override { return "row"; }
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

BOOST_AUTO_TEST_CASE(elements_are_known_as_what_they_were_added_as) {
  Model model;
  const FrameBody& body = FrameBody::add_to(model, "a", 2, Mat3::Identity());
  const Idle& idle = model.add(std::make_unique<Idle>(1, 0));
  const Rows& rows = model.add(std::make_unique<Rows>(model.ports(), body.port(), ConstraintRows::equations(2)));
  BOOST_TEST(model.body(body) == &body);
  BOOST_TEST(model.interaction(rows) == &rows);
  BOOST_TEST(model.body(idle) == nullptr);
  BOOST_TEST(model.interaction(idle) == nullptr);
  BOOST_TEST(model.interaction(body) == nullptr);
  BOOST_TEST((model.interactions() == std::vector<const Interaction*>{&rows}));
  for (const auto& element : model.elements())
    BOOST_TEST(model.elements()[static_cast<std::size_t>(element->number())].get() == element.get());
}

// With the body at x = 1/4 the rows are 1/4 and -3/4; all numbers are exact in binary.
BOOST_AUTO_TEST_CASE(the_model_knows_how_constraints_are_enforced_and_books_penalties) {
  const Enforcement penalty{EnforcementMethod::penalty, 8, 0};
  const auto potential = [&](const ConstraintRows& rows, const Enforcement& how) {
    Model model;
    const FrameBody& body = FrameBody::add_to(model, "a", 2, Mat3::Identity());
    const Rows& first = model.add(std::make_unique<Rows>(model.ports(), body.port(), rows));
    const Rows& second = model.add(std::make_unique<Rows>(model.ports(), body.port(), rows), how);
    BOOST_TEST((model.enforcement(first).method == EnforcementMethod::lagrange)); // unless somebody says otherwise
    BOOST_TEST((model.enforcement(second).method == how.method));
    State state = model.rest_state();
    body.set_motion({Vec3(0.25, 0, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    const StepBooks before = model.books_at(state);
    model.enforce(second, Enforcement{});
    BOOST_TEST(model.books_at(state).potential == 0);
    BOOST_TEST(before.strain == 0); // which bodies have
    return before.potential;
  };
  const ConstraintRows equations = ConstraintRows::equations(2);
  const ConstraintRows one_sided = ConstraintRows::one_sided({{1, 0, false}, {1, 1, false}}, 1);
  BOOST_TEST(potential(equations, penalty) == 2.5);  // 8/2 (1/16 + 9/16)
  BOOST_TEST(potential(one_sided, penalty) == 0.25); // 8/2 1/16
  BOOST_TEST(potential(equations, Enforcement{EnforcementMethod::augmented_lagrangian, 8, 0}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
