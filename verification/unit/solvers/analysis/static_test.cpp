/// Static equilibrium against closed forms.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/analysis/static_equilibrium.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/trial.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double g = 9.81;

/// Position of the ends of the links of a catenary of n equal links of length L and weight W between the origin and
/// (span, 0): the horizontal force H is constant, the vertical one changes by W per link, and every link is in balance
/// about its centre, so its slope is V/H with V the mean of its two ends.
struct DiscreteCatenary {
  DiscreteCatenary(int n, double L, double W, double span) {
    const auto reach = [&](double h) {
      double x = 0;
      for (int i = 0; i < n; ++i)
        x += L * std::cos(slope(i, n, W, h));
      return x;
    };
    double low = 1e-6 * W, high = 1e6 * W;
    for (int k = 0; k < 300; ++k) {
      H = std::sqrt(low * high);
      (reach(H) < span ? low : high) = H;
    }
    Vec3 end = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      const double angle = slope(i, n, W, H);
      end += L * Vec3(std::cos(angle), 0, std::sin(angle));
      ends.push_back(end);
    }
  }
  static double slope(int i, int n, double W, double h) { return std::atan2((i - (n - 1) / 2.0) * W, h); }
  double H = 0;
  std::vector<Vec3> ends;
};

/// n links of 0.5 m and 2 kg along x, hung by spherical joints between the origin and (span, 0, 0). They start in a
/// zigzag that only roughly fits.
Mechanism rope(int n, double span, const BodyMaker& maker) {
  Mechanism m;
  for (int i = 0; i < n; ++i) {
    m.bodies.push_back(
        &maker.add(*m.model, "link" + std::to_string(i), 2, Vec3(0.001, 2 * 0.25 / 12, 2 * 0.25 / 12).asDiagonal()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 2, Vec3(0, 0, -g)));
  }
  for (int i = 0; i <= n; ++i) {
    const JointSide I =
        i == 0 ? JointSide{} : JointSide{m.bodies[static_cast<std::size_t>(i - 1)]->port(), {0.25, 0, 0}};
    const JointSide J = i == n ? JointSide{Model::ground, {span, 0, 0}}
                               : JointSide{m.bodies[static_cast<std::size_t>(i)]->port(), {-0.25, 0, 0}};
    m.model->add(spherical_joint("joint" + std::to_string(i), m.model->ports(), I, J));
  }
  m.initial = m.model->rest_state();
  const double angle = std::acos(std::min(1.0, span / (n * 0.5)));
  Vec3 end = Vec3::Zero();
  for (int i = 0; i < n; ++i) {
    const double tilt = i % 2 == 0 ? angle : -angle;
    const Vec3 along(std::cos(tilt), 0, std::sin(tilt));
    m.bodies[static_cast<std::size_t>(i)]->set_motion(
        {end + 0.25 * along, exponential({0, -tilt, 0}), Vec3::Zero(), Vec3::Zero()}, m.initial);
    end += 0.5 * along;
  }
  return m;
}

const BodyMaker& maker_of(const std::string& name) {
  return *std::find_if(body_makers().begin(), body_makers().end(), [&](const BodyMaker& m) { return m.name == name; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(StaticEquilibrium_)

// From the bent start, half of it pointing upwards, to straight down. The first joint carries all the weight.
BOOST_AUTO_TEST_CASE(a_chain_hangs_straight_down) {
  for (const ChainJoint joint : {ChainJoint::revolute, ChainJoint::spherical}) {
    const int n = 6;
    const Mechanism m = hanging_chain(n, joint);
    State state = m.initial;
    const EquilibriumReport report = find_equilibrium(*m.model, state);
    BOOST_TEST(report.converged, report.message);
    BOOST_TEST(report.iterations <= 60);
    // links of a spherical chain may spin
    BOOST_TEST((report.stability == (joint == ChainJoint::revolute ? Stability::stable : Stability::neutral)));
    for (int i = 0; i < n; ++i) {
      // rounding of the forces, over the stiffness of the weakest mode: about (n weight) / (lowest weight) times eps,
      // in units of the length
      BOOST_TEST((m.bodies[static_cast<std::size_t>(i)]->motion(state).position - Vec3(0, 0, -1.5 - 3 * i)).norm() <=
                 100 * n * eps * 3 * n);
    }
    const double weight = n * 12 * g;
    BOOST_TEST(std::abs(std::abs(state.multipliers[2]) - weight) <= 100 * eps * weight);
    BOOST_TEST(state.multipliers.head<2>().norm() <= 100 * n * eps * weight);
    BOOST_TEST(state.rates.norm() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_rope_of_rigid_links_hangs_as_a_discrete_catenary) {
  for (const auto& [n, maker] : {std::make_pair(5, "frame"), {20, "frame"}, {5, "director"}, {20, "director"}}) {
    const double span = 0.3 * n;
    const Mechanism m = rope(n, span, maker_of(maker));
    const DiscreteCatenary exact(n, 0.5, 2 * g, span);
    State state = m.initial;
    const EquilibriumReport report = find_equilibrium(*m.model, state);
    BOOST_TEST(report.converged, report.message);
    BOOST_TEST((report.stability != Stability::unstable));
    BOOST_TEST_MESSAGE("catenary of " << n << " " << maker << " links: " << report.iterations
                                      << " iterations, residual " << report.residual);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      const BodyMotion motion = m.bodies[static_cast<std::size_t>(i)]->motion(state);
      worst = std::max(
          worst,
          (motion.position + motion.orientation * Vec3(0.25, 0, 0) - exact.ends[static_cast<std::size_t>(i)]).norm());
    }
    // Rounding of the forces n W eps over the stiffness of the weakest mode, H / (n L): n² n L times eps.
    BOOST_TEST(worst <= 100 * n * n * n * 0.5 * eps);
    const double H = exact.H, V = n * 2 * g / 2;
    const Vec3 first = state.multipliers.head<3>(), last = state.multipliers.tail<3>();
    BOOST_TEST((first.cwiseAbs() - Vec3(H, 0, V)).norm() <= 1000 * n * n * eps * V);
    BOOST_TEST((last.cwiseAbs() - Vec3(H, 0, V)).norm() <= 1000 * n * n * eps * V);
  }
}

// All hinges of a planar loop in space: 3 redundant equations. Its rest position is one of least energy.
BOOST_AUTO_TEST_CASE(redundant_loops_come_to_rest) {
  const Mechanism m = four_bar();
  State state = m.initial;
  const EquilibriumReport report = find_equilibrium(*m.model, state);
  BOOST_TEST(report.converged, report.message);
  BOOST_TEST((report.stability == Stability::stable));
  BOOST_TEST(m.model->books_at(state).potential < m.model->books_at(m.initial).potential - 1);
}

// Upright and exactly in balance: kept, and said to be unstable.
BOOST_AUTO_TEST_CASE(an_inverted_pendulum_is_unstable) {
  Mechanism m = hanging_chain(1, ChainJoint::revolute);
  m.bodies[0]->set_motion({{0, 0, 1.5}, exponential({3.14159265358979323846, 0, 0}), Vec3::Zero(), Vec3::Zero()},
                          m.initial);
  State state = m.initial;
  const EquilibriumReport report = find_equilibrium(*m.model, state);
  BOOST_TEST(report.converged);
  BOOST_TEST((report.stability == Stability::unstable));
}

BOOST_AUTO_TEST_CASE(a_free_body_under_its_weight_has_no_equilibrium) {
  Model model;
  const Body& body = FrameBody::add_to(model, "stone", 2, Mat3::Identity());
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -g)));
  State state = model.rest_state();
  EquilibriumOptions options;
  options.max_iterations = 20;
  const EquilibriumReport report = find_equilibrium(model, state, options);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.message.find("missing in 'stone' (frame body), force along z") != std::string::npos,
             report.message);
}

BOOST_AUTO_TEST_CASE(a_search_ends_when_it_may_not_go_on) {
  const Mechanism m = hanging_chain(6, ChainJoint::revolute);
  State state = m.initial;
  EquilibriumOptions options;
  options.go_on = [](int iterations) { return iterations < 3; };
  const EquilibriumReport report = find_equilibrium(*m.model, state, options);
  BOOST_TEST(report.stopped);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.iterations == 3);
}

BOOST_AUTO_TEST_SUITE_END()
