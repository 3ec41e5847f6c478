/// Models in which something only pushes, while nothing does: the path of a step.
#include "core/archive.hpp"
#include "elements/limits/limit.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

JointSide floor_at(double height) {
  JointSide side;
  side.at = Vec3(0, 0, height);
  side.axes << 0, 1, 0, 0, 0, 1, 1, 0, 0; // its normal is z
  return side;
}

/// A chain with a floor at some height, which the end of its last body is to keep off.
Mechanism chain_above(double height, ChainJoint joint, const BodyMaker& body, const Enforcement& how = {}) {
  Mechanism m = hanging_chain(3, joint, body);
  m.model->add(
      wall("floor", m.model->ports(), floor_at(height), body_point(m.bodies.back()->port(), Vec3(0, 0, -1.5)), 0, 1),
      how);
  begin(m);
  return m;
}

const std::vector<Enforcement> ways{{}, {EnforcementMethod::penalty, 1e6}, {EnforcementMethod::augmented_lagrangian}};

} // namespace

BOOST_AUTO_TEST_SUITE(AtRest)

// A floor that is never touched changes no bit of the motion, no iteration and no equation: condensation, wrenches and
// packs are those of the model without it.
BOOST_DATA_TEST_CASE(what_never_pushes_changes_no_bit,
                     data::make({false, true}) * data::make({0, 1, 2}) * data::make({0, 1, 2}), hinged, way, kind) {
  const ChainJoint joint = hinged ? ChainJoint::revolute : ChainJoint::spherical;
  const BodyMaker& body = body_makers()[static_cast<std::size_t>(kind)];
  const Mechanism plain = hanging_chain(3, joint, body);
  const Mechanism limited = chain_above(-100, joint, body, ways[static_cast<std::size_t>(way)]);
  EnergyMomentum one(*plain.model, {}), other(*limited.model, {});
  State a = plain.initial, b = limited.initial;
  for (int i = 0; i < 60; ++i) {
    const StepReport expected = one.step(a, 0.01), found = other.step(b, 0.01);
    BOOST_REQUIRE(expected.converged);
    BOOST_REQUIRE(found.converged);
    BOOST_TEST(found.iterations == expected.iterations);
    BOOST_TEST((a.values == b.values));
    BOOST_TEST((a.rates == b.rates));
    BOOST_TEST((a.multipliers == b.multipliers.head(a.multipliers.size())));
    BOOST_TEST(b.multipliers.tail(1)[0] == 0);
    BOOST_TEST(one.books(a).energy() == other.books(b).energy());
  }
}

// The chain falls onto a floor: with and without a path of its own for steps in which it does not touch it, the motion
// is the same to what an iteration leaves, which impacts magnify.
BOOST_DATA_TEST_CASE(impacts_are_the_same_by_every_path, data::make({0, 1, 2}), way) {
  const Mechanism m =
      chain_above(-2.5, ChainJoint::spherical, body_makers().front(), ways[static_cast<std::size_t>(way)]);
  NewtonOptions by_snes;
  by_snes.by_snes = true;
  EnergyMomentum one(*m.model, {}), other(*m.model, by_snes);
  State a = m.initial, b = m.initial;
  int pushed = 0, open = 0;
  const double before = m.model->books_at(m.initial).energy();
  for (int i = 0; i < 150; ++i) {
    BOOST_REQUIRE(one.step(a, 0.01).converged);
    BOOST_REQUIRE(other.step(b, 0.01).converged);
    (a.multipliers.tail(1)[0] > 0 ? pushed : open)++;
    // Walls take no energy; a step in which one should have pushed and did not would give it some. Iterations of
    // augmented Lagrangians leave 1e-10 of it.
    BOOST_TEST(std::abs(one.books(a).energy() - before) <= 1e-9 * 12 * 9.81 * 9, "after step " << i);
    BOOST_TEST((a.values - b.values).lpNorm<Eigen::Infinity>() <= 1e-9, "after step " << i);
  }
  BOOST_TEST(pushed >= 1);
  BOOST_TEST(open >= 100);
}

// A run goes on from a copy bit by bit wherever it is copied: in flight, and while something pushes.
BOOST_DATA_TEST_CASE(a_run_goes_on_from_any_of_its_states, data::make({0, 1, 2}), way) {
  const Mechanism m =
      chain_above(-2.5, ChainJoint::revolute, body_makers().front(), ways[static_cast<std::size_t>(way)]);
  const SimulationOptions options{0.01, 1.5, 4};
  EnergyMomentum whole_integrator(*m.model, {});
  Simulation whole(*m.model, m.initial, whole_integrator, options);
  std::vector<Bytes> states;
  whole.observe([&](const Simulation& s, long) { states.push_back(bytes_of(s.run_state())); });
  BOOST_REQUIRE(whole.run().completed);
  int seen = 0;
  for (std::size_t i = 0; i < states.size(); i += 7) {
    RunState run;
    ByteReader{states[i]}(run);
    BOOST_TEST((bytes_of(run) == states[i]));
    run.has_begun = true; // seen by the observer that has just looked
    EnergyMomentum integrator(*m.model, {});
    Simulation rest(*m.model, std::move(run), integrator, options);
    BOOST_TEST(rest.run().completed);
    BOOST_TEST(same_bits(rest.run_state(), whole.run_state()), "from step " << i);
    ++seen;
  }
  BOOST_TEST(seen >= 20);
}

// Integrators take no memory for theirs that another one has left.
BOOST_AUTO_TEST_CASE(a_memory_of_another_integrator_means_nothing) {
  const Mechanism m = hanging_chain(2, ChainJoint::spherical);
  Composition fourth(*m.model, stages_of_order(4), {});
  EnergyMomentum second(*m.model, {});
  State state = m.initial;
  for (int i = 0; i < 8; ++i)
    BOOST_REQUIRE(fourth.step(state, 0.01).converged);
  State bare = state;
  bare.memory.clear();
  EnergyMomentum other(*m.model, {});
  BOOST_REQUIRE(second.step(state, 0.01).converged);
  BOOST_REQUIRE(other.step(bare, 0.01).converged);
  BOOST_TEST((state == bare));
}

BOOST_AUTO_TEST_SUITE_END()
