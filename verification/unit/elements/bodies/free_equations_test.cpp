// Equations of a free body, four at once against one by one.
#include "elements/bodies/free_equations.hpp"
#include "elements/bodies/plain.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(FreeEquations)

namespace {

V3<Pack> pack(const V3<double> (&lanes)[4]) {
  V3<Pack> all;
  for (int i = 0; i < 3; ++i)
    all[i] = Pack{lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]};
  return all;
}
V3<double> lane(const V3<Pack>& a, int i) {
  return {{a[0][i], a[1][i], a[2][i]}};
}

template <class Map>
void hold_against_each_other(Random& random) {
  // Lanes on either side of the angle below which series replace trigonometry, and one that does not turn.
  for (const double size : {1e-9, 0.05, 0.09, 0.3, 1.0}) {
    const M3<double> J = plain(random.inertia());
    const double h = 0.1;
    V3<double> Theta[4], W[4], a_n[4], a[4];
    double q[4][4], lost[4][4];
    Pack q4[4], lost4[4];
    for (int i = 0; i < 4; ++i) {
      Theta[i] = plain(i == 0 ? Vec3(Vec3::Zero()) : random.vector(i * size));
      W[i] = plain(random.vector());
      a_n[i] = plain(random.vector());
      a[i] = plain(random.vector());
      const Vec4 start = to_wxyz(random.rotation());
      for (int k = 0; k < 4; ++k) {
        q4[k][i] = q[i][k] = start[k];
        lost4[k][i] = lost[i][k] = eps * start[k] / 4;
      }
    }
    M3<Pack> J4;
    for (int k = 0; k < 9; ++k)
      J4.m[k] = Pack{} + J.m[k];
    const V3<Pack> Theta4 = pack(Theta), turned = free_turn<Map>(J4, pack(W), pack(a), h, Theta4);
    V3<Pack> r4;
    M3<Pack> K4;
    balance_momenta(Map(), J4, pack(W), pack(a_n), pack(a), h, Theta4, r4, K4);
    add_turn<Map>(Theta4, q4, lost4);
    for (int i = 0; i < 4; ++i) {
      V3<double> r;
      M3<double> K;
      balance_momenta(Map(), J, W[i], a_n[i], a[i], h, Theta[i], r, K);
      add_turn<Map>(Theta[i], q[i], lost[i]);
      const V3<double> of_lane = lane(turned, i), one = free_turn<Map>(J, W[i], a[i], h, Theta[i]),
                       r_lane = lane(r4, i);
      // The same operations on numbers of about one: where a compiler fuses some of them, a few roundings.
      BOOST_TEST(agree("turn", of_eigen(of_lane), of_eigen(one), 20 * eps));
      BOOST_TEST(agree("residual", of_eigen(r_lane), of_eigen(r), 20 * eps));
      for (int k = 0; k < 9; ++k)
        BOOST_TEST(std::abs(K4.m[k][i] - K.m[k]) <= 20 * eps);
      for (int k = 0; k < 4; ++k) // what is lost makes good for how the sum was rounded
        BOOST_TEST(std::abs(q4[k][i] - q[i][k] + (lost4[k][i] - lost[i][k])) <= 4 * eps * (size + eps));
    }
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(packs_are_four_bodies) {
  Random random(1);
  hold_against_each_other<CayleyMap>(random);
  hold_against_each_other<ExponentialMap>(random);
}

// Newton's matrix of either map against differences of the residual.
template <class Map>
void look_at_tangent(Random& random) {
  for (const double size : {1e-3, 0.05, 1.0}) {
    const M3<double> J = plain(random.inertia());
    const V3<double> Theta = plain(random.vector(size)), W = plain(random.vector()), a_n = plain(random.vector()),
                     a = plain(random.vector());
    const double h = 0.3, d = std::cbrt(eps);
    V3<double> r, above, below;
    M3<double> K, unused;
    balance_momenta(Map(), J, W, a_n, a, h, Theta, r, K);
    for (int j = 0; j < 3; ++j) {
      V3<double> there = Theta;
      there[j] = Theta[j] + d;
      balance_momenta(Map(), J, W, a_n, a, h, there, above, unused);
      there[j] = Theta[j] - d;
      balance_momenta(Map(), J, W, a_n, a, h, there, below, unused);
      for (int i = 0; i < 3; ++i) // third derivatives and entries are of about one
        BOOST_TEST(std::abs(K(i, j) - (above[i] - below[i]) / (2 * d)) <= 10 * std::pow(eps, 2.0 / 3));
    }
  }
}

BOOST_AUTO_TEST_CASE(newton_has_the_derivative_of_the_residual) {
  Random random(2);
  look_at_tangent<CayleyMap>(random);
  look_at_tangent<ExponentialMap>(random);
}

BOOST_AUTO_TEST_SUITE_END()
