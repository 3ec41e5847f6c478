#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

struct Scene {
  explicit Scene(std::uint64_t seed) : random(seed) {
    const double mass = random.mass();
    body = &DirectorBody::add_to(model, "body", mass, random.inertia());
  }
  Random random;
  Model model;
  const DirectorBody* body = nullptr;
};

Mat3 base_vectors(const VecX& q) {
  return Eigen::Map<const Mat3>(q.data() + 3);
}

const BodyMaker& maker(const char* name) {
  for (const BodyMaker& m : body_makers())
    if (m.name == name)
      return m;
  throw std::logic_error("no such body");
}

} // namespace

BOOST_AUTO_TEST_SUITE(DirectorBodies)

BOOST_AUTO_TEST_CASE(body_and_port_pass_the_shared_checks) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 200; seed < 210; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        Scene s(seed);
        Trial trial = random_trial(s.model, size, s.random);
        const Connectivity& port = *s.model.ports()[1];
        BOOST_TEST(s.body->unknowns() == 12);
        BOOST_TEST(s.body->multipliers() == 0);
        BOOST_TEST(check_secant(port, trial, s.random));
        BOOST_TEST(check_energy(*s.body, s.model, trial));
        BOOST_TEST(check_tangent(*s.body, s.model, trial));
        // An iterate that has left the constraint: all but energy and secant still holds.
        trial.z += s.random.numbers(12, 0.1);
        s.model.retract_nodes(trial.step(), trial.n1.values);
        BOOST_TEST(check_port(port, trial, s.random));
        BOOST_TEST(check_tangent(*s.body, s.model, trial));
        BOOST_TEST(check_adds(*s.body, s.model, trial));
        BOOST_TEST(check_magnitude(*s.body, s.model, trial));
        BOOST_TEST(check_row_names(*s.body));
      }
}

// The part of the residual that turns the base vectors is the balance of spatial momentum [D9], the rest is in the
// direction of the strain at the end of the step: neither can make up for the other.
BOOST_AUTO_TEST_CASE(the_residual_is_the_balance_of_spin_and_what_keeps_the_body_rigid) {
  for (const StepSize& size : step_sizes()) {
    Scene s(211);
    Trial t = random_trial(s.model, size, s.random);
    t.n1.rates = 2 * t.z / t.h - t.n.rates;
    s.body->advance(t.moved(s.model), t.n1);
    const BodyMotion before = s.body->motion(t.n), after = s.body->motion(t.n1);
    const auto spin = [&](const BodyMotion& m) {
      return Vec3(m.orientation * (s.body->inertia() * (m.orientation.conjugate() * m.angular_velocity)));
    };
    const Vec3 expected = (spin(after) - spin(before)) / t.h;
    const Mat3 Q_m = base_vectors(t.n.values) + base_vectors(t.z) / 2;
    const auto moment = [&](const Mat3& f) {
      Vec3 sum = Vec3::Zero();
      for (int i = 0; i < 3; ++i)
        sum += Q_m.col(i).cross(f.col(i));
      return sum;
    };
    // Forty roundings of the momenta over h and of the strain, whose size the magnitude knows.
    const double tolerance = 40 * eps * magnitudes(*s.body, s.model, t).tail<9>().maxCoeff();
    BOOST_TEST(agree("[D9]", moment(base_vectors(assemble(*s.body, s.model, t, false).r)), expected, tolerance));

    const Mat3 stretch = 0.1 * (s.random.inertia() - Mat3::Identity());
    Trial strained = t;
    Eigen::Map<Mat3>(strained.z.data() + 3) += base_vectors(t.n1.values) * stretch;
    s.model.retract_nodes(strained.step(), strained.n1.values);
    const Mat3 Q = base_vectors(strained.n1.values), Q_half = (base_vectors(t.n.values) + Q) / 2;
    const Mat3 r = base_vectors(assemble(*s.body, s.model, strained, false).r);
    const Mat3 E = (Q.transpose() * Q - Mat3::Identity()) / 2; // [D2]
    // The moment is orthogonal to every force Q_m Sigma with symmetric Sigma.
    const Mat3 held = Q_half.inverse() * r, along = Q_half.transpose() * r;
    const double alpha = s.body->inertia().trace() / (t.h * t.h);
    BOOST_TEST(agree("work on a stretch", along.trace(), alpha * (Q_half.transpose() * Q_half * E).trace(),
                     100 * eps * magnitudes(*s.body, s.model, strained).tail<9>().maxCoeff()));
    BOOST_TEST(held.norm() > alpha * 0.01);
  }
}

// [D8]: at the solution base vectors turn by the Cayley map of the mean angular velocity, are orthonormal, and momenta
// satisfy [D3]. What is left over after a thousand steps is rounding of one step, not their sum.
BOOST_AUTO_TEST_CASE(a_free_body_keeps_its_shape_energy_and_momenta_in_a_thousand_steps) {
  Model model;
  const Body& body = DirectorBody::add_to(model, "body", 1, Vec3(1, 2, 3).asDiagonal());
  State state = model.rest_state();
  body.set_motion({{1, 2, 3}, Quaternion::Identity(), {0.3, 0.2, -0.1}, {0.5, -1, 1}}, state);
  Ledger ledger;
  ledger.open(model.books_at(state));
  for (int step = 1; step <= 1000; ++step) {
    const Trial t = solve_step(model, state, 0.1).trial;
    ledger.add(model.books(t.moved(model), t.n1));
    const Mat3 Q = base_vectors(t.n1.values), Q_dot = base_vectors(t.n1.rates);
    const Mat3 Q_m = base_vectors(t.n.values) + base_vectors(t.z) / 2;
    const auto spin = [&](const State& at) {
      const BodyMotion m = body.motion(at);
      return Vec3(m.orientation.conjugate() * m.angular_velocity);
    };
    const Vec3 Theta = 0.1 * (spin(t.n) + spin(t.n1)) / 2;
    // Ten products of numbers of size one, solved with a condition number of tens.
    BOOST_TEST(agree("orthonormal", Q.transpose() * Q, Mat3::Identity(), 100 * eps));
    BOOST_TEST(agree("[D3]", Q.transpose() * Q_dot + Q_dot.transpose() * Q, Mat3::Zero(), 100 * eps * 2));
    BOOST_TEST(agree("[D8]", base_vectors(t.z), Q_m * skew(Theta), 100 * eps));
    state = t.n1;
  }
  BOOST_TEST(ledger.energy_scale() > 1);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 1e-12);
  BOOST_TEST(ledger.relative_linear_imbalance() <= 1e-12);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 1e-12);
}

// The two formulations discretise the same equations: jointed bodies under gravity agree step by step to what the
// solver leaves, not merely to the order of the scheme.
BOOST_DATA_TEST_CASE(trajectories_are_those_of_frame_bodies, data::make({false, true}), hinged) {
  const ChainJoint joint = hinged ? ChainJoint::revolute : ChainJoint::spherical;
  const Mechanism frames = hanging_chain(3, joint), directors = hanging_chain(3, joint, maker("director"));
  const double h = 0.05;
  State a = frames.initial, b = directors.initial;
  Ledger ledger;
  ledger.open(directors.model->books_at(b));
  // Increments of size one are solved with a condition number of 3e4 (docs/theory/energy_momentum.md); multipliers are
  // the scale [S1] times them. In two seconds the motion itself magnifies differences little.
  const double tolerance = 3e4 * eps;
  double worst = 0;
  for (int step = 1; step <= 40; ++step) {
    a = solve_step(*frames.model, a, h).trial.n1;
    const Trial t = solve_step(*directors.model, b, h).trial;
    b = t.n1;
    ledger.add(directors.model->books(t.moved(*directors.model), b));
    for (std::size_t i = 0; i < 3; ++i) {
      const BodyMotion of_a = frames.bodies[i]->motion(a), of_b = directors.bodies[i]->motion(b);
      worst = std::max(worst, (of_a.position - of_b.position).norm());
      worst = std::max(worst, (of_a.velocity - of_b.velocity).norm());
      worst = std::max(worst, (of_a.angular_velocity - of_b.angular_velocity).norm());
      worst = std::max(worst, of_a.orientation.angularDistance(of_b.orientation));
    }
    BOOST_TEST(agree("reactions", a.multipliers, b.multipliers, 2 * 12 / (h * h) * tolerance));
  }
  BOOST_TEST(worst <= tolerance);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 40 * 100 * eps);
}

BOOST_AUTO_TEST_CASE(a_motion_that_is_set_is_the_motion_that_is_read) {
  Scene s(212);
  const BodyMotion set = random_motion(s.random, step_sizes()[2]).n;
  State state = s.model.rest_state();
  BOOST_TEST((s.body->motion(state).orientation.coeffs() == Quaternion::Identity().coeffs())); // upright at rest
  s.body->set_motion(set, state);
  const BodyMotion got = s.body->motion(state);
  BOOST_TEST((got.position == set.position));
  BOOST_TEST((got.velocity == set.velocity));
  // To a matrix and back, some ten products of numbers of size one.
  BOOST_TEST(agree("orientation", got.orientation.toRotationMatrix(), set.orientation.toRotationMatrix(), 10 * eps));
  BOOST_TEST(agree("spin", got.angular_velocity, set.angular_velocity, 20 * eps * 2));
}

// [D2]: six conditions, their derivative by differences, exact as part of the equations of motion.
BOOST_AUTO_TEST_CASE(rigidity_is_orthonormality) {
  Scene s(213);
  State state = random_trial(s.model, step_sizes()[2], s.random).n;
  BOOST_TEST(agree("e of a rigid pose", s.body->rigidity(state).e, VecX(VecX::Zero(6)), 10 * eps));
  state.values += s.random.numbers(12, 0.2);
  const Rigidity rigidity = s.body->rigidity(state);
  BOOST_TEST(rigidity.is_exact);
  MatX C(6, 12);
  for (Index j = 0; j < 12; ++j) { // quadratic: central differences have no truncation
    const double middle = state.values[j], d = 0.25;
    state.values[j] = middle + d;
    const VecX above = s.body->rigidity(state).e;
    state.values[j] = middle - d;
    C.col(j) = (above - s.body->rigidity(state).e) / (2 * d);
    state.values[j] = middle;
  }
  BOOST_TEST(agree("C", rigidity.C, C, 50 * eps)); // ten products of numbers of size one, over 2 d
  BOOST_TEST(MatX(C * C.transpose()).fullPivLu().rank() == 6);
}

// [D3]: momenta of a rigid body meet C(q)p = 0; off the constraint C is that of its rigidity.
BOOST_AUTO_TEST_CASE(momenta_are_held_against_the_condition_of_rigid_bodies) {
  Scene s(214);
  State state = random_trial(s.model, step_sizes()[2], s.random).n;
  const double spin = s.body->motion(state).angular_velocity.norm(), size = s.body->inertia().norm() * (1 + spin);
  BOOST_TEST(s.body->momentum_condition(state).norm() <= 20 * eps * size);
  state.values += s.random.numbers(12, 0.2);
  const Mat3 Q = base_vectors(state.values), W = Q.transpose() * base_vectors(state.rates);
  const Vec3 Omega = Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1)) / 2;
  VecX p = VecX::Zero(12);
  Eigen::Map<Mat3>(p.data() + 3) = Q * skew(s.body->inertia() * Omega) / 2;
  const VecX expected = s.body->rigidity(state).C * p;
  BOOST_TEST(expected.norm() > 1e-3 * size);
  BOOST_TEST(agree("C(q)p", VecX(s.body->momentum_condition(state)), expected, 50 * eps * size));
}

// T = (M v² + omega I omega)/2, p = M v, l = x x p + I omega: the same books as those of a frame.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_booked_as_for_a_frame) {
  Random random(214);
  const Mat3 J = random.inertia();
  Model frames, directors;
  FrameBody::add_to(frames, "a", 2, J);
  DirectorBody::add_to(directors, "a", 2, J);
  const std::vector<Motion> motions{random_motion(random, step_sizes()[2])};
  const StepBooks a = frames.books_at(make_trial(frames, motions, 0.1, VecX()).n1),
                  b = directors.books_at(make_trial(directors, motions, 0.1, VecX()).n1);
  const double tolerance = 40 * eps * 20; // some forty products; momenta and energies are below twenty
  BOOST_TEST(agree("kinetic", a.kinetic, b.kinetic, tolerance));
  BOOST_TEST(agree("linear", a.linear_momentum, b.linear_momentum, tolerance));
  BOOST_TEST(agree("angular", a.angular_momentum, b.angular_momentum, tolerance));
  BOOST_TEST(agree("linear sum", a.linear_momentum_sum, b.linear_momentum_sum, tolerance));
  BOOST_TEST(agree("angular sum", a.angular_momentum_sum, b.angular_momentum_sum, tolerance));
}

BOOST_AUTO_TEST_CASE(the_rotation_of_a_step_is_reported_as_an_angle) {
  Scene s(215);
  Motion motion = random_motion(s.random, step_sizes()[2]);
  motion.n1.orientation = exponential(0.7 * s.random.direction()) * motion.n.orientation;
  const Trial t = make_trial(s.model, {motion}, 0.1, VecX());
  BOOST_TEST(agree("angle", s.body->rotation_in(t.step()), 0.7, 20 * eps)); // twenty roundings of numbers of size one
}

BOOST_AUTO_TEST_SUITE_END()
