/// Orders of composed steps, whatever the bodies, joints, loads and drives [S7]-[S11].
#include "elements/bodies/planar_chain.hpp"
#include "elements/forces/gravity.hpp"
#include "verification/support/enforcement.hpp"
#include "verification/support/orders.hpp"
#include "verification/unit/solvers/integrators/conserving/composed_models.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <utility>
#include <vector>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Suzuki's five stages of fourth order.
Stages suzuki() {
  const double c = 1 / (4 - std::cbrt(4.0));
  return {c, c, 1 - 4 * c, c, c};
}

/// Two halves in one.
Stages without_pairs(const Stages& stages) {
  Stages whole;
  for (std::size_t i = 0; i < stages.size(); i += 2)
    whole.push_back(stages[i] + stages[i + 1]);
  return whole;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Composition_)

BOOST_AUTO_TEST_CASE(places_and_velocities_have_the_order_of_the_step) {
  const std::vector<std::pair<const char*, Mechanism (*)()>> models{
      {"spherical chain", [] { return hanging_chain(4, ChainJoint::spherical); }},
      {"revolute chain", [] { return hanging_chain(4, ChainJoint::revolute); }},
      {"free body", [] { return free_body(); }}};
  for (const auto& [name, make] : models)
    for (const int order : {4, 6}) {
      const Mechanism m = make();
      BOOST_TEST_CONTEXT(name << ", order " << order)
      check_order(slopes(*m.model, m.initial, stages_of_order(order), 1, count_for(order)), order);
    }
}

// [S10]: what a composition for problems without joints lacks. Suzuki's stages leave a reflection of the velocities;
// the eleven stages of sixth order, not taken in halves, also lose the order of places.
BOOST_AUTO_TEST_CASE(joints_ask_for_more_than_the_classical_conditions) {
  const Mechanism m = hanging_chain(4, ChainJoint::spherical);
  const Slopes five = slopes(*m.model, m.initial, suzuki(), 1, 40);
  BOOST_TEST(std::abs(five.place - 4) < same_order);
  BOOST_TEST(std::abs(five.velocity - 2) < same_order);
  const Slopes eleven = slopes(*m.model, m.initial, without_pairs(stages_of_order(6)), 1, 40);
  BOOST_TEST(std::abs(eleven.place - 4) < same_order);
  BOOST_TEST(std::abs(eleven.velocity - 2) < same_order);
  const Mechanism free = free_body();
  check_order(slopes(*free.model, free.initial, without_pairs(stages_of_order(6)), 1, 10), 6);
}

BOOST_AUTO_TEST_CASE(every_formulation_keeps_the_order) {
  for (const BodyMaker& maker : body_makers())
    for (const int order : {4, 6})
      BOOST_TEST_CONTEXT(maker.name << ", order " << order) {
        const Mechanism free = free_body(maker);
        check_order(slopes(*free.model, free.initial, stages_of_order(order), 1.5, 20), order);
        if (!maker.is_free)
          continue;
        Mechanism chain = hanging_chain(2, ChainJoint::spherical, maker);
        begin(chain);
        check_order(slopes(*chain.model, chain.initial, stages_of_order(order), 0.8, count_for(order)), order);
      }
}

BOOST_AUTO_TEST_CASE(links_in_angles_keep_the_order) {
  Mechanism m;
  PlanarChain chain{{Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitX()}, {}};
  for (const char* name : {"first", "second", "third"})
    chain.links.push_back({name, 1, 0.5, 1, 0.1});
  const std::vector<const ChainLink*> links = chain.add_to(*m.model);
  for (const ChainLink* link : links)
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), link->port(), 1, Vec3(0, 0, -g_earth)));
  m.initial = m.model->rest_state();
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i]->set_angle(0.5 + 0.4 * static_cast<double>(i), 0, m.initial);
  begin(m);
  check_order(slopes(*m.model, m.initial, stages_of_order(4), 1, 20), 4);
  check_order(slopes(*m.model, m.initial, stages_of_order(6), 1, 20), 6);
}

BOOST_AUTO_TEST_CASE(joints_by_augmented_lagrangians_and_springs_keep_the_order) {
  Mechanism m = hanging_chain(2, ChainJoint::spherical);
  enforce_joints(*m.model, augmented());
  check_order(slopes(*m.model, m.initial, stages_of_order(4), 0.8, 40, form(true)), 4);
  // Joints that swing with some 10 rad/s, which the steps resolve.
  enforce_joints(*m.model, penalty(1e3));
  check_order(slopes(*m.model, m.initial, stages_of_order(4), 0.8, 40), 4);
}

BOOST_AUTO_TEST_CASE(loads_and_drives_in_time_keep_the_order) {
  for (const int order : {4, 6}) {
    for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
      const Mechanism m = loaded_body(axes);
      check_order(slopes(*m.model, m.initial, stages_of_order(order), 1, 10), order);
    }
    const Mechanism turned = driven_chain(Drive::Prescribes::value, [](auto t) {
      using std::sin;
      return quarter + t * t * sin(t);
    });
    check_order(slopes(*turned.model, turned.initial, stages_of_order(order), 1, count_for(order)), order);
    const Mechanism driven = driven_chain(Drive::Prescribes::rate, [](double t) { return 3 * t * std::cos(t); });
    check_order(slopes(*driven.model, driven.initial, stages_of_order(order), 1, count_for(order)), order);
  }
}

BOOST_AUTO_TEST_SUITE_END()
