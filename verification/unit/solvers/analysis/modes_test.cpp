/// Vibrations against closed forms.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/pivoted.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/analysis/initial_assembly.hpp"
#include "solvers/analysis/modes.hpp"
#include "solvers/analysis/static_equilibrium.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/trial.hpp"

#include <Eigen/Eigenvalues>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double g = 9.81;
constexpr double pi = 3.14159265358979323846;

/// Spring and damper that hold the centre of a body at the origin, different along the axes of space.
class Anchor final : public Interaction {
public:
  Anchor(const Ports& ports, Index port, const Vec3& k, const Vec3& c)
      : Interaction("anchor", "anchor", ports, {body_point(port, Vec3::Zero())},
                    {ConstraintRows::none(), no_history, Acts::between_bodies, Forces::of_configuration,
                     Nonlinear::in_displacements}),
        k_(k), c_(c) {}
  void evaluate_natural(const NaturalStep& s, NaturalSystem& out) const override {
    out.r += k_.cwiseProduct(Vec3(s.q_m)) + c_.cwiseProduct(Vec3(s.q_n1 - s.q_n)) * s.inv_h;
    if (out.tangent)
      out.k.diagonal() += k_ / 2 + c_ * s.inv_h;
  }
  std::string row_name(Index) const override { return "anchor"; }

private:
  Vec3 k_, c_;
};

/// The boxes of hanging_chain(), hinged about x, straight down, of any kind of body.
Mechanism straight_chain(int n, const BodyMaker& maker) {
  Mechanism m;
  for (int i = 0; i < n; ++i)
    m.bodies.push_back(&maker.add(*m.model, "link" + std::to_string(i), 12, Vec3(9.25, 10, 1.25).asDiagonal()));
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const Index port = m.bodies[i]->port();
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), port, 12, Vec3(0, 0, -g)));
    m.model->add(revolute_joint("joint" + std::to_string(i), m.model->ports(),
                                i == 0 ? JointSide{} : JointSide{m.bodies[i - 1]->port(), {0, 0, -1.5}},
                                {port, {0, 0, 1.5}}));
  }
  m.initial = m.model->rest_state();
  for (int i = 0; i < n; ++i)
    m.bodies[static_cast<std::size_t>(i)]->set_motion(
        {{0, 0, -1.5 - 3 * i}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, m.initial);
  return m;
}

/// Kinds of body that stay rigid and go where they are put.
std::vector<const BodyMaker*> rigid_makers() {
  std::vector<const BodyMaker*> makers;
  for (const BodyMaker& maker : body_makers())
    if (maker.name != "soft tetra" && maker.is_free)
      makers.push_back(&maker);
  return makers;
}

Model& with_free_body(Model& model) {
  FrameBody::add_to(model, "body", 2, Vec3(1, 2, 2.5).asDiagonal());
  return model;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Modes_)

// Frequencies of planar chains of boxes, by independent computation, to twelve decimals.
BOOST_AUTO_TEST_CASE(hinged_boxes_swing_as_they_should) {
  const std::vector<std::vector<double>> expected{{2.207073268787},
                                                  {1.545782624618, 4.113959715108},
                                                  {1.088837684612, 2.618258683603, 4.578382740487, 7.518155537521}};
  for (const BodyMaker* maker : rigid_makers())
    for (const std::vector<double>& omega : expected) {
      const Mechanism m = straight_chain(static_cast<int>(omega.size()), *maker);
      const ModalReport report = find_modes(*m.model, m.initial);
      BOOST_TEST_CONTEXT(maker->name << " bodies, " << omega.size()) {
        BOOST_TEST(report.degrees_of_freedom == static_cast<Index>(omega.size()));
        BOOST_TEST(!report.damped);
        BOOST_TEST(report.imbalance <= 1e-15);
        BOOST_REQUIRE(report.modes.size() == omega.size());
        for (std::size_t i = 0; i < omega.size(); ++i) {
          BOOST_TEST(std::abs(report.modes[i].omega - omega[i]) <= 1e-12); // as printed
          BOOST_TEST(report.modes[i].frequency == report.modes[i].omega / (2 * pi));
          BOOST_TEST(report.modes[i].damping_ratio == 0);
        }
      }
    }
}

// Two different bars: (I1 + m2 L²) a1'' + m2 L r2 a2'' + (m1 r1 + m2 L) g a1 = 0, m2 L r2 a1'' + I2 a2'' + m2 r2 g a2 =
// 0, I about the upper ends. Also the shapes: angles of the two links, and modal mass one.
BOOST_AUTO_TEST_CASE(double_pendulum_has_its_two_frequencies_and_shapes) {
  const double m1 = 3, m2 = 1.7, J1 = 0.4, J2 = 0.9, r1 = 0.6, r2 = 0.5, L = 1.1;
  Model model;
  const Body& upper = FrameBody::add_to(model, "upper", m1, Vec3(J1, 1, 1).asDiagonal());
  const Body& lower = FrameBody::add_to(model, "lower", m2, Vec3(J2, 1, 1).asDiagonal());
  for (const Body* body : {&upper, &lower})
    model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), body->mass(), Vec3(0, 0, -g)));
  model.add(revolute_joint("A", model.ports(), {}, {upper.port(), {0, 0, r1}}));
  model.add(revolute_joint("B", model.ports(), {upper.port(), {0, 0, r1 - L}}, {lower.port(), {0, 0, r2}}));
  State state = model.rest_state();
  // From a bent start, so that the equilibrium is part of the test.
  upper.set_motion({{0, 0.6 * 0.6, -0.6 * 0.8}, exponential({std::atan2(0.6, 0.8), 0, 0}), Vec3::Zero(), Vec3::Zero()},
                   state);
  lower.set_motion({{0, 1.1 * 0.6, -1.1 * 0.8 - 0.5}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
  BOOST_TEST(find_equilibrium(model, state).converged);
  const ModalReport report = find_modes(model, state);
  BOOST_REQUIRE(report.modes.size() == 2u);

  const double a = J1 + m1 * r1 * r1 + m2 * L * L, b = m2 * L * r2, d = J2 + m2 * r2 * r2;
  const double k1 = (m1 * r1 + m2 * L) * g, k2 = m2 * r2 * g;
  const double det = a * d - b * b, half = (a * k2 + d * k1) / 2;
  const double root = std::sqrt(half * half - det * k1 * k2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double square = (half + (i == 0 ? -root : root)) / det;
    const Mode& mode = report.modes[i];
    BOOST_TEST(std::abs(mode.omega - std::sqrt(square)) <= 1e-12 * std::sqrt(square)); // some thousand roundings
    const double turn1 = mode.shape[3].real(), turn2 = mode.shape[9].real();           // about x
    BOOST_TEST(std::abs(turn2 / turn1 - (k1 - square * a) / (square * b)) <= 1e-11);
    BOOST_TEST(std::abs(turn1 * turn1 * a + 2 * turn1 * turn2 * b + turn2 * turn2 * d - 1) <= 1e-11);
    BOOST_TEST(mode.shape.real().maxCoeff() == mode.shape.cwiseAbs().maxCoeff()); // the largest entry is positive
    BOOST_TEST(mode.shape.imag().norm() == 0);
  }
}

// A body on a fixed point, from a bent start: it swings about its two horizontal axes with omega² = m g L/J_p, and
// turns freely about the vertical.
BOOST_AUTO_TEST_CASE(a_body_on_a_fixed_point_swings_as_a_pendulum) {
  const double mass = 3, L = 0.5;
  const Vec3 J(0.26, 0.2525, 0.0125), X_p(1, 2, 3);
  Model model;
  const Body& body = PivotedBody::add_to(model, "bell", mass, J.asDiagonal(), {0, 0, L}, X_p);
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), mass, Vec3(0, 0, -g)));
  State state = model.rest_state();
  body.set_motion({Vec3::Zero(), exponential({2, 0.3, 0}), Vec3::Zero(), Vec3::Zero()}, state);
  const EquilibriumReport found = find_equilibrium(model, state);
  BOOST_TEST(found.converged, found.message);
  BOOST_TEST((found.stability == Stability::neutral));
  // forces balance to rounding, and the stiffness of the swing is its weight times its length
  BOOST_TEST((body.motion(state).position - X_p - Vec3(0, 0, -L)).norm() <= 1e-14);
  const ModalReport report = find_modes(model, state);
  BOOST_REQUIRE(report.modes.size() == 3u);
  BOOST_TEST(report.degrees_of_freedom == 3);
  BOOST_TEST(report.modes[0].omega <= 1e-7 * report.modes[2].omega); // the root of rounding
  for (const int axis : {0, 1}) {                                    // about x the inertia is larger: slower
    const double omega = std::sqrt(mass * g * L / (J[axis] + mass * L * L));
    BOOST_TEST(std::abs(report.modes[static_cast<std::size_t>(1 + axis)].omega - omega) <= 1e-12 * omega);
  }
}

// 200 boxes have 1200 unknowns: sparse matrices and iteration. Against the equations of the chain in the angles a of
// its links, T = sum of m/2 (L a1' + .. + L a(k-1)' + r ak')² + J/2 ak'², V = sum of g/2 (m r + m L (n - k)) ak².
BOOST_AUTO_TEST_CASE(long_chains_are_solved_for_their_lowest_frequencies) {
  const int n = 200;
  const double mass = 12, J = 9.25, r = 1.5, L = 3;
  MatX A = MatX::Zero(n, n); // velocity of centre k from the rates of the angles
  VecX K(n);
  for (int k = 0; k < n; ++k) {
    A.row(k).head(k).setConstant(L);
    A(k, k) = r;
    K[k] = g * mass * (r + L * (n - 1 - k));
  }
  const MatX M = mass * A.transpose() * A + J * MatX::Identity(n, n);
  // of the inverse, whose largest eigenvalues are exact to rounding
  const MatX D = K.cwiseSqrt().cwiseInverse().asDiagonal();
  const VecX periods = Eigen::SelfAdjointEigenSolver<MatX>(D * M * D).eigenvalues();

  const Mechanism m = straight_chain(n, *rigid_makers().front());
  const ModalReport report = find_modes(*m.model, m.initial);
  BOOST_TEST(report.degrees_of_freedom == n);
  BOOST_REQUIRE(report.modes.size() == 20u);
  for (int i = 0; i < 20; ++i) {
    const double omega = 1 / std::sqrt(periods[n - 1 - i]);
    BOOST_TEST(std::abs(report.modes[static_cast<std::size_t>(i)].omega / omega - 1) <= 1e-10);
  }
  ModalOptions three;
  three.count = 3;
  BOOST_TEST(find_modes(*m.model, m.initial, three).modes.size() == 3u);
}

BOOST_AUTO_TEST_CASE(an_inverted_pendulum_grows) {
  Mechanism m = straight_chain(1, *rigid_makers().front());
  m.bodies[0]->set_motion({{0, 0, 1.5}, exponential({pi, 0, 0}), Vec3::Zero(), Vec3::Zero()}, m.initial);
  const ModalReport report = find_modes(*m.model, m.initial);
  BOOST_REQUIRE(report.modes.size() == 1u);
  BOOST_TEST(std::abs(report.modes[0].eigenvalue - 2.207073268787) <= 1e-12);
  BOOST_TEST(report.modes[0].omega == 0);
  BOOST_TEST(report.modes[0].damping_ratio == -1);
}

BOOST_AUTO_TEST_CASE(a_free_body_has_six_motions_without_resistance) {
  for (const BodyMaker* maker : rigid_makers()) {
    Model model;
    maker->add(model, "body", 2, Vec3(1, 2, 2.5).asDiagonal());
    State state = model.rest_state();
    model.bodies()[0]->set_motion({{1, 2, 3}, exponential({0.4, -0.3, 0.8}), Vec3::Zero(), Vec3::Zero()}, state);
    const ModalReport report = find_modes(model, state);
    BOOST_TEST_CONTEXT(maker->name) {
      BOOST_REQUIRE(report.modes.size() == 6u);
      for (const Mode& mode : report.modes)
        BOOST_TEST(mode.eigenvalue == 0.0);
    }
  }
}

// m x'' + c x' + k x = 0 along each axis: weakly damped, critically damped beyond, and not held at all. The body's
// rotations are free.
BOOST_AUTO_TEST_CASE(damped_oscillators_have_their_closed_forms) {
  Model model;
  with_free_body(model);
  const double m = 2;
  model.add(std::make_unique<Anchor>(model.ports(), model.bodies()[0]->port(), Vec3(50, 8, 0), Vec3(1.2, 30, 0.5)));
  const ModalReport report = find_modes(model, model.rest_state());
  BOOST_TEST(report.damped);
  BOOST_TEST(report.degrees_of_freedom == 6);
  // 3 rotations; s = 0 of the axis that only a damper holds; the creeping pair; the damper's; the oscillation
  BOOST_REQUIRE(report.modes.size() == 3u + 1 + 2 + 1 + 1);
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(std::abs(report.modes[static_cast<std::size_t>(i)].eigenvalue) <= 1e-13);
  const double root = std::sqrt(30.0 * 30 - 4 * m * 8);
  const std::complex<double> expected[] = {-0.5 / m, -2 * 8 / (30 + root),
                                           std::complex<double>(-1.2, std::sqrt(4 * m * 50 - 1.2 * 1.2)) / (2 * m),
                                           -(30 + root) / (2 * m)};
  for (std::size_t i = 0; i < 4; ++i)
    BOOST_TEST(std::abs(report.modes[4 + i].eigenvalue - expected[i]) <= 1e-12 * 15); // of the largest
  const Mode& oscillation = report.modes[6];
  BOOST_TEST(std::abs(oscillation.damping_ratio - 1.2 / (2 * std::sqrt(m * 50))) <= 1e-12);
  BOOST_TEST(std::abs(std::abs(oscillation.shape[0]) - 1 / std::sqrt(m)) <= 1e-12);

  const ModalReport undamped = find_modes(model, model.rest_state(), {false});
  BOOST_TEST(!undamped.damped);
  BOOST_REQUIRE(undamped.modes.size() == 6u);
  BOOST_TEST(std::abs(undamped.modes[4].omega - 2) <= 1e-14);
  BOOST_TEST(std::abs(undamped.modes[5].omega - 5) <= 1e-14);
}

// A planar four-bar linkage in space has one freedom, three of its equations are redundant. Its frequency: the energy
// along the motion, V'' / (mass along it), from states a small angle apart.
BOOST_AUTO_TEST_CASE(redundant_loops_vibrate) {
  const Mechanism m = four_bar();
  State state = m.initial;
  BOOST_TEST(find_equilibrium(*m.model, state).converged);
  const ModalReport report = find_modes(*m.model, state);
  BOOST_REQUIRE(report.modes.size() == 1u);
  const double amplitude = 1e-3; // of the modal coordinate, whose mass is one
  const auto potential = [&](double a) {
    State there = moved(*m.model, state, a * report.modes[0].shape.real());
    close_gaps(*m.model, MassMetric(*m.model, state), {}, there);
    return m.model->books_at(there).potential;
  };
  const double second = (potential(amplitude) - 2 * potential(0) + potential(-amplitude)) / (amplitude * amplitude);
  // truncation: the square of the amplitude; rounding of 20 J over its square, 4e-9
  BOOST_TEST(std::abs(second / (report.modes[0].omega * report.modes[0].omega) - 1) <= 10 * amplitude * amplitude);
}

BOOST_AUTO_TEST_SUITE_END()
