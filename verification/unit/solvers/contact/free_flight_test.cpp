#include "solvers/contact/free_flight.hpp"

#include "elements/bodies/frame_equations.hpp"
#include "elements/bodies/plain.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace emmy;
using emmy::test::Random;

BOOST_AUTO_TEST_SUITE(FreeFlight)

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr RotationMap maps[] = {RotationMap::cayley, RotationMap::exponential};

FreeBody some_body() {
  FreeBody body;
  body.inverse_mass = 0.5;
  body.J = Vec3(1, 2, 3).asDiagonal();
  body.J(0, 1) = body.J(1, 0) = 0.3;
  body.J_inverse = body.J.inverse();
  return body;
}

double kinetic(const FreeBody& body, const FreeMotion& m) {
  const Spin s = spin(body, m);
  return (s.v.dot(m.p) + s.omega.dot(m.pi)) / 2;
}

} // namespace

// [C3], [C4]: whatever the impulses, their arms and the step, they do the work I . w and give the moment of [C4].
BOOST_AUTO_TEST_CASE(impulses_do_the_work_of_their_mean_velocity_and_give_their_moment) {
  Random random(1);
  const FreeBody body = some_body();
  for (const RotationMap map : maps)
    for (const double h : {1e-4, 0.1, 0.4}) {
      FreeMotion n;
      n.x = random.vector();
      n.q = to_wxyz(random.rotation());
      n.p = random.vector();
      n.pi = random.vector();
      const Vec3 I = random.vector(), A = random.vector();
      Flight flight;
      flight.p1 = n.p + I;
      flight.pi1 = n.pi + A.cross(I);
      BOOST_REQUIRE(fly(body, n, h, map, flight));
      const Vec3 w = mean_spin(n, h, flight).at(A);
      FreeMotion n1 = n;
      land(flight, map, n1);
      const double T = kinetic(body, n), T1 = kinetic(body, n1);
      // Some thirty products of the size of the energies and of I . w; Theta / h multiplies rounding of Theta by
      // nothing, since it is relative.
      BOOST_TEST(std::abs(T1 - T - I.dot(w)) <= 60 * eps * (T + T1 + I.norm() * w.norm()));
      const Vec3 H = n.x.cross(n.p) + n.pi, H1 = n1.x.cross(n1.p) + n1.pi;
      const Vec3 moment = ((n.x + n1.x) / 2 + A).cross(I);
      BOOST_TEST((H1 - H - moment).norm() <=
                 30 * eps * (n.x.norm() + n1.x.norm() + A.norm()) * (I.norm() + n.p.norm()));
    }
}

// Published figure: a body J = (1, 2, 3) started with omega = (0.1, 2, 0.1), angular velocity in space after 1 s.
BOOST_AUTO_TEST_CASE(free_rotation_is_of_second_order) {
  const Vec3 exact(0.0236832071, 1.9942391597, 0.2022501346);
  FreeBody body;
  body.inverse_mass = 1;
  body.J = Vec3(1, 2, 3).asDiagonal();
  body.J_inverse = body.J.inverse();
  for (const RotationMap map : maps) {
    double errors[2];
    for (int i = 0; i < 2; ++i) {
      const int steps = i == 0 ? 100 : 200;
      FreeMotion m;
      m.pi = body.J * Vec3(0.1, 2, 0.1);
      for (int k = 0; k < steps; ++k) {
        Flight flight;
        flight.p1 = m.p;
        flight.pi1 = m.pi;
        BOOST_REQUIRE(fly(body, m, 1.0 / steps, map, flight));
        land(flight, map, m);
      }
      errors[i] = (spin(body, m).omega - exact).norm();
    }
    // Halving the step divides the error by four, up to its next term, which is of relative size h.
    BOOST_TEST(errors[0] / errors[1] > 3.9);
    BOOST_TEST(errors[0] / errors[1] < 4.1);
    BOOST_TEST(errors[1] < 1e-4);
  }
}

// The fixed point gives way to Newton where a body turns by half a radian and more.
BOOST_AUTO_TEST_CASE(large_turns_are_found) {
  const FreeBody body = some_body();
  for (const RotationMap map : maps)
    for (const double speed : {0.3, 1.0, 1.5}) {
      FreeMotion n;
      n.pi = body.J * Vec3(speed, -0.4 * speed, 0.7 * speed);
      Flight flight;
      flight.pi1 = n.pi;
      BOOST_REQUIRE(fly(body, n, 1, map, flight));
      FreeMotion n1 = n;
      land(flight, map, n1);
      BOOST_TEST(std::abs(kinetic(body, n1) - kinetic(body, n)) <= 60 * eps * kinetic(body, n));
      BOOST_TEST(flight.Theta.norm() > 0.8 * speed);
    }
}

// 10^6 steps would lose eps sqrt(10^6) and more, all in one direction, without the sums that keep what they lose.
BOOST_AUTO_TEST_CASE(positions_and_orientations_keep_what_rounding_drops) {
  const FreeBody body = some_body();
  FreeMotion m;
  m.x = Vec3(1e3, -2e3, 5e2);
  m.p = Vec3(0.3, 0.1, -0.7);
  m.pi = Vec3(0.01, 0.02, 0.03);
  const FreeMotion start = m;
  const double h = 1e-6;
  const long steps = 200000;
  for (long i = 0; i < steps; ++i) {
    Flight flight;
    flight.p1 = m.p;
    flight.pi1 = m.pi;
    fly(body, m, h, RotationMap::cayley, flight);
    land(flight, RotationMap::cayley, m);
  }
  const Vec3 expected = start.x + h * static_cast<double>(steps) * body.inverse_mass * start.p;
  BOOST_TEST((m.x + m.lost_x - expected).norm() <= 4 * eps * start.x.norm());
  BOOST_TEST(std::abs(m.q.norm() - 1) <= 4 * eps);
  BOOST_TEST(std::abs(kinetic(body, m) / kinetic(body, start) - 1) <= 20 * eps);
}

// [C5] is [D11]: Newton's method on the equations of a frame body under a constant force and moment in space, unknowns
// dx and Theta, and the flight with momenta that gain h times as much make the same step. Turns up to one radian take
// both ways of solving for the flight.
BOOST_AUTO_TEST_CASE(a_flight_is_the_step_of_a_frame_body) {
  Random random(2);
  const FreeBody body = some_body();
  for (const double h : {1e-3, 0.1, 0.5})
    for (int i = 0; i < 10; ++i) {
      const Vec3 force = random.vector(3), moment = random.vector(3), velocity = random.vector(),
                 Omega = random.vector(2);
      FreeMotion n;
      const Quaternion q = random.rotation();
      n.q = to_wxyz(q);
      n.p = velocity / body.inverse_mass;
      n.pi = q * (body.J * Omega);
      Flight flight;
      flight.p1 = n.p + h * force;
      flight.pi1 = n.pi + h * moment;
      BOOST_REQUIRE(fly(body, n, h, RotationMap::cayley, flight));
      FreeMotion n1 = n;
      land(flight, RotationMap::cayley, n1);
      const Spin end = spin(body, n1);

      const double inv_s = h * h / 2; // a mean mass of one
      FrameInertia<double> inertia{1 / body.inverse_mass, plain(body.J), plain(Vec3(-force))};
      FrameLoads<double> loads{};
      loads.moment = plain(Vec3(-inv_s * moment));
      V3<double> dx{}, Theta{};
      for (int iteration = 0; iteration < 10; ++iteration) { // quadratic: far more than it takes
        FrameMotion<double> m;
        V3<double> r_x, r_turn;
        M3<double> k_turn;
        move_rotation(n.q.data(), Theta, m);
        balance<true>(inertia, h, 1 / h, inv_s, dx, Theta, plain(velocity), plain(Omega), m.N_T, m.A_inverse, loads,
                      r_x, r_turn, k_turn);
        dx = dx - body.inverse_mass * r_x;
        Theta = Theta - inverse(k_turn) * r_turn;
      }
      double q_n1[4];
      turn(n.q.data(), Theta, q_n1);
      const Quaternion q1(q_n1[0], q_n1[1], q_n1[2], q_n1[3]);
      const V3<double> v_n1 = rate_at_end(plain(velocity), dx, 1 / h),
                       Omega_n1 = rate_at_end(plain(Omega), Theta, 1 / h);

      // Some thirty roundings of velocities up to 4, and h times them; the inverse of J, of condition 4, adds its own.
      const double tolerance = 120 * eps;
      BOOST_TEST((flight.shift - of_eigen(dx)).norm() <= tolerance * h);
      BOOST_TEST((flight.Theta - of_eigen(Theta)).norm() <= tolerance * h);
      BOOST_TEST((q1.coeffs() - n1.orientation().coeffs()).norm() <= 8 * eps + tolerance * h);
      BOOST_TEST((end.v - of_eigen(v_n1)).norm() <= tolerance);
      BOOST_TEST((end.omega - q1 * Vec3(of_eigen(Omega_n1))).norm() <= tolerance);
    }
}

BOOST_AUTO_TEST_CASE(a_step_of_no_length_changes_momenta_alone) {
  const FreeBody body = some_body();
  FreeMotion n;
  n.q = to_wxyz(Quaternion(0.6, 0.8, 0, 0));
  Flight flight;
  flight.p1 = Vec3(1, 2, 3);
  flight.pi1 = Vec3(4, 5, 6);
  BOOST_REQUIRE(fly(body, n, 0, RotationMap::exponential, flight));
  FreeMotion n1 = n;
  land(flight, RotationMap::exponential, n1);
  BOOST_TEST((n1.x == n.x && n1.q == n.q));
  BOOST_TEST((n1.p == flight.p1 && n1.pi == flight.pi1));
}

BOOST_AUTO_TEST_SUITE_END()
