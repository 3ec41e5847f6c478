#include "verification/support/chains.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/differences.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {
const double pi = std::acos(-1.0);
} // namespace

// What acts on links and how they move is in planar_chain_motion_test.cpp.
BOOST_AUTO_TEST_SUITE(PlanarChains)

BOOST_AUTO_TEST_CASE(links_and_ports_pass_the_shared_checks) {
  for (const StepSize& size : step_sizes())
    for (std::uint64_t seed = 900; seed < 910; ++seed)
      BOOST_TEST_CONTEXT(size.name << " step, seed " << seed) {
        ChainScene s(seed);
        const Trial trial = random_trial(s.model, size, s.random);
        for (const ChainLink* link : s.links)
          check_body_but_energy(*link, s.model, trial, s.random);
        BOOST_TEST(s.links[2]->unknowns() == 3);
        BOOST_TEST(s.links[2]->has_inertia_at_instant());
      }
}

// [A6], every term, with the letters and signs of the published problem.
BOOST_AUTO_TEST_CASE(two_links_obey_the_published_equations) {
  for (std::uint64_t seed = 920; seed < 930; ++seed) {
    ChainScene s(seed, 2);
    const LinkProperties &l1 = s.chain.links[0], &l2 = s.chain.links[1];
    const VecX theta = s.random.numbers(2, pi), v = s.random.numbers(2, 5), a = s.random.numbers(2, 5);
    const double B = l2.mass * l1.length * l2.centre, cos = std::cos(theta[1] - theta[0]),
                 sin = std::sin(theta[1] - theta[0]);
    const Eigen::Vector2d f((l1.inertia + l1.mass * l1.centre * l1.centre + l2.mass * l1.length * l1.length) * a[0] +
                                B * cos * a[1] - B * sin * v[1] * v[1],
                            (l2.inertia + l2.mass * l2.centre * l2.centre) * a[1] + B * cos * a[0] +
                                B * sin * v[0] * v[0]);
    // Some thirty products, of masses and arms below three, with accelerations below 25.
    BOOST_TEST(agree("[A6]", ChainInertia(s.model, theta, v, a).f, VecX(f), 30 * eps * 3 * 2.25 * 50));
  }
}

// [A6] of any number of links: M_ij = B_ij cos(theta_i - theta_j) + I_i on the diagonal, and likewise with sin and v².
BOOST_AUTO_TEST_CASE(any_number_of_links_obeys_the_closed_form) {
  for (std::uint64_t seed = 980; seed < 990; ++seed) {
    ChainScene s(seed, 5);
    const VecX theta = s.random.numbers(5, pi), v = s.random.numbers(5, 5), a = s.random.numbers(5, 5);
    VecX f = VecX::Zero(5);
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        const auto row = static_cast<Index>(i), column = static_cast<Index>(j);
        const LinkProperties &upper = s.chain.links[std::min(i, j)], &lower = s.chain.links[std::max(i, j)];
        double below = 0;
        for (std::size_t k = std::max(i, j) + 1; k < 5; ++k)
          below += s.chain.links[k].mass;
        const double arm = i == j ? upper.centre : upper.length;
        const double B = arm * lower.mass * lower.centre + upper.length * below * lower.length;
        const double turn = theta[row] - theta[column];
        f[row] += B * (std::cos(turn) * a[column] + std::sin(turn) * v[column] * v[column]);
        if (i == j)
          f[row] += upper.inertia * a[row];
      }
    // Some hundred products, of masses below 15, arms below 1.5 and accelerations below 25.
    BOOST_TEST(agree("[A6]", ChainInertia(s.model, theta, v, a).f, f, 100 * eps * 15 * 2.25 * 50));
  }
}

// Lagrange's equations of the kinetic energy, d/dt dT/dv - dT/dtheta, by differences. T is quadratic in v, so that
// differences of any size are exact there.
BOOST_AUTO_TEST_CASE(inertia_is_that_of_the_kinetic_energy) {
  for (std::uint64_t seed = 930; seed < 940; ++seed) {
    ChainScene s(seed, 3);
    VecX theta = s.random.numbers(3, pi), v = s.random.numbers(3, 2), a = s.random.numbers(3, 2);
    const auto T = [&] { return MatX(MatX::Constant(1, 1, kinetic(s.chain.links, theta, v))); };
    const VecX theta_0 = theta, v_0 = v;
    VecX t = VecX::Zero(1);
    const auto momenta = [&] {
      theta = theta_0 + t[0] * v_0;
      v = v_0 + t[0] * a;
      MatX p(3, 1);
      for (Index i = 0; i < 3; ++i)
        p(i, 0) = difference(v, i, 1, T)(0, 0);
      return p;
    };
    VecX f = difference(t, 0, difference_step(), momenta);
    theta = theta_0;
    v = v_0;
    for (Index i = 0; i < 3; ++i)
      f[i] -= difference(theta, i, difference_step(), T)(0, 0);
    // Energies and momenta of three links of less than 3 kg with tips below 10 m/s.
    BOOST_TEST(agree("f", ChainInertia(s.model, theta, v, a).f, f, difference_error() * 3 * 3 * 100));
    // and the momenta are M v
    const ChainInertia inertia(s.model, theta, v, a);
    BOOST_TEST(agree("T", v.dot(inertia.M * v) / 2, T()(0, 0), 60 * eps * 3 * 3 * 100));
  }
}

BOOST_AUTO_TEST_CASE(inertia_at_an_instant_has_exact_derivatives) {
  for (std::uint64_t seed = 940; seed < 950; ++seed) {
    ChainScene s(seed, 4);
    VecX theta = s.random.numbers(4, pi), v = s.random.numbers(4, 3), a = s.random.numbers(4, 3);
    const ChainInertia exact(s.model, theta, v, a);
    const auto f = [&] { return MatX(ChainInertia(s.model, theta, v, a, false).f); };
    MatX M(4, 4), C(4, 4), K(4, 4);
    for (Index i = 0; i < 4; ++i) {
      M.col(i) = difference(a, i, difference_step(), f);
      C.col(i) = difference(v, i, difference_step(), f);
      K.col(i) = difference(theta, i, difference_step(), f);
    }
    // Terms of f: four links of 3 kg, arms below 1.5 m, v² and a below 12.
    const double tolerance = difference_error() * 4 * 3 * 4 * 2.25 * 12;
    BOOST_TEST(agree("M", exact.M, M, tolerance));
    BOOST_TEST(agree("C", exact.C, C, tolerance));
    BOOST_TEST(agree("K", exact.K, K, tolerance));
    BOOST_TEST((ChainInertia(s.model, theta, v, a, false).M.isZero(0)));
  }
}

// [A24]: the step is the inertia at the mean motion. One that does not move has no inertia, or that of masses alone.
BOOST_AUTO_TEST_CASE(a_step_is_the_midpoint_rule_in_the_angles) {
  ChainScene s(950);
  Trial t = random_trial(s.model, step_sizes()[2], s.random);
  const auto all = [&](const Step& step) {
    std::pair<VecX, MatX> sum{VecX::Zero(3), MatX::Zero(3, 3)};
    for (const ChainLink* link : s.links) {
      const Index n = link->unknowns();
      LocalSystem out{sum.first.head(n), sum.second.topLeftCorner(n, n), true};
      link->evaluate({step, t.motions(s.model)}, out);
    }
    return sum;
  };
  const VecX theta_m = t.n.values + t.z / 2, v_m = t.z / t.h, a = 2 * (v_m - t.n.rates) / t.h;
  const VecX f = ChainInertia(s.model, theta_m, v_m, a).f;
  BOOST_TEST(agree("f", all(t.step()).first, f, 60 * eps * f.cwiseAbs().maxCoeff()));

  const VecX z = VecX::Zero(3);
  State rest = t.n;
  rest.rates.setZero();
  BOOST_TEST((all({rest, no_time, 0, z, t.lambda}).second.isZero(0)));
  BOOST_TEST((all({rest, no_time, 0, z, t.lambda}).first.isZero(0)));
  BOOST_TEST((all({rest, no_time, 1, z, t.lambda}).second == 2 * ChainInertia(s.model, rest.values, z, z).M));
}

BOOST_AUTO_TEST_CASE(a_chain_has_at_most_as_many_links_as_a_port_has_unknowns) {
  ChainScene longest(952, 24);
  BOOST_TEST(longest.links.back()->unknowns() == 24);
  BOOST_CHECK_EXCEPTION(ChainScene(953, 25), std::length_error, [](const std::length_error& e) {
    return std::string(e.what()) == "a planar chain may have at most 24 links, this one has 25";
  });
}

BOOST_AUTO_TEST_SUITE_END()
