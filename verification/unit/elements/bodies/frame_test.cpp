#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "verification/support/checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

struct Scene {
  explicit Scene(std::uint64_t seed) : random(seed) {
    const double mass = random.mass();
    body = &FrameBody::add_to(model, "body", mass, random.inertia());
  }
  Random random;
  Model model;
  const FrameBody* body = nullptr;
};

Vec3 head(const VecX& v) {
  return v.head<3>();
}
Vec3 tail(const VecX& v) {
  return v.tail<3>();
}

Mat3 Q_of(const FrameBody& body, const State& state) {
  return body.motion(state).orientation.toRotationMatrix();
}

} // namespace

BOOST_AUTO_TEST_SUITE(FrameBodies)

BOOST_AUTO_TEST_CASE(body_and_port_pass_the_shared_checks) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 100; seed < 110; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        Scene s(seed);
        const Trial trial = random_trial(s.model, size, s.random);
        check_body(*s.body, s.model, trial, s.random);
      }
}

// [F5] in its own words, spatial: psi . (pi_n1 - pi_n) = h (T_n1 - T_n) with omega_n1 = 2 psi/h - cay(psi) omega_n.
BOOST_AUTO_TEST_CASE(the_rotation_of_a_step_times_the_gain_of_spin_is_the_gain_of_energy) {
  Random random(111);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const double h = random.between(0.1, 1);
    const Vec3 psi = random.vector(repeat % 2 ? 2 : 1e-6), omega_n = random.vector();
    const Mat3 J = random.inertia(), Q_n = random.triad(), cay = cayley(psi).toRotationMatrix();
    const Mat3 I_n = Q_n * J * Q_n.transpose(), I_n1 = cay * I_n * cay.transpose();
    const Vec3 omega_n1 = 2 / h * psi - cay * omega_n; // [F2]
    const Vec3 pi_n = I_n * omega_n, pi_n1 = I_n1 * omega_n1;
    const double work = psi.dot(pi_n1 - pi_n), dT = (omega_n1.dot(pi_n1) - omega_n.dot(pi_n)) / 2;
    // The figure of the theory, relative to the terms that cancel: psi pi and h T.
    const double size = psi.norm() * (pi_n.norm() + pi_n1.norm()) + h * (omega_n1.dot(pi_n1) + omega_n.dot(pi_n)) / 2;
    BOOST_TEST(agree("[F5]", work, h * dT, 1e-14 * size));
  }
}

// [D11]: the quadratic residual is A Q_n^T [(l_n1 - l_n)/h - m], with a torque m applied; forces are M (v_n1 - v_n)/h.
BOOST_AUTO_TEST_CASE(the_residual_is_the_balance_of_spatial_momentum) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 120; seed < 130; ++seed) {
      Scene s(seed);
      const Vec3 m = s.random.vector();
      const AppliedTorque& torque =
          s.model.add(std::make_unique<AppliedTorque>("torque", s.model.ports(), s.body->port(), m, LoadAxes::space));
      Trial t = random_trial(s.model, size, s.random);
      t.n1.rates = 2 * t.z / t.h - t.n.rates; // [F2], convected
      const VecX r = assemble(*s.body, s.model, t, false).r + assemble(torque, s.model, t, false).r;
      const Mat3 J = s.body->inertia(), Q_n = Q_of(*s.body, t.n), Q_n1 = Q_of(*s.body, t.n1);
      const Vec3 l_n = Q_n * J * tail(t.n.rates), l_n1 = Q_n1 * J * tail(t.n1.rates);
      const Mat3 A = Mat3::Identity() - skew(tail(t.z)) / 2;
      const Vec3 balance = A * Q_n.transpose() * ((l_n1 - l_n) / t.h - m);
      // Thirty roundings of the momenta over h, which A stretches.
      const double turn_size = A.norm() * ((l_n.norm() + l_n1.norm()) / t.h + m.norm());
      const double force_size = s.body->mass() / t.h * (t.n.rates.norm() + t.n1.rates.norm());
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        BOOST_TEST(agree("[D11]", tail(r), balance, 30 * eps * turn_size));
        BOOST_TEST(
            agree("force", head(r), Vec3(s.body->mass() * head(t.n1.rates - t.n.rates) / t.h), 30 * eps * force_size));
      }
    }
}

// A free body knows no place and no direction: the force part turns with the axes, the convected part stays.
BOOST_AUTO_TEST_CASE(the_residual_turns_with_the_axes) {
  for (const StepSize& size : step_sizes()) {
    Scene s(131);
    const Motion motion = random_motion(s.random, size);
    const Quaternion R = s.random.rotation();
    const Vec3 c = s.random.vector();
    const Trial here = make_trial(s.model, {motion}, 0.1, VecX());
    const Trial there = make_trial(s.model, {turned(motion, R, c)}, 0.1, VecX());
    const VecX r_here = assemble(*s.body, s.model, here, false).r, r_there = assemble(*s.body, s.model, there, false).r;
    // The unknowns of the two trials agree to thirty roundings of positions below four; k carries them to r.
    const double tolerance = 30 * eps * 4 * assemble(*s.body, s.model, here, true).k.norm();
    BOOST_TEST(agree("force", head(r_there), Vec3(R * head(r_here)), tolerance));
    BOOST_TEST(agree("moment", tail(r_there), tail(r_here), tolerance));
  }
}

BOOST_AUTO_TEST_CASE(a_motion_that_is_set_is_the_motion_that_is_read) {
  Scene s(132);
  const BodyMotion set = random_motion(s.random, step_sizes()[2]).n;
  State state = s.model.rest_state();
  s.body->set_motion(set, state);
  const BodyMotion got = s.body->motion(state);
  BOOST_TEST((got.position == set.position));
  BOOST_TEST((got.velocity == set.velocity));
  // Normalised once; turned to the body and back, six products each way.
  BOOST_TEST(agree("orientation", got.orientation.coeffs(), set.orientation.coeffs(), 2 * eps));
  BOOST_TEST(agree("spin", got.angular_velocity, set.angular_velocity, 12 * eps * 2));
  BodyMotion longer = set;
  longer.orientation.coeffs() *= 3;
  s.body->set_motion(longer, state);
  BOOST_TEST(agree("length", s.body->motion(state).orientation.norm(), 1, 2 * eps));
}

// T = (M v² + omega I omega)/2, p = M v, l = x x p + I omega, in spatial form.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_booked) {
  Scene s(133);
  const Trial t = random_trial(s.model, step_sizes()[2], s.random);
  StepBooks books;
  s.body->book(t.moved(s.model), t.n1, books);
  const BodyMotion m = s.body->motion(t.n1);
  const Mat3 Q = m.orientation.toRotationMatrix(), I = Q * s.body->inertia() * Q.transpose();
  const double M = s.body->mass();
  const Vec3 l = M * m.position.cross(m.velocity) + I * m.angular_velocity;
  // Some thirty products; the largest are momenta and energies below twenty.
  const double tolerance = 30 * eps * 20;
  BOOST_TEST(agree("kinetic", books.kinetic,
                   M * m.velocity.squaredNorm() / 2 + m.angular_velocity.dot(I * m.angular_velocity) / 2, tolerance));
  BOOST_TEST(agree("linear", books.linear_momentum, Vec3(M * m.velocity), tolerance));
  BOOST_TEST(agree("angular", books.angular_momentum, l, tolerance));
  BOOST_TEST(agree("linear sum", books.linear_momentum_sum, M * m.velocity.norm(), tolerance));
  BOOST_TEST(agree("angular sum", books.angular_momentum_sum, l.norm(), tolerance));
}

BOOST_AUTO_TEST_CASE(the_rotation_of_a_step_is_reported_as_an_angle) {
  Scene s(134);
  Trial t = random_trial(s.model, step_sizes()[2], s.random);
  t.z.tail<3>() = 2 * std::tan(0.35) * s.random.direction();
  BOOST_TEST(agree("angle", s.body->rotation_in(t.step()), 0.7, 10 * eps)); // ten roundings of numbers of size one
}

BOOST_AUTO_TEST_SUITE_END()
