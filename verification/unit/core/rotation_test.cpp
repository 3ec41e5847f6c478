#include "core/rotation.hpp"
#include "core/rotation_equations.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Sizes from 1e-300, whose square is zero, to 1e-3, over the places where a series takes over, up to `largest`.
std::vector<double> sizes(double largest) {
  std::vector<double> all;
  for (int exponent = -300; exponent <= -3; exponent += 3)
    all.push_back(std::pow(10.0, exponent));
  for (double x : {9.99e-5, 1.01e-4, 1.99e-4, 2.01e-4, 9.9999e-3, 1.0001e-2, 0.1, 1.0, 2.0, 3.0, 3.14, 10.0, 1e3})
    if (x <= largest)
      all.push_back(x);
  return all;
}

long double norm(const Vec3& v) {
  const double size = v.cwiseAbs().maxCoeff(); // the square of 1e-300 is zero in every format
  long double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += static_cast<long double>(v[i] / size) * (v[i] / size);
  return size * std::sqrt(sum);
}

} // namespace

BOOST_AUTO_TEST_SUITE(Rotation)

// [F1] with the long double of the machine; the vector part is v/2 at zero and must keep all its digits.
BOOST_AUTO_TEST_CASE(cayley_keeps_all_digits_at_every_size) {
  Random random(1);
  for (const double size : sizes(1e3)) {
    const Vec3 psi = size * random.direction();
    const long double w = 1 / std::sqrt(1 + norm(psi) * norm(psi) / 4);
    const Quaternion q = cayley(psi);
    // Rounded: norm, sum, root, quotient, product.
    BOOST_TEST(agree("w", q.w(), static_cast<double>(w), 5 * eps * static_cast<double>(w)));
    for (int i = 0; i < 3; ++i) {
      const auto v = static_cast<double>(psi[i] * w / 2);
      BOOST_TEST(agree("v", q.vec()[i], v, 5 * eps * std::abs(v)));
    }
  }
}

// [E2] likewise.
BOOST_AUTO_TEST_CASE(exponential_keeps_all_digits_at_every_size) {
  Random random(2);
  for (const double size : sizes(10)) {
    const Vec3 chi = size * random.direction();
    const long double angle = norm(chi);
    const Quaternion q = exponential(chi);
    // A rounded angle moves sine and cosine by angle/2 roundings; two roundings more.
    const double tolerance = (3 + size) * eps;
    BOOST_TEST(agree("w", q.w(), static_cast<double>(std::cos(angle / 2)), tolerance));
    for (int i = 0; i < 3; ++i) {
      const auto v = static_cast<double>(chi[i] * (std::sin(angle / 2) / angle));
      // Relative to chi/2, not to v: near 2 pi the sine vanishes and only the angle's own digits are left.
      BOOST_TEST(agree("v", q.vec()[i], v, tolerance * std::abs(chi[i]) / 2));
    }
  }
}

BOOST_AUTO_TEST_CASE(rodrigues_vector_inverts_cayley) {
  Random random(3);
  for (const double size : sizes(1e3)) {
    const Vec3 psi = size * random.direction();
    // Three roundings each way.
    BOOST_TEST(agree("psi", rodrigues_vector(cayley(psi)), psi, 6 * eps * size));
  }
}

BOOST_AUTO_TEST_CASE(rotation_vector_inverts_exponential) {
  Random random(4);
  for (const double size : sizes(3.14)) {
    const Vec3 chi = size * random.direction();
    // Sine and cosine to two roundings each, their arctangent and the quotient to three: relative at every size.
    BOOST_TEST(agree("chi", rotation_vector(exponential(chi)), chi, 8 * eps * size));
  }
}

BOOST_AUTO_TEST_CASE(a_quaternion_and_its_negative_are_one_rotation) {
  Random random(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Quaternion q = random.rotation();
    const Quaternion minus(-q.w(), -q.x(), -q.y(), -q.z());
    BOOST_TEST((rotation_vector(q) == rotation_vector(minus)));
    BOOST_TEST((rodrigues_vector(q) == rodrigues_vector(minus)));
    BOOST_TEST(rotation_vector(minus).norm() <= M_PI * (1 + eps));
  }
}

BOOST_AUTO_TEST_CASE(no_rotation_is_zero_and_half_a_turn_is_pi) {
  BOOST_TEST((rotation_vector(Quaternion(1, 0, 0, 0)) == Vec3::Zero()));
  BOOST_TEST((rotation_vector(Quaternion(-1, 0, 0, 0)) == Vec3::Zero()));
  BOOST_TEST((rodrigues_vector(Quaternion(1, 0, 0, 0)) == Vec3::Zero()));
  BOOST_TEST((exponential(Vec3::Zero()).coeffs() == Vec4(0, 0, 0, 1)));
  BOOST_TEST((cayley(Vec3::Zero()).coeffs() == Vec4(0, 0, 0, 1)));
  BOOST_TEST(agree("pi", rotation_vector(Quaternion(0, 0, 1, 0)), Vec3(0, M_PI, 0), 2 * eps * M_PI));
}

BOOST_AUTO_TEST_CASE(cayley_is_the_matrix_of_F1) {
  Random random(6);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Vec3 psi = random.vector(3);
    const Mat3 s = skew(psi);
    const Mat3 expected = Mat3::Identity() + (s + s * s / 2) / (1 + psi.squaredNorm() / 4);
    // About ten roundings; the largest terms are |psi|²/4 over 1 + |psi|²/4, below two.
    BOOST_TEST(agree("[F1]", cayley(psi).toRotationMatrix(), expected, 10 * eps * 2));
    BOOST_TEST(agree("cay(psi) psi = psi", cayley(psi) * psi, psi, 10 * eps * psi.norm()));
  }
}

// The Rodrigues vector is 2 tan(angle/2) about the axis.
BOOST_AUTO_TEST_CASE(cayley_and_exponential_turn_about_the_same_axis) {
  Random random(7);
  for (const double angle : {1e-8, 0.3, 1.0, 2.0, 3.0}) {
    const Vec3 axis = random.direction();
    const Vec3 psi = 2 * std::tan(angle / 2) * axis;
    // tan is conditioned like 1/cos² but the quaternion is not: its error is that of the angle, a few roundings.
    BOOST_TEST(agree("rotation", cayley(psi).coeffs(), exponential(angle * axis).coeffs(), 8 * eps));
  }
}

// [F4] for what is built of Cayley: a vector R moves by psi x (mean of R).
BOOST_AUTO_TEST_CASE(a_vector_moves_by_psi_cross_its_mean) {
  Random random(8);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Vec3 psi = random.vector(repeat % 2 ? 2 : 1e-9), R_n = random.vector();
    const Vec3 R_n1 = cayley(psi) * R_n;
    // |psi| and |R| are below four and two; at most ten roundings of their product: 1e-14, the figure of the theory.
    BOOST_TEST(agree("[F4]", Vec3(R_n1 - R_n), psi.cross(R_n + R_n1) / 2, 1e-14));
  }
}

// [F9]: cay(psi + d) = (1 + skew(T d)) cay(psi).
BOOST_AUTO_TEST_CASE(cayley_tangent_is_the_rotation_that_follows_psi) {
  Random random(9);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Vec3 psi = random.vector(repeat % 2 ? 2 : 1e-9);
    const double d = std::cbrt(eps);
    Mat3 T;
    for (int j = 0; j < 3; ++j) {
      const Quaternion above = cayley(psi + d * Vec3::Unit(j)), below = cayley(psi - d * Vec3::Unit(j));
      T.col(j) = rodrigues_vector(above * below.conjugate()) / (2 * d);
    }
    BOOST_TEST(agree("T", cayley_tangent(psi), T, 10 * std::pow(eps, 2.0 / 3))); // |T| <= 1
  }
}

// [D12]: A^-1 inverts A = 1 - skew(Theta)/2 and is the mean of 1 and cay(Theta).
BOOST_AUTO_TEST_CASE(half_turn_inverse_is_the_mean_rotation) {
  Random random(10);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const Vec3 Theta = random.vector(repeat % 2 ? 2 : 1e-9);
    const M3<double> found = half_turn_inverse(V3<double>{{Theta.x(), Theta.y(), Theta.z()}});
    const Mat3 A = Mat3::Identity() - skew(Theta) / 2, inverse = Eigen::Map<const Mat3>(found.m);
    // Ten roundings of entries below 1 + |Theta|/2 < 3.
    BOOST_TEST(agree("A^-1 A", inverse * A, Mat3(Mat3::Identity()), 10 * eps * 3));
    const Mat3 mean = (Mat3::Identity() + cayley(Theta).toRotationMatrix()) / 2;
    BOOST_TEST(agree("mean", inverse, mean, 10 * eps));
  }
}

BOOST_AUTO_TEST_CASE(skew_is_the_cross_product) {
  const Vec3 a(1, 2, 3), b(-4, 5, 7);
  BOOST_TEST((skew(a) * b == a.cross(b)));
  BOOST_TEST((skew(Vec3::UnitX()) * Vec3::UnitY() == Vec3::UnitZ()));
}

BOOST_AUTO_TEST_CASE(quaternions_are_stored_scalar_first) {
  const Quaternion quarter_turn_about_z(std::sqrt(0.5), 0, 0, std::sqrt(0.5));
  BOOST_TEST((to_wxyz(quarter_turn_about_z) == Vec4(std::sqrt(0.5), 0, 0, std::sqrt(0.5))));
  BOOST_TEST((from_wxyz(Vec4(1, 2, 3, 4)).vec() == Vec3(2, 3, 4)));
  BOOST_TEST(from_wxyz(Vec4(1, 2, 3, 4)).w() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
