/// Steps back in time.
#include "elements/bodies/planar_chain.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/enforcement.hpp"
#include "verification/unit/solvers/integrators/conserving/composed_models.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

} // namespace

BOOST_AUTO_TEST_SUITE(Composition_)

// Back in time a step undoes itself, whatever the formulation: Newton ends at the rounding of terms like m z/h², and
// what of it goes to z is some ten units in the last place of coordinates of 6 m, larger by the condition of 3e4 only
// in multipliers [S1]. Velocities have 2/h times that.
BOOST_AUTO_TEST_CASE(a_step_back_undoes_a_step) {
  constexpr double h = 0.05;
  for (const BodyMaker& maker : body_makers()) {
    if (!maker.is_free)
      continue;
    Mechanism m = hanging_chain(2, ChainJoint::revolute, maker);
    begin(m);
    EnergyMomentum integrator(*m.model, {});
    State state = m.initial;
    for (const double step : {h, h, -h, -h})
      BOOST_TEST_REQUIRE(integrator.step(state, step).converged);
    BOOST_TEST_CONTEXT(maker.name)
    for (const Body* body : m.bodies) {
      const BodyMotion now = body->motion(state), before = body->motion(m.initial);
      BOOST_TEST((now.position - before.position).norm() <= 100 * eps * 6);
      BOOST_TEST((now.velocity - before.velocity).norm() <= 2 / h * 100 * eps * 6);
    }
    BOOST_TEST(std::abs(state.time) <= eps);
  }
}

// Sizes of terms, by which residuals are judged, and sums of impulses, by which imbalances are, have no sign.
BOOST_AUTO_TEST_CASE(sizes_do_not_know_the_direction_of_time) {
  constexpr double h = 0.05;
  std::vector<Mechanism> all;
  for (const BodyMaker& maker : body_makers())
    all.push_back(free_body(maker));
  Mechanism& links = all.emplace_back();
  PlanarChain{{Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitX()}, {{"link", 1, 0.5, 1, 0.1}}}.add_to(*links.model);
  links.initial = links.model->rest_state();
  Mechanism& point = all.emplace_back();
  PointMass::add_to(*point.model, "point", 1);
  point.initial = point.model->rest_state();
  for (const Mechanism& m : all) {
    const Body& body = *m.model->bodies().front();
    const VecX z = VecX::Constant(m.model->unknowns(), 0.1), lambda = VecX::Constant(m.model->multipliers(), 2);
    VecX size = VecX::Zero(body.unknowns() + body.multipliers()), size_back = size;
    PortMotions motions = m.model->port_motions();
    const Step there{m.initial, h, 1 / h, z, lambda}, back{m.initial, -h, -1 / h, z, lambda};
    m.model->move_ports(there, motions);
    body.add_magnitude({there, motions}, size);
    body.add_magnitude({back, motions}, size_back);
    BOOST_TEST_CONTEXT(body.kind()) {
      BOOST_TEST(size.minCoeff() > 0);
      BOOST_TEST((size == size_back));
    }
  }
  Mechanism held = free_body(body_makers().back());
  held.model->add(std::make_unique<Gravity>("weight", held.model->ports(), held.model->bodies().front()->port(), 2,
                                            Vec3(0, 0, -g_earth)));
  begin(held);
  EnergyMomentum integrator(*held.model, {});
  State state = held.initial;
  BOOST_TEST_REQUIRE(integrator.step(state, -h).converged);
  const StepBooks books = integrator.books(state);
  // Gravity, the answer of the ground to it, and what the ground gives to the body beyond.
  BOOST_TEST(books.impulse_sum >= 2 * 2 * g_earth * h);
  BOOST_TEST(books.angular_impulse_sum > 0);
}

BOOST_AUTO_TEST_SUITE_END()
