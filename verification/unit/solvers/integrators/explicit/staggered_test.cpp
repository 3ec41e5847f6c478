/// The two sequences of the staggered integrator: told where they part, and only there.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "solvers/integrators/explicit/staggered.hpp"
#include "verification/support/explicit_models.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(ExplicitJoints)

// docs/theory/explicit_rotation.md, [E10]: a swinging chain of two bodies loses them after some four seconds.
BOOST_AUTO_TEST_CASE(staggered_warns_once_where_its_sequences_part_and_not_before) {
  Mechanism m;
  for (const char* name : {"first", "second"})
    m.bodies.push_back(&FrameBody::add_to(*m.model, name, 1, Vec3(0.1, 0.09, 0.02).asDiagonal()));
  const Vec3 top(0, 0, 0.5), bottom(0, 0, -0.5);
  m.model->add(spherical_joint("support", m.model->ports(), {}, {m.bodies[0]->port(), top}));
  m.model->add(spherical_joint("link", m.model->ports(), {m.bodies[0]->port(), bottom}, {m.bodies[1]->port(), top}));
  for (const Body* body : m.bodies)
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), body->port(), 1, Vec3(0, 0, -9.81)));
  m.initial = m.model->rest_state();
  const Quaternion q = exponential({0, -1.2, 0}), r = exponential({0.4, -1.9, 0.3});
  m.bodies[0]->set_motion({q * bottom, q, Vec3::Zero(), Vec3::Zero()}, m.initial);
  m.bodies[1]->set_motion({q * bottom * 2 + r * bottom, r, Vec3::Zero(), Vec3::Zero()}, m.initial);
  m.model->begin(m.initial);
  ExplicitOptions options;
  options.method = ExplicitMethod::staggered;
  const auto integrator = make_explicit(*m.model, options);
  State state = m.initial;
  std::vector<std::string> warnings;
  Remedy remedy = Remedy::none;
  double first = 0;
  for (int i = 0; i < 1250 && warnings.empty(); ++i) {
    const StepReport report = integrator->step(state, 4e-3);
    BOOST_REQUIRE(report.converged);
    if (!report.warning.empty()) {
      warnings.push_back(report.warning);
      remedy = report.remedy;
      first = state.time;
    }
  }
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find("the two sequences of the staggered integrator part at t = ") == 0U);
  BOOST_TEST(warnings[0].find("body turned farthest: '") != std::string::npos, warnings[0]);
  BOOST_TEST((remedy == Remedy::one_sequence));
  BOOST_TEST(first > 1);
  BOOST_TEST(first < 4.5);
  for (int i = 0; i < 20; ++i) { // said once
    const StepReport report = integrator->step(state, 4e-3);
    BOOST_TEST(report.warning.empty());
    if (!report.converged)
      break;
  }
}

// The fast top on a ball joint, whose motion is regular: nothing to warn of, and mismatches are what they should be.
BOOST_AUTO_TEST_CASE(staggered_does_not_warn_of_a_regular_motion) {
  Mechanism m;
  m.bodies.push_back(&FrameBody::add_to(*m.model, "top", 2, Vec3(3, 3, 1).asDiagonal()));
  m.model->add(spherical_joint("tip", m.model->ports(), {}, {m.bodies[0]->port(), Vec3(0, 0, -1)}));
  m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies[0]->port(), 2, Vec3(0, 0, -10)));
  m.initial = m.model->rest_state();
  const Quaternion q = exponential({0.3, 0, 0});
  m.bodies[0]->set_motion({q * Vec3(0, 0, 1), q, Vec3::Zero(), q * Vec3(0, 0, 50)}, m.initial);
  m.model->begin(m.initial);
  ExplicitOptions options;
  options.method = ExplicitMethod::staggered;
  Staggered integrator(*m.model, options);
  State state = m.initial;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = integrator.step(state, 5e-3);
    BOOST_REQUIRE(report.converged);
    BOOST_TEST(report.warning.empty());
  }
  BOOST_TEST(integrator.mismatch() > 0);
  BOOST_TEST(integrator.mismatch() <= 3 * integrator.natural_mismatch()); // [E6]
  BOOST_TEST(integrator.mismatch() >= integrator.natural_mismatch() / 3);
}

BOOST_AUTO_TEST_SUITE_END()
