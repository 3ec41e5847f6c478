/// How far a step turns a body, and who is named for it.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/planar_chain.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/simulation.hpp"
#include "solvers/watches/turn_watch.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A step in which the body turned by Theta, of otherwise nothing.
struct Turned {
  Turned(const Model& model, const Body& body, const Vec3& Theta)
      : n(model.rest_state()), z(VecX::Zero(model.unknowns())), lambda(VecX::Zero(model.multipliers())) {
    turn(body, Theta);
  }
  void turn(const Body& body, const Vec3& Theta) {
    const Node& node = body.nodes().front();
    z.segment<3>(node.unknown + node.unknowns() - 3) = Theta;
  }
  Step step(double h) const { return {n, h, 1 / h, z, lambda}; }
  State n;
  VecX z, lambda;
};

} // namespace

BOOST_AUTO_TEST_SUITE(TurnLaw_)

BOOST_AUTO_TEST_CASE(a_cayley_map_turns_by_less_than_it_is_asked_for) {
  const TurnLaw law({1});
  BOOST_TEST(law.turned(0.9) == 2 * std::atan(0.45));
  BOOST_TEST(law.lag(0.9) == 1 - 2 * std::atan(0.45) / 0.9);
  // theta²/12 + theta⁴/720 + ..., of which the next term is theta⁶/30240
  const double theta = law.turned(0.3);
  BOOST_TEST(std::abs(law.lag(0.3) - std::pow(theta, 2) / 12 - std::pow(theta, 4) / 720) <=
             1.1 * std::pow(theta, 6) / 30240);
  // The lag is x²/12 to 3 x²/20, in both directions of the relation.
  BOOST_TEST(std::abs(law.accurate() / std::sqrt(12 * TurnLaw::small_lag) - 1) <= 0.1 * 12 * TurnLaw::small_lag);
  BOOST_TEST(std::abs(law.lag(law.accurate()) - TurnLaw::small_lag) <= 10 * eps);
  BOOST_TEST(law.tolerated() == 0.3);
}

BOOST_AUTO_TEST_CASE(what_was_asked_for_is_found_from_the_angle) {
  for (const std::vector<double>& stages : {std::vector<double>{1}, {0.5, 0.5}, stages_of_order(4), stages_of_order(6)})
    for (const double x : {1e-6, 0.1, 0.9, 2.5, 6.0}) {
      const TurnLaw law(stages);
      // An angle is rounded to eps; its slope by x is at least 1/(1 + x²/4) = 0.1.
      BOOST_TEST(std::abs(law.asked(law.turned(x)) - x) <= 100 * eps * x, stages.size() << " stages, " << x);
    }
  BOOST_TEST(TurnLaw().asked(0.7) == 0.7);
}

// Stages cancel the cube of [F13], those of order 6 the fifth power besides.
BOOST_AUTO_TEST_CASE(compositions_lag_by_the_power_of_their_order) {
  for (const int order : {2, 4, 6}) {
    const TurnLaw law(stages_of_order(order));
    // The next power of x² is at most as large as this one at x = 1.
    const double observed = std::log2(law.lag(1) / law.lag(0.5));
    BOOST_TEST(std::abs(observed - order) <= 0.2, "order " << order << ": " << observed);
  }
  BOOST_TEST(TurnLaw(stages_of_order(4)).tolerated() == 1);
  BOOST_TEST(TurnLaw().tolerated() == 1);
  BOOST_TEST(TurnLaw().lag(2) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// A watch with what it has seen since a start.
struct Watched {
  Watched(const Model& model, const State& start, double h, const TurnLaw& law)
      : watch(model, law), seen(watch.begin(start, h)) {}
  void look(const Step& s, double time) { watch.look(s, time, seen); }
  TurnWatch::Findings found() const { return watch.findings(seen); }

  TurnWatch watch;
  TurnWatch::Seen seen;
};

} // namespace

BOOST_AUTO_TEST_SUITE(TurnWatch_)

BOOST_AUTO_TEST_CASE(the_largest_turn_is_kept_with_its_body_and_time) {
  Model model;
  const Body& slow = FrameBody::add_to(model, "slow", 1, Mat3::Identity());
  const Body& fast = FrameBody::add_to(model, "fast", 1, Mat3::Identity());
  Watched watch(model, model.rest_state(), 0.1, TurnLaw({1}));
  BOOST_TEST(watch.found().body == nullptr);
  BOOST_TEST(!watch.found().is_coarse);
  Turned s(model, slow, {0.1, 0, 0});
  s.turn(fast, {0, 0.2, 0});
  watch.look(s.step(0.1), 0.1);
  s.turn(fast, {0, 0.25, 0});
  watch.look(s.step(0.05), 0.15);
  s.turn(fast, {0, 0.24, 0});
  watch.look(s.step(0.1), 0.25);
  BOOST_TEST(watch.found().body == &fast);
  BOOST_TEST(watch.found().turn.time == 0.15);
  BOOST_TEST(watch.found().turn.h == 0.05);
  BOOST_TEST(std::abs(watch.found().turn.angle - 2 * std::atan(0.125)) <= 4 * eps);
  BOOST_TEST(!watch.found().is_coarse);
  s.turn(slow, {0, 0, 2 * std::tan(0.15) * (1 + 1e-12)}); // just 0.3 rad
  watch.look(s.step(0.1), 0.35);
  BOOST_TEST(watch.found().body == &slow);
  BOOST_TEST(watch.found().is_coarse);
}

BOOST_AUTO_TEST_CASE(a_steady_turn_is_that_of_the_start) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  m.initial = m.model->rest_state();
  BodyMotion spinning = m.bodies[0]->motion(m.initial);
  spinning.angular_velocity = {0, 0, 20};
  m.bodies[0]->set_motion(spinning, m.initial);
  Watched watch(*m.model, m.initial, 0.1, TurnLaw({1}));
  const TurnWatch::Turn start = watch.found().turn;
  BOOST_TEST(std::abs(start.angle - 2 * std::atan(1.0)) <= 4 * eps);
  BOOST_TEST(start.time == 0);
  const Turned s(*m.model, *m.bodies[0], {0, 0, 2 * (1 + 1e-9)});
  watch.look(s.step(0.1), 0.1);
  BOOST_TEST(watch.found().turn.time == 0);
}

// A link has its angle for an unknown and lags by nothing: it does not hide a frame that turns a little less.
BOOST_AUTO_TEST_CASE(links_of_chains_turn_as_they_are_asked_to) {
  Model model;
  PlanarChain chain;
  chain.links.push_back({"link", 1, 0.5, 1, 1});
  const Body& link = *chain.add_to(model).front();
  const Body& frame = FrameBody::add_to(model, "frame", 1, Mat3::Identity());
  State start = model.rest_state();
  start.rates[link.nodes().front().unknown] = 9;
  {
    const Watched watch(model, start, 0.1, TurnLaw({1}));
    BOOST_TEST(watch.found().body == &link);
    BOOST_TEST(std::abs(watch.found().turn.angle - 0.9) <= 4 * eps);
    BOOST_TEST(watch.found().law.lag(0.9) == 0);
    BOOST_TEST(!watch.found().is_coarse);
  }
  Watched watch(model, start, 0.1, TurnLaw({1}));
  Turned s(model, frame, {0.5, 0, 0});
  watch.look(s.step(0.1), 0.1);
  BOOST_TEST(watch.found().body == &frame);
  BOOST_TEST(watch.found().law.lag(0.5) > 0.02);
  BOOST_TEST(watch.found().is_coarse);
}

// Steps of an integrator, whole and composed: what is seen is what the law says, for bodies of other kinds as well.
BOOST_AUTO_TEST_CASE(steps_turn_as_the_law_says) {
  for (const int order : {2, 4, 6}) {
    Model model;
    const Mat3 J = Vec3(1, 2, 3).asDiagonal();
    const Body& frame = FrameBody::add_to(model, "frame", 1, J);
    const Body& director = DirectorBody::add_to(model, "director", 1, J);
    for (const Body* body : {&frame, &director}) {
      State start = model.rest_state();
      BodyMotion motion = body->motion(start);
      motion.angular_velocity = {0, 0, 9};
      body->set_motion(motion, start);
      const TurnLaw law(stages_of_order(order));
      Watched foreseen(model, start, 0.1, law), seen(model, model.rest_state(), 0.1, law);
      Composition integrator(model, stages_of_order(order), {});
      State state = start;
      BOOST_TEST_REQUIRE(integrator.step(state, 0.1).converged);
      seen.look(integrator.last_step(), state.time);
      BOOST_TEST(seen.found().body == body);
      // Newton's method leaves rounding in each of up to 22 stages.
      BOOST_TEST(std::abs(seen.found().turn.angle - foreseen.found().turn.angle) <= 100 * eps, "order " << order);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
