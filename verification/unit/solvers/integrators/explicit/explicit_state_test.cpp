/// How explicit integrators start, go on, fail, lead back and restart.
#include "elements/bodies/frame.hpp"
#include "elements/bodies/point_mass.hpp"
#include "elements/forces/load.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/explicit_models.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

const Scheme& scheme_of(ExplicitMethod method) {
  static const std::vector<Scheme> all = schemes();
  for (const Scheme& s : all)
    if (s.is(method))
      return s;
  throw std::logic_error("no such scheme");
}

} // namespace

BOOST_AUTO_TEST_SUITE(ExplicitStates)

// --- going on

BOOST_DATA_TEST_CASE(a_run_continues_bit_for_bit_from_a_copy, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  State state = s.state;
  const auto first = sample.on(s.model);
  run(*first, state, 2e-3, 20);
  State copy = state;
  run(*first, state, 2e-3, 20);
  run(*sample.on(s.model), copy, 2e-3, 20);
  BOOST_TEST((copy == state));
  BOOST_TEST(state.time == 0.08, boost::test_tools::tolerance(1e-14));
}

// A state that was changed by hand is begun again; one without memory begins by itself.
BOOST_DATA_TEST_CASE(a_state_without_memory_begins_by_itself, data::make(schemes())) {
  const Springs s(body_makers()[0], true);
  State bare = s.state, begun = s.state;
  const auto one = sample.on(s.model), other = sample.on(s.model);
  other->begin(begun);
  BOOST_TEST(begun.memory.numbers.size() > 0);
  BOOST_TEST((begun.values == bare.values));
  run(*one, bare, 2e-3, 3);
  run(*other, begun, 2e-3, 3);
  BOOST_TEST((bare == begun));
}

// Steps of several sizes: errors are those of the longest of them, twice at most, and a bad restart would show.
BOOST_DATA_TEST_CASE(steps_may_change_their_size, data::make(schemes())) {
  const Springs s(body_makers()[0]);
  const State reference = after(schemes()[0], s.model, s.state, 0.4 / 6400, 6400);
  State state = s.state;
  const auto integrator = sample.on(s.model);
  for (const auto& [h, n] :
       {std::pair(0.005, 20), std::pair(0.0025, 40), std::pair(0.005, 10), std::pair(0.001, 50), std::pair(0.002, 50)})
    run(*integrator, state, h, n);
  BOOST_TEST(std::abs(state.time - 0.4) <= 1e-13);
  const double uniform = error_of(sample, s.model, s.state, reference, 0.005, 80);
  BOOST_TEST((state.values - reference.values).norm() <= 2 * uniform);
}

// What is left to an end is no whole step to the last bit: 0.4 - 79 * 0.005 is not 0.005. A restart there would shift
// the result by some h³; rounding grows by less than a hundred.
BOOST_DATA_TEST_CASE(a_last_step_that_differs_by_rounding_is_no_restart, data::make(schemes())) {
  const Springs s(body_makers()[0]);
  const auto integrator = sample.on(s.model);
  const double last = 0.4 - 79 * 0.005;
  BOOST_REQUIRE(last != 0.005);
  State state = s.state;
  run(*integrator, state, 0.005, 79);
  run(*integrator, state, last, 1);
  const State even = after(sample, s.model, s.state, 0.005, 80);
  BOOST_TEST(agree("values", state.values, even.values, 80 * 10 * eps * 100));
}

BOOST_DATA_TEST_CASE(a_step_that_fails_leaves_the_state_as_it_was, data::make(schemes())) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 1, Mat3::Identity());
  model.add(std::make_unique<AppliedForce>(
      "f", model.ports(), body.port(), Vec3(1, 0, 0),
      LoadComponents(TimeFunction([](double t) { return t < 0.05 ? 1 : NAN; }), 0, 0), LoadAxes::space));
  State state = model.rest_state();
  const auto integrator = sample.on(model);
  run(*integrator, state, 0.01, 3);
  const State before = state;
  const StepReport report = integrator->step(state, 0.1);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why == "element 'f' (force) returned a value that is not finite");
  BOOST_TEST((state == before));
  // And goes on from there as if nothing had happened.
  State copy = before;
  run(*integrator, state, 0.01, 1);
  run(*sample.on(model), copy, 0.01, 1);
  BOOST_TEST((state == copy));
}

BOOST_AUTO_TEST_CASE(a_turn_that_is_not_found_fails_the_step) {
  Free free;
  free.body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3(60, -40, 50)}, free.state);
  const State before = free.state;
  Scheme scheme = schemes()[1];
  const auto integrator = scheme.on(free.model);
  integrator->begin(free.state);
  const StepReport report = integrator->step(free.state, 1);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why.find("turns too far") != std::string::npos);
  BOOST_TEST((free.state.values == before.values));
}

// --- symmetry in time

// n steps forward, momenta reversed, n steps back. Rounding of each step grows with the motion in between: by less than
// a thousand in 2 s, for springs of 10 rad/s that hang two bodies.
BOOST_DATA_TEST_CASE(kick_drift_kick_leads_back_in_time, data::make(recommended_schemes())) {
  const Springs s(body_makers()[0]);
  State state = s.state;
  const auto integrator = sample.on(s.model);
  const int n = 500;
  run(*integrator, state, 4e-3, n);
  BOOST_TEST((state.values - s.state.values).norm() > 0.1);
  state.rates *= -1;
  integrator->begin(state);
  run(*integrator, state, 4e-3, n);
  BOOST_TEST(agree("values", state.values, s.state.values, 2 * n * 10 * eps * 1e3));
  BOOST_TEST(agree("rates", state.rates, -s.state.rates, 2 * n * 100 * eps * 1e3));
}

// --- formulations

// --- what Simo-Wong and the half sequence carry

// A load that jumps at t = 1 from rest: x = f (t - 1)²/2. A = f from there on, if it is made anew; otherwise it
// alternates between 0 and 2 f, and x is wrong by f h²/2 after every other step.
BOOST_AUTO_TEST_CASE(simo_wong_restarts_where_it_is_told_to) {
  struct Errors {
    double least = 1, largest = -1; // of x, after the jump
  };
  const auto errors = [](std::vector<double> at, double every, double h) {
    Model model;
    const Body& body = PointMass::add_to(model, "point", 1);
    const TimeFunction jump([](double t) { return t < 1 ? 0.0 : 4.0; });
    model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(), LoadComponents(jump, 0, 0),
                                             LoadAxes::space));
    Scheme scheme = scheme_of(ExplicitMethod::simo_wong);
    scheme.options.restart_at = std::move(at);
    scheme.options.restart_every = every;
    const auto integrator = scheme.on(model);
    State state = model.rest_state();
    Errors found;
    for (int n = 1; n * h <= 2; ++n) {
      run(*integrator, state, h, 1);
      state.time = n * h;
      const double since = n * h - 1, error = body.motion(state).position.x() - 2 * since * since;
      if (since <= 0)
        continue;
      found.least = std::min(found.least, error);
      found.largest = std::max(found.largest, error);
    }
    return found;
  };
  const double h = 0.01, wrong = 4 * h * h / 2, rounding = 200 * 4 * eps;
  const auto spread = [](const Errors& e) { return e.largest - e.least; };
  BOOST_TEST(spread(errors({}, 0, h)) == wrong, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(spread(errors({0.5, 1.5}, 0, h)) == wrong, boost::test_tools::tolerance(1e-9));
  for (const Errors& e : {errors({1}, 0, h), errors({}, 0.5, h)}) {
    BOOST_TEST(std::abs(e.least) <= rounding);
    BOOST_TEST(std::abs(e.largest) <= rounding);
  }
  // A jump within a step, early or late: restarted at the end of this step, x stays off by what was lost in it, and
  // does not alternate.
  for (const double uneven : {0.013, 0.03}) {
    const Errors e = errors({1}, 0, uneven);
    BOOST_TEST(spread(e) <= rounding);
    BOOST_TEST(std::abs(e.least) <= 4 * uneven * uneven / 2);
    BOOST_TEST(spread(errors({}, 0, uneven)) > 0.1 * uneven * uneven);
  }
}

// Where a restart is due the half sequence is made as at the start: a state that remembers nothing goes the same way.
BOOST_AUTO_TEST_CASE(the_half_sequence_is_made_anew_where_it_is_told_to) {
  const Springs s(body_makers()[0]);
  for (const ExplicitMethod method : {ExplicitMethod::staggered, ExplicitMethod::park_chiou_downer})
    for (const bool by_period : {true, false}) {
      Scheme scheme = scheme_of(method);
      const double h = 1.0 / 512; // times are exact
      if (by_period)
        scheme.options.restart_every = 16 * h;
      else
        scheme.options.restart_at = {16 * h, 40 * h};
      State state = s.state;
      const auto integrator = scheme.on(s.model);
      run(*integrator, state, h, 16);
      State forgetful = state, loyal = state;
      auto further = forgetful.memory.numbers.tail(forgetful.memory.numbers.size() - 2 * emmy::Motion::size);
      further[0] = 0; // the step, which says that there is a half sequence; what was seen of accelerations stays
      further.tail(2 * emmy::Motion::size).setZero();
      run(*integrator, state, h, 1);
      run(*scheme.on(s.model), forgetful, h, 1);
      BOOST_TEST((state == forgetful));
      // Without the option it would have gone another way.
      run(*scheme_of(method).on(s.model), loyal, h, 1);
      BOOST_TEST((state != loyal));
      run(*integrator, state, h, 1); // and does not restart in every step
      run(*scheme_of(method).on(s.model), forgetful, h, 1);
      BOOST_TEST((state == forgetful));
    }
}

BOOST_AUTO_TEST_SUITE_END()
