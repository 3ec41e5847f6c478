/// The critical step against eigenvalues of assembled models, and against runs.
#include "solvers/analysis/critical_step.hpp"

#include "elements/bodies/frame.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;

namespace {

/// 2/omega_max of the assembled model at a state.
double true_limit(const Model& model, const State& state) {
  const MatX K = MatX(linearise_statics(model, state).K), M = MatX(mass_matrix(model, state));
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> eigen((K + K.transpose()) / 2, M, Eigen::EigenvaluesOnly);
  return 2 / std::sqrt(eigen.eigenvalues().maxCoeff());
}

void add_spring(Model& model, const std::string& name, const NaturalVariable& a, const NaturalVariable& b,
                const SpringLaw& law) {
  model.add(std::make_unique<SpringDamper>(name, model.ports(), a, b, law));
}

/// The body on three springs of docs/theory/explicit_rotation.md's source: zero-length springs at three points.
struct ThreeSprings {
  ThreeSprings() : body(FrameBody::add_to(model, "body", 2, Vec3(0.3, 0.5, 0.2).asDiagonal())) {
    const double k[] = {1000, 2000, 500};
    const Vec3 at[] = {{0.5, 0, 0}, {-0.3, 0.4, 0}, {-0.3, -0.2, 0.3}};
    const char* names[] = {"one", "two", "three"};
    for (int i = 0; i < 3; ++i)
      add_spring(model, names[i], body_point(Model::ground, at[i]), body_point(body.port(), at[i]), {k[i], 0, 0});
    state = model.rest_state();
    model.begin(state);
  }
  Model model;
  const Body& body;
  State state;
};

/// Point masses of 1 kg in a row, with equal springs between them and to the ground at one end.
struct Chain {
  explicit Chain(int n) {
    for (int i = 0; i < n; ++i)
      PointMass::add_to(model, "m" + std::to_string(i), 1);
    state = model.rest_state();
    for (int i = 0; i < n; ++i) {
      const Body& body = *model.bodies()[static_cast<std::size_t>(i)];
      const Index before = i == 0 ? Index(Model::ground) : model.bodies()[static_cast<std::size_t>(i - 1)]->port();
      add_spring(model, "s" + std::to_string(i), body_point(before, Vec3::Zero()),
                 body_point(body.port(), Vec3::Zero()), {100, 1, 0});
      body.set_motion({Vec3(1.0 + i, 0, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    }
    model.begin(state);
  }
  Model model;
  State state;
};

CriticalStep critical(const Model& model, const State& state) {
  return critical_step(model, state, false);
}

} // namespace

BOOST_AUTO_TEST_SUITE(CriticalSteps)

// Section 8.3 of the notes: 2/omega_max = 0.029553, bound by elements 0.02589; both printed to their last digit.
BOOST_AUTO_TEST_CASE(a_body_on_three_springs_has_the_limits_of_the_notes) {
  const ThreeSprings s;
  const CriticalStep c = critical(s.model, s.state);
  BOOST_TEST(std::abs(c.elastic - 0.02589) <= 0.5e-5);
  BOOST_TEST(std::abs(true_limit(s.model, s.state) - 0.029553) <= 0.5e-6);
  BOOST_TEST(c.element == "two");
  BOOST_TEST(c.body == "body");
  BOOST_TEST(c.frequency == 2 / c.elastic, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(c.damping == 0);
  BOOST_TEST(std::isinf(c.gyroscopic));
  BOOST_TEST(std::isinf(c.turning));
  BOOST_TEST(c.stability() == c.elastic);
  BOOST_TEST(c.smallest() == c.elastic);
}

// Just below the true limit motion stays small, just above it grows without bound.
BOOST_AUTO_TEST_CASE(kick_drift_kick_is_stable_up_to_the_true_limit) {
  ThreeSprings s;
  s.body.set_motion({Vec3(1e-6, -2e-6, 1e-6), exponential(Vec3(2e-6, 1e-6, -1e-6)), Vec3::Zero(), Vec3::Zero()},
                    s.state);
  const auto largest = [&](double h) {
    State state = s.state;
    const auto integrator = schemes()[0].on(s.model);
    double x = 0;
    for (int i = 0; i < 4000 && x < 1e-2 && integrator->step(state, h).converged; ++i)
      x = std::max(x, state.values.head<3>().norm());
    return x;
  };
  const double limit = true_limit(s.model, s.state);
  BOOST_TEST(largest(0.99 * limit) < 1e-4);
  BOOST_TEST(largest(1.01 * limit) >= 1e-2);
  BOOST_TEST(largest(0.999 * critical(s.model, s.state).elastic) < 1e-4);
}

// Two bodies and one spring: omega² = k (1/m1 + 1/m2 + (r x n) I^-1 (r x n)) is exact.
BOOST_AUTO_TEST_CASE(one_spring_between_two_bodies_has_its_exact_limit) {
  Model model;
  const Body& a = FrameBody::add_to(model, "a", 2, Vec3(0.3, 0.5, 0.2).asDiagonal());
  const Body& b = PointMass::add_to(model, "b", 0.5);
  add_spring(model, "spring", body_point(a.port(), Vec3(0, 0.4, 0)), body_point(b.port(), Vec3::Zero()), {700, 1, 0});
  State state = model.rest_state();
  b.set_motion({Vec3(1, 0.4, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state); // n = e1, at ease
  model.begin(state);
  const double omega = std::sqrt(700 * (1 / 2.0 + 1 / 0.5 + 0.16 / 0.2));
  BOOST_TEST(critical(model, state).elastic == 2 / omega, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(true_limit(model, state) == 2 / omega, boost::test_tools::tolerance(1e-12));
}

// A chain of n equal masses and springs: omega_max < 2 sqrt(k/m), every spring alone has 2 k/m, and two meet in a body.
BOOST_AUTO_TEST_CASE(chains_are_bounded_from_below_and_not_by_much) {
  for (const int n : {2, 5, 30}) {
    const Chain chain(n);
    const double bound = critical(chain.model, chain.state).elastic, limit = true_limit(chain.model, chain.state);
    BOOST_TEST(bound <= limit * (1 + 1e-12));
    BOOST_TEST(bound >= limit / 3);
  }
  // 1000 bodies: omega² = 4 k/m sin²((2 i - 1) pi / (2 (2 n + 1))), the largest for i = n. The bound is 4 k/m.
  const int n = 1000;
  const Chain chain(n);
  const double omega = 2 * 10 * std::sin((2.0 * n - 1) * M_PI / (2 * (2.0 * n + 1)));
  const CriticalStep c = critical(chain.model, chain.state);
  BOOST_TEST(c.elastic <= 2 / omega);
  BOOST_TEST(c.elastic >= 0.999 * 2 / omega);
}

// A stiff spring in one corner is not added to those elsewhere, and is named.
BOOST_AUTO_TEST_CASE(the_limit_is_local_and_names_the_element_and_the_body) {
  Chain chain(20);
  const Body& last = *chain.model.bodies().back();
  add_spring(chain.model, "stiff", body_point(Model::ground, Vec3(20, 1, 0)), body_point(last.port(), Vec3::Zero()),
             {1e4, 1, 0});
  const CriticalStep c = critical(chain.model, chain.state);
  BOOST_TEST(c.element == "stiff");
  BOOST_TEST(c.body == "m19");
  BOOST_TEST(c.elastic == 2 / std::sqrt(1e4 + 200.0), boost::test_tools::tolerance(1e-12));
}

// Random bodies on every kind of spring, with forces in them: the bound holds for the assembled model, which knows the
// stiffness of forces that turn with the body (geometric stiffness) too.
BOOST_AUTO_TEST_CASE(the_bound_holds_for_springs_under_load) {
  Random random(831);
  for (int repeat = 0; repeat < 200; ++repeat) {
    Model model;
    const Body& a = FrameBody::add_to(model, "a", random.mass(), random.inertia());
    const Body& b = FrameBody::add_to(model, "b", random.mass(), random.inertia());
    const Index ports[] = {Model::ground, a.port(), b.port()};
    for (int i = 0; i < 3; ++i) {
      const Index I = ports[i], K = ports[(i + 1) % 3];
      add_spring(model, "spring", body_point(I, random.vector()), body_point(K, random.vector()),
                 {random.between(1, 100), random.between(0, 4) * (repeat % 2), 0});
    }
    if (repeat % 3 == 0) {
      BushingLaw law;
      law.K = 20 * Mat6::Identity();
      model.add(bushing("bushing", model.ports(), {a.port(), random.vector()}, {b.port(), random.vector()}, law));
    }
    State state = model.rest_state();
    for (const Body* body : {&a, &b})
      body->set_motion({random.vector(5), random.rotation(), Vec3::Zero(), Vec3::Zero()}, state);
    model.begin(state);
    BOOST_TEST(critical(model, state).elastic <= true_limit(model, state) * (1 + 1e-10));
  }
}

// A long soft spring without free length that pulls at an arm: the pull k d turns with the body, omega² of the rotation
// is k r (r + d)/J, and d may be anything.
BOOST_AUTO_TEST_CASE(a_force_at_an_arm_is_stiffness_too) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 1e6, Vec3(1, 1, 1).asDiagonal());
  add_spring(model, "rope", body_point(Model::ground, Vec3(50, 0, 0)), body_point(body.port(), Vec3(1, 0, 0)),
             {2, 0, 0});
  State state = model.rest_state();
  model.begin(state);
  const double omega = std::sqrt(2.0 * 1 * 50);
  BOOST_TEST(true_limit(model, state) == 2 / omega, boost::test_tools::tolerance(1e-5)); // the mass hardly moves
  BOOST_TEST(critical(model, state).elastic == 2 / omega, boost::test_tools::tolerance(1e-5));
}

// [E14] with damping: h = (2/omega)(sqrt(1 + zeta²) - zeta), exact for one oscillator.
BOOST_AUTO_TEST_CASE(damping_shortens_the_step) {
  for (const double zeta : {0.0, 0.05, 0.7, 3.0}) {
    Model model;
    const Body& body = PointMass::add_to(model, "mass", 2);
    const double omega = 30;
    add_spring(model, "spring", body_point(Model::ground, Vec3(-1, 0, 0)), body_point(body.port(), Vec3::Zero()),
               {2 * omega * omega, 1, 2 * zeta * omega * 2});
    State state = model.rest_state();
    model.begin(state);
    const CriticalStep c = critical(model, state);
    const double known = 2 / omega * (std::sqrt(1 + zeta * zeta) - zeta);
    BOOST_TEST(c.elastic == known, boost::test_tools::tolerance(1e-10)); // digits cancel for large zeta
    BOOST_TEST(agree("damping", c.damping, 2 * zeta * omega, 1e-10));
    // And a run at this step does not grow.
    body.set_motion({Vec3(1e-3, 0, 0), Quaternion::Identity(), Vec3(0.1, 0, 0), Vec3::Zero()}, state);
    const auto integrator = schemes()[0].on(model);
    for (int i = 0; i < 2000; ++i)
      BOOST_REQUIRE(integrator->step(state, 0.999 * c.elastic).converged);
    BOOST_TEST(state.values.norm() < 0.1);
  }
  // A damper alone: h < 2 m/c.
  Model model;
  const Body& body = PointMass::add_to(model, "mass", 2);
  add_spring(model, "dashpot", body_point(Model::ground, Vec3(-1, 0, 0)), body_point(body.port(), Vec3::Zero()),
             {0, 0, 8});
  const State state = model.rest_state();
  const CriticalStep c = critical(model, state);
  BOOST_TEST(c.elastic == 2 * 2 / 8.0, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(c.element == "dashpot");
  BOOST_TEST(c.frequency == 0);
}

// A coil between bodies about z: omega² = k (1/J1 + 1/J2), whichever way it is wound.
BOOST_AUTO_TEST_CASE(rotational_springs_count) {
  Model model;
  const Body& a = FrameBody::add_to(model, "a", 1, Vec3(1, 1, 0.5).asDiagonal());
  const Body& b = FrameBody::add_to(model, "b", 1, Vec3(1, 1, 0.25).asDiagonal());
  Mat3 axes; // n along z
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  model.add(std::make_unique<RotationalSpringDamper>("coil", model.ports(), JointSide{a.port(), Vec3::Zero(), axes},
                                                     JointSide{b.port(), Vec3::Zero(), axes}, SpringLaw{40, 0, 0}));
  State state = model.rest_state();
  model.begin(state);
  BOOST_TEST(critical(model, state).elastic == 2 / std::sqrt(40 * (2 + 4.0)), boost::test_tools::tolerance(1e-12));
}

// [E15] for the fast top, and what sets it: a ball that spins faster has no gyroscopic limit.
BOOST_AUTO_TEST_CASE(spin_limits_schemes_with_gyroscopic_forces) {
  Model model;
  const Body& top = FrameBody::add_to(model, "top", 1, Vec3(5, 5, 1).asDiagonal());
  const Body& ball = FrameBody::add_to(model, "ball", 1, Mat3::Identity());
  State state = model.rest_state();
  const Quaternion q = exponential({0.3, 0, 0});
  top.set_motion({Vec3::Zero(), q, Vec3::Zero(), q * Vec3(0, 0, 50)}, state);
  const CriticalStep c = critical_step(model, state, true);
  BOOST_TEST(c.gyroscopic == 0.05, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(c.turning == 0.01, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(c.spinning == "top");
  BOOST_TEST(c.nutating == "top");
  BOOST_TEST(c.stability() == c.gyroscopic);
  BOOST_TEST(c.smallest() == c.turning);
  BOOST_TEST(std::isinf(critical(model, state).gyroscopic));
  BOOST_TEST(std::isinf(critical(model, state).stability()));
  ball.set_motion({Vec3::Zero(), q, Vec3::Zero(), Vec3(80, 0, 0)}, state);
  const CriticalStep both = critical_step(model, state, true);
  BOOST_TEST(both.gyroscopic == 0.05, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(both.spinning == "ball");
  BOOST_TEST(both.nutating == "top");
}

BOOST_AUTO_TEST_CASE(what_nothing_limits_has_no_limit) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 1, Mat3::Identity());
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 1, Vec3(0, 0, -9.81)));
  const CriticalStep c = critical_step(model, model.rest_state(), true);
  BOOST_TEST(std::isinf(c.elastic));
  BOOST_TEST(std::isinf(c.smallest()));
  BOOST_TEST(c.element.empty());
  BOOST_TEST(c.body.empty());
}

BOOST_AUTO_TEST_SUITE_END()
