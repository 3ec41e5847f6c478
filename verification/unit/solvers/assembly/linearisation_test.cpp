/// Mass, stiffness and constraint matrices that are read off the elements.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

} // namespace

BOOST_AUTO_TEST_SUITE(Linearisation_)

BOOST_AUTO_TEST_CASE(mass_matrix_holds_mass_and_inertia) {
  const Mechanism m = hanging_chain(2, ChainJoint::revolute);
  const MatX M = mass_matrix(*m.model, m.initial);
  VecX expected(12);
  expected << 12, 12, 12, 9.25, 10, 1.25, 12, 12, 12, 9.25, 10, 1.25;
  // the second difference of numbers of size 8 M
  BOOST_TEST((M - MatX(expected.asDiagonal())).cwiseAbs().maxCoeff() <= 8 * eps * 12);
}

// f and phi are functions of the configuration; K and G must be their derivatives. Conservative forces and reactions in
// a frame that turns with the body: K is symmetric only in equilibrium, but a derivative it is everywhere.
BOOST_AUTO_TEST_CASE(stiffness_and_gradients_are_derivatives) {
  Mechanism m = four_bar();
  Random random(7);
  m.initial.multipliers = random.numbers(m.model->multipliers(), 5);
  const Statics s = linearise_statics(*m.model, m.initial);
  const double step = std::cbrt(eps);
  MatX K(m.model->unknowns(), m.model->unknowns()), G(m.model->multipliers(), m.model->unknowns());
  for (Index j = 0; j < m.model->unknowns(); ++j) {
    const VecX z = VecX::Unit(m.model->unknowns(), j) * step;
    const Statics ahead = linearise_statics(*m.model, moved(*m.model, m.initial, z));
    const Statics back = linearise_statics(*m.model, moved(*m.model, m.initial, -z));
    K.col(j) = (ahead.f - back.f) / (2 * step);
    G.col(j) = (ahead.phi - back.phi) / (2 * step);
  }
  const double tolerance = 10 * std::cbrt(eps * eps);
  BOOST_TEST((K - MatX(s.K)).cwiseAbs().maxCoeff() <= tolerance * MatX(s.K).norm());
  BOOST_TEST((G - MatX(s.G)).cwiseAbs().maxCoeff() <= tolerance * MatX(s.G).norm());
  BOOST_TEST(MatX(s.K).norm() > 1); // reactions do stiffen
}

BOOST_AUTO_TEST_CASE(residual_is_the_force_that_is_missing) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  State state = m.initial;
  BOOST_TEST(std::abs(linearise_statics(*m.model, state).f[2] - 12 * 9.81) <= 4 * eps * 12 * 9.81);
  state.rates.setOnes(); // whatever moves: statics does not see it
  state.multipliers[2] = -12 * 9.81;
  BOOST_TEST(std::abs(linearise_statics(*m.model, state).f[2]) <= 4 * eps * 12 * 9.81);
}

BOOST_AUTO_TEST_CASE(rows_are_named) {
  const Mechanism m = four_bar();
  const Statics s = linearise_statics(*m.model, m.initial);
  BOOST_TEST(s.rows.size() == 20u);
  BOOST_TEST(s.rows[6].name() == "'B' (revolute joint), position along y [m]");
}

// One box held at (0, 0, 1.5): 1/m along the box, 1/m + r²/J across it.
BOOST_AUTO_TEST_CASE(proximal_scales_are_the_mobility_of_the_joint) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  m.bodies[0]->set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, m.initial);
  const VecX S = proximal_scales(*m.model, m.initial);
  const Vec3 expected(1 + 12 * 2.25 / 10, 1 + 12 * 2.25 / 9.25, 1);
  BOOST_TEST((S - expected).cwiseAbs().maxCoeff() <= 20 * eps * expected.maxCoeff());
}

// A row that moves nothing still gets a scale: here both points of a distance-like row sit on the ground.
BOOST_AUTO_TEST_CASE(proximal_scales_are_never_zero) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  m.model->add(spherical_joint("idle", m.model->ports(), {}, {}));
  m.initial.multipliers.setZero(m.model->multipliers());
  const VecX S = proximal_scales(*m.model, m.initial);
  BOOST_TEST(S.size() == 6);
  BOOST_TEST(S.minCoeff() > 0);
}

// Directions without mass take the mean of the body's others: a lamina on four points has no mass across itself.
BOOST_AUTO_TEST_CASE(massless_directions_get_a_mass_for_scaling) {
  Model model;
  SpringTetra::add_to(model, "body", 2, Vec3(2, 2.5, 3).asDiagonal());
  SparseMatrix M = mass_matrix(model, model.rest_state());
  BOOST_TEST(positive_mass_diagonal(model, M) == M.diagonal());
  M.coeffRef(4, 4) = 0;
  const VecX mass = positive_mass_diagonal(model, M);
  BOOST_TEST(std::abs(mass[4] - M.diagonal().sum() / 11) <= 20 * eps * mass.maxCoeff());
}

BOOST_AUTO_TEST_SUITE_END()
