#include "elements/joints/angle.hpp"
#include "elements/joints/angle_equations.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

/// The nine numbers for a turn by phi about an axis seen from `frame`; t1 may be stretched and tilted, s1 and s2
/// likewise by `strain`.
AngleVector turned_by(double phi, const Quaternion& frame, double tilt = 0,
                      const AngleVector& strain = AngleVector::Zero()) {
  AngleVector q;
  q << frame * Vec3::UnitY(), frame * Vec3::UnitZ(), frame * Vec3(tilt, std::cos(phi), std::sin(phi));
  return q + strain;
}

/// Random strain and tilt: c² + s² is nowhere near one.
struct Strained {
  Strained(Random& random) : frame(random.rotation()), tilt(random.between(-1, 1)), strain(random.numbers(9, 0.2)) {}
  AngleVector at(double phi) const { return turned_by(phi, frame, tilt, strain); }
  Quaternion frame;
  double tilt;
  AngleVector strain;
};

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

/// c and s.
Vec2 dots(const AngleVector& q) {
  return {q.head<3>().dot(q.tail<3>()), q.segment<3>(3).dot(q.tail<3>())};
}

/// The angle over a step in the plane of c and s.
struct PlaneStep {
  PlaneStep(const Vec2& n, const Vec2& n1) {
    const AngleStep<double> step(n[0], n[1], n1[0], n1[1]);
    theta = step.theta;
    step.gradient(G_bar.data());
    step.end_gradient(G.data());
    double k[4];
    step.gradient_slope(k);
    K << k[0], k[1], k[2], k[3];
  }
  double theta;
  Vec2 G_bar, G;
  Mat2 K;
};

const std::vector<double> step_angles{0, 1e-12, -1e-8, 1e-5, -0.03, 0.09, 0.11, 0.5, -1.5, 2.5};

} // namespace

BOOST_AUTO_TEST_SUITE(Angle)

BOOST_AUTO_TEST_CASE(of_a_turn_about_the_axis_is_the_turn) {
  Random random(601);
  const Quaternion frame = random.rotation();
  for (const double phi : {0.0, 0.3, -0.7, 1.6, -2.9, 3.1})
    BOOST_TEST(agree("angle", angle_at(turned_by(phi, frame)), phi, 10 * eps));
}

BOOST_AUTO_TEST_CASE(does_not_see_a_tilt_or_the_length_of_its_directions) {
  AngleVector q = turned_by(0.8, Quaternion::Identity(), 0.7);
  q.tail<3>() *= 3;
  BOOST_TEST(agree("angle", angle_at(q), 0.8, 10 * eps));
}

// Several turns forwards and back, in steps of unequal size.
BOOST_AUTO_TEST_CASE(counts_turns) {
  Random random(602);
  const Quaternion frame = random.rotation();
  double phi = -2.5, counted = phi;
  AngleVector q = turned_by(phi, frame);
  for (int i = 0; i < 60; ++i) {
    phi += i < 40 ? random.between(0, 3) : random.between(-3, 0);
    const AngleVector next = turned_by(phi, frame);
    counted = counted_angle(counted, q, next);
    q = next;
    BOOST_TEST(agree("angle", counted, phi, 10 * eps * (10 + std::abs(phi)))); // nothing adds up
  }
}

// [D18]: exact for any step below half a turn, strained or not. The ratio of theta and its sine is rounded to a few eps
// of the gradient, which multiplies differences of numbers below two.
BOOST_AUTO_TEST_CASE(has_an_exact_discrete_gradient) {
  Random random(603);
  for (const double theta : step_angles)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Strained from(random);
      const double phi = random.between(-3, 3);
      const AngleVector q_n = from.at(phi);
      const AngleVector q_n1 = from.at(phi + theta) + AngleVector(random.numbers(9, 0.1 * std::abs(theta)));
      const Vec2 n = dots(q_n), n1 = dots(q_n1);
      const PlaneStep step(n, n1);
      const double size = step.G_bar.cwiseAbs().sum() * (n.norm() + n1.norm());
      BOOST_TEST(agree("[D18]", step.G_bar.dot(n1 - n), step.theta, 20 * eps * size));
      BOOST_TEST(step.theta == angle_increment(q_n, q_n1));
      BOOST_TEST(agree("change of angle", std::remainder(angle_at(q_n1) - angle_at(q_n) - step.theta, 2 * M_PI), 0,
                       20 * eps * size));
    }
}

// Where the step does not turn, the discrete gradient is the gradient: no quotient of small numbers is left.
BOOST_AUTO_TEST_CASE(has_the_gradient_as_limit) {
  Random random(604);
  for (const double theta : {0.0, 1e-300, 1e-17, 1e-12, 1e-9}) {
    const Strained from(random);
    const AngleVector q_n = from.at(1), q_n1 = from.at(1 + theta);
    const PlaneStep step(dots(q_n), dots(q_n1));
    const double size = 1 + step.G.cwiseAbs().maxCoeff();
    BOOST_TEST(agree("limit", step.G_bar, step.G, (20 * eps + theta) * size * size));
    AngleVector by_q; // chain rule: c = s1 . t1, s = s2 . t1
    by_q << step.G[0] * q_n1.tail<3>(), step.G[1] * q_n1.tail<3>(),
        step.G[0] * q_n1.head<3>() + step.G[1] * q_n1.segment<3>(3);
    BOOST_TEST(agree("gradient", by_q, angle_gradient(q_n1), 0.0));
  }
}

// Central differences with step eps^(1/3): the third derivatives of an angle grow with the cube of 1/|(c, s)|, which is
// above 0.4 here, so the error is 10 eps^(2/3) times less than 2.5³ times the entries.
BOOST_AUTO_TEST_CASE(derivatives_agree_with_differences) {
  Random random(605);
  const double d = std::cbrt(eps);
  for (const double theta : step_angles) {
    const Strained from(random);
    const double phi = random.between(-3, 3);
    const Vec2 n = dots(from.at(phi)), n1 = dots(from.at(phi + theta));
    const PlaneStep step(n, n1);
    const double tolerance = 10 * std::pow(eps, 2.0 / 3) * 16;
    for (Index j = 0; j < 2; ++j) {
      const Vec2 e = d * Vec2::Unit(j);
      const PlaneStep above(n, n1 + e), below(n, n1 - e);
      BOOST_TEST(agree("G", step.G[j], (above.theta - below.theta) / (2 * d), tolerance * (1 + step.G.norm())));
      BOOST_TEST(agree("K", step.K.col(j), (above.G_bar - below.G_bar) / (2 * d), tolerance * (1 + step.K.norm())));
    }
  }
}

// The series near zero and the closed form beyond meet.
BOOST_AUTO_TEST_CASE(tangent_is_continuous_where_the_series_ends) {
  const double theta = std::atan(0.1);
  const auto at = [](double phi) { return Vec2(std::cos(phi), std::sin(phi)); };
  const auto K_at = [&](double t) { return PlaneStep(at(0.4), at(0.4 + t)).K; };
  // The closed form divides a difference of numbers near one, rounded to a few eps, by 0.1; K changes by about 1e-12.
  BOOST_TEST(agree("K", K_at(theta - 5e-13), K_at(theta + 5e-13), 10 * eps / 0.1 + 1e-11));
}

BOOST_AUTO_TEST_SUITE_END()
