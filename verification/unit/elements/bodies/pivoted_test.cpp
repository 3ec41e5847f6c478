#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A body on a random point, or on its centre of mass.
struct Scene {
  explicit Scene(std::uint64_t seed, bool central = false) : random(seed) {
    mass = random.mass();
    J = random.inertia();
    pivot = central ? Vec3(Vec3::Zero()) : random.vector();
    X_p = random.vector();
    body = &PivotedBody::add_to(model, "body", mass, J, pivot, X_p);
  }
  Random random;
  Model model;
  double mass = 0;
  Mat3 J;
  Vec3 pivot, X_p;
  const PivotedBody* body = nullptr;
};

/// Runs a model by dense Newton iterations and books every step.
struct Run {
  Run(const Model& model, State start, double h, int steps) : state(std::move(start)) {
    model.begin(state);
    ledger.open(model.books_at(state));
    for (int i = 0; i < steps; ++i) {
      const Solution solution = solve_step(model, state, h);
      state = solution.trial.n1;
      ledger.add(model.books(solution.trial.moved(model), state));
      each.push_back(state);
    }
  }
  State state;
  Ledger ledger;
  std::vector<State> each; ///< after every step
};

const Vec3 g(0, 0, -9.81);

/// A symmetric top with its tip at X_p, half a metre below its centre of mass, leaning by 0.4 rad.
struct Top {
  Top() : body(PivotedBody::add_to(model, "top", 2, J, pivot, X_p)) {
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, g));
    start = model.rest_state();
    const Quaternion q = exponential({0.4, 0, 0});
    body.set_motion({Vec3::Zero(), q, Vec3::Zero(), q * Vec3(0.3, -0.2, 20)}, start);
  }
  const Mat3 J = Vec3(0.4, 0.4, 0.3).asDiagonal();
  const Vec3 pivot{0, 0, -0.5}, X_p{1, -2, 0.5};
  Model model;
  const PivotedBody& body;
  State start;
};

} // namespace

BOOST_AUTO_TEST_SUITE(PivotedBodies)

BOOST_AUTO_TEST_CASE(body_and_port_pass_the_shared_checks) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 800; seed < 810; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        Scene s(seed, seed % 3 == 0);
        const Trial trial = random_trial(s.model, size, s.random);
        BOOST_TEST(s.body->unknowns() == 3);
        check_body(*s.body, s.model, trial, s.random);
      }
}

// [F12]: the fixed point stays where it is and does not move, whatever position and velocity are asked for.
BOOST_AUTO_TEST_CASE(position_and_velocity_follow_from_the_rotation) {
  Scene s(811);
  const BodyMotion set = random_motion(s.random, step_sizes()[2]).n;
  State state = s.model.rest_state();
  s.body->set_motion(set, state);
  const BodyMotion got = s.body->motion(state);
  // Thirty roundings of numbers below four.
  const double tolerance = 30 * eps * 4;
  BOOST_TEST(agree("orientation", got.orientation.coeffs(), set.orientation.coeffs(), 2 * eps));
  BOOST_TEST(agree("spin", got.angular_velocity, set.angular_velocity, tolerance));
  const Vec3 arm = got.orientation * s.pivot;
  BOOST_TEST(agree("fixed point", Vec3(got.position + arm), s.X_p, tolerance));
  BOOST_TEST(agree("at rest", Vec3(got.velocity + got.angular_velocity.cross(arm)), Vec3(Vec3::Zero()), tolerance));
  Vec12 q, q_dot;
  s.model.ports()[1]->at(state, q, q_dot);
  BOOST_TEST(agree("port", Vec3(q.head<3>()), got.position, tolerance));
  BOOST_TEST(agree("rate of port", Vec3(q_dot.head<3>()), got.velocity, tolerance));
  const auto inertia = s.body->rigid_inertia();
  BOOST_TEST_REQUIRE(inertia.has_value());
  BOOST_TEST(inertia->is_pivoted);
  BOOST_TEST(inertia->turns);
  BOOST_TEST((inertia->pivot == s.pivot));
  BOOST_TEST((inertia->J == s.body->inertia()));
}

// The momentum of translation and spin about the centre of mass, without the parallel axis theorem: the residual is
// A Q_n^T [(l_n1 - l_n)/h - moment] about X_p, with a torque and a force on the centre of mass.
BOOST_AUTO_TEST_CASE(the_residual_is_the_balance_of_momentum_about_the_fixed_point) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 820; seed < 830; ++seed) {
      Scene s(seed);
      const Vec3 m = s.random.vector(), f = s.random.vector();
      const Interaction& torque =
          s.model.add(std::make_unique<AppliedTorque>("torque", s.model.ports(), s.body->port(), m, LoadAxes::space));
      const Interaction& force = s.model.add(
          std::make_unique<AppliedForce>("force", s.model.ports(), s.body->port(), Vec3::Zero(), f, LoadAxes::space));
      Trial t = random_trial(s.model, size, s.random);
      t.n1.rates = 2 * t.z / t.h - t.n.rates; // [F2], convected
      const VecX r = assemble(*s.body, s.model, t, false).r + assemble(torque, s.model, t, false).r +
                     assemble(force, s.model, t, false).r;
      const auto spin = [&](const State& state) {
        const BodyMotion b = s.body->motion(state);
        const Mat3 Q = b.orientation.toRotationMatrix();
        return Vec3(Q * (s.J * (Q.transpose() * b.angular_velocity)) + s.mass * (b.position - s.X_p).cross(b.velocity));
      };
      const Vec3 l_n = spin(t.n), l_n1 = spin(t.n1);
      const Vec3 x_m = (s.body->motion(t.n).position + s.body->motion(t.n1).position) / 2;
      const Mat3 A = Mat3::Identity() - skew(Vec3(t.z)) / 2, Q_n = s.body->motion(t.n).orientation.toRotationMatrix();
      const Vec3 balance = A * Q_n.transpose() * ((l_n1 - l_n) / t.h - m - (x_m - s.X_p).cross(f));
      // Sixty roundings of the momenta over h, which A stretches; their parts do not cancel, but for positions.
      const double J_size = s.J.norm() + s.mass * s.pivot.squaredNorm() + s.mass * s.pivot.norm() * s.X_p.norm();
      const double l_size = J_size * (t.n.rates.norm() + t.n1.rates.norm()) / t.h;
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed)
      BOOST_TEST(agree("[F12]", Vec3(r), balance, 60 * eps * A.norm() * (l_size + m.norm() + f.norm() * 4)));
    }
}

// T = (M v² + omega I omega)/2, p = M v, l = x x p + I omega with I about the centre of mass.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_booked) {
  Scene s(831);
  const Trial t = random_trial(s.model, step_sizes()[2], s.random);
  StepBooks books;
  s.body->book(t.moved(s.model), t.n1, books);
  const BodyMotion m = s.body->motion(t.n1);
  const Mat3 Q = m.orientation.toRotationMatrix(), I = Q * s.J * Q.transpose();
  const Vec3 p = s.mass * m.velocity, l = m.position.cross(p) + I * m.angular_velocity;
  // Some sixty products; the largest are momenta and energies below twenty.
  const double tolerance = 60 * eps * 20;
  BOOST_TEST(agree("kinetic", books.kinetic, (p.dot(m.velocity) + m.angular_velocity.dot(I * m.angular_velocity)) / 2,
                   tolerance));
  BOOST_TEST(agree("linear", books.linear_momentum, p, tolerance));
  BOOST_TEST(agree("angular", books.angular_momentum, l, tolerance));
  const Vec3 gain = p - s.mass * s.body->motion(t.n).velocity;
  BOOST_TEST(agree("impulse", books.impulse, gain, tolerance));
  BOOST_TEST(agree("angular impulse", books.angular_impulse, Vec3(s.X_p.cross(gain)), tolerance));
  BOOST_TEST(agree("nothing at an instant", s.model.books_at(t.n).impulse, Vec3(Vec3::Zero()), 0));
}

BOOST_AUTO_TEST_CASE(the_rotation_of_a_step_is_reported_as_an_angle) {
  Scene s(832);
  Trial t = random_trial(s.model, step_sizes()[2], s.random);
  t.z = 2 * std::tan(0.35) * s.random.direction();
  BOOST_TEST(agree("angle", s.body->rotation_in(t.step()), 0.7, 10 * eps)); // ten roundings of numbers of size one
}

// Energy and the momentum about the vertical through the tip are kept exactly, even by steps of 0.05 s at 20 rad/s. The
// third integral of the symmetric top, the spin about its own axis, is kept to second order [F12].
BOOST_AUTO_TEST_CASE(a_heavy_symmetric_top_keeps_energy_and_vertical_momentum) {
  const Top top;
  const int steps = 400;
  const Run run(top.model, top.start, 0.05, steps);
  const auto vertical = [&](const State& state) {
    return (top.body.motion(state).orientation * (top.body.inertia() * state.rates)).z();
  };
  const auto spin_drift = [&](const Run& of) {
    double drift = 0;
    for (const State& state : of.each)
      drift = std::max(drift, std::abs(state.rates.z() - top.start.rates.z()));
    return drift;
  };
  double lowest = 1, highest = -1, vertical_drift = 0;
  for (const State& state : run.each) {
    vertical_drift = std::max(vertical_drift, std::abs(vertical(state) - vertical(top.start)));
    const double z = (top.body.motion(state).orientation * Vec3::UnitZ()).z();
    lowest = std::min(lowest, z);
    highest = std::max(highest, z);
  }
  BOOST_TEST(highest - lowest > 0.01); // it nods
  // Every step rounds a momentum of 6 N m s and the energies about ten times.
  const double rounding = 10 * steps * eps;
  BOOST_TEST(vertical_drift <= rounding * 6);
  BOOST_TEST(run.ledger.relative_energy_imbalance() <= rounding);
  BOOST_TEST(run.ledger.relative_linear_imbalance() <= rounding);
  BOOST_TEST(run.ledger.relative_angular_imbalance() <= rounding);
  const double coarse = spin_drift(Run(top.model, top.start, 0.004, 500)),
               fine = spin_drift(Run(top.model, top.start, 0.002, 1000));
  // The next term of the error is h² Omega² = 0.6 per cent; the largest of the instants may lie between two.
  BOOST_TEST(std::abs(coarse / fine - 4) <= 0.05);
  BOOST_TEST_MESSAGE("heavy top, " << steps << " steps: vertical momentum " << vertical_drift << ", energy "
                                   << run.ledger.relative_energy_imbalance() << ", linear "
                                   << run.ledger.relative_linear_imbalance() << ", angular "
                                   << run.ledger.relative_angular_imbalance() << "; spin " << coarse << ", " << fine);
}

// A spring to the ground and one to another body, a load, a torque in the body and a joint to a second body: the ground
// answers all of them at the fixed point, and nothing is left unexplained.
BOOST_AUTO_TEST_CASE(the_ground_answers_whatever_acts_on_the_body) {
  Model model;
  Random random(833);
  const Body& top = PivotedBody::add_to(model, "top", 2, random.inertia(), {0.2, 0.1, -0.5}, {1, -2, 0.5});
  const Body& link = FrameBody::add_to(model, "link", 1, random.inertia());
  for (const Body* body : {&top, &link})
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), g));
  model.add(spherical_joint("knee", model.ports(), {top.port(), {0, 0, 0.5}}, {link.port(), {0, 0.4, 0}}));
  model.add(std::make_unique<SpringDamper>("stay", model.ports(), body_point(Model::ground, {2, 0, 1}),
                                           body_point(top.port(), {0.3, 0, 0.2}), SpringLaw{30, 1, 2}));
  model.add(std::make_unique<SpringDamper>("string", model.ports(), body_point(top.port(), {0, 0.3, 0}),
                                           body_point(link.port(), {0.2, 0, 0.1}), SpringLaw{20, 0.5, 0}));
  model.add(std::make_unique<AppliedForce>("push", model.ports(), top.port(), Vec3(0.1, 0.2, 0.3), Vec3(1, 2, 3),
                                           LoadAxes::space));
  model.add(std::make_unique<AppliedTorque>("twist", model.ports(), top.port(), Vec3(0.2, -0.1, 0.3), LoadAxes::body));
  State start = model.rest_state();
  top.set_motion({Vec3::Zero(), exponential({0.3, 0.1, 0}), Vec3::Zero(), {0.5, -0.3, 4}}, start);
  const BodyMotion m = top.motion(start);
  const Vec3 tip = m.orientation * Vec3(0, 0, 0.5), hung(0, -0.4, 0);
  link.set_motion({m.position + tip + hung,
                   Quaternion::Identity(),
                   m.velocity + m.angular_velocity.cross(tip) + Vec3(0, 0, 1).cross(hung),
                   {0, 0, 1}},
                  start);
  const int steps = 200;
  const Run run(model, start, 0.01, steps);
  // Ten roundings a step; the velocities are found from positions, which rounds them 2 |x|/(h |v|) = 100 times more.
  const double rounding = 10 * steps * eps * 100;
  BOOST_TEST(run.ledger.last().position_violation <= 30 * eps * 4);
  BOOST_TEST(std::abs(run.ledger.work()) > 0.1);
  BOOST_TEST(run.ledger.dissipation() > 0.1);
  BOOST_TEST(run.ledger.relative_energy_imbalance() <= rounding);
  BOOST_TEST(run.ledger.relative_linear_imbalance() <= rounding);
  BOOST_TEST(run.ledger.relative_angular_imbalance() <= rounding);
  BOOST_TEST_MESSAGE("with springs, loads and a joint, " << steps << " steps: energy "
                                                         << run.ledger.relative_energy_imbalance() << ", linear "
                                                         << run.ledger.relative_linear_imbalance() << ", angular "
                                                         << run.ledger.relative_angular_imbalance());
}

// A frame on a spherical joint obeys the same law with other steps: both are of second order, so what they differ by
// is divided by four if the step is halved.
BOOST_AUTO_TEST_CASE(a_frame_on_a_spherical_joint_moves_alike_to_second_order) {
  const Top top;
  Model model;
  const FrameBody& frame = FrameBody::add_to(model, "top", 2, top.J);
  model.add(std::make_unique<Gravity>("weight", model.ports(), frame.port(), 2, g));
  model.add(spherical_joint("tip", model.ports(), {Model::ground, top.X_p}, {frame.port(), top.pivot}));
  State start = model.rest_state();
  frame.set_motion(top.body.motion(top.start), start);
  std::vector<double> distance;
  for (const int steps : {200, 400, 800}) {
    const State here = Run(top.model, top.start, 1.0 / steps, steps).state;
    const State there = Run(model, start, 1.0 / steps, steps).state;
    distance.push_back((top.body.motion(here).position - frame.motion(there).position).norm());
  }
  BOOST_TEST(distance[0] > 1e-6);
  // The next term of the error is h² times smaller: at h Omega = 0.1 and 0.05 some per cent.
  BOOST_TEST(std::abs(distance[0] / distance[1] - 4) <= 0.2);
  BOOST_TEST(std::abs(distance[1] / distance[2] - 4) <= 0.05);
  BOOST_TEST_MESSAGE("frame on a joint differs by " << distance[0] << ", " << distance[1] << ", " << distance[2]);
}

BOOST_AUTO_TEST_SUITE_END()
