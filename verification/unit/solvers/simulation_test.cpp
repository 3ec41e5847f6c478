/// Stepping in time: halving, bookkeeping, restart.
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Falls freely, whatever its joints pull with; refuses steps longer than it can take, or after a given time.
class Picky final : public Integrator {
public:
  explicit Picky(const Model& model)
      : model_(model), previous_(model.rest_state()), lambda_(VecX::Zero(model.multipliers())),
        motions_(model.port_motions()) {}

  StepReport step(State& state, double h) override {
    steps.push_back(h);
    if (h > longest || state.time >= until || (refuses && refuses(state.time, h)))
      return report(false, 7, "too long for me");
    previous_ = state;
    z_ = h * state.rates;
    h_ = h;
    lambda_.setConstant(load ? load(state.time, h) : 0);
    model_.move_ports(last_step(), motions_);
    model_.retract_nodes(last_step(), state.values);
    state.time += h;
    return report(true, 3, {});
  }
  Step last_step() const override { return {previous_, h_, 1 / h_, z_, lambda_}; }
  MovedStep last_moved_step() const override { return {last_step(), motions_}; }
  StepBooks books(const State& n1) const override { return model_.books(last_moved_step(), n1); }
  std::string description() const override { return "picky"; }

  double longest = 1, until = 1e9;
  std::function<bool(double t, double h)> refuses;
  std::function<double(double t, double h)> load; ///< of every multiplier
  std::vector<double> steps;

private:
  static StepReport report(bool converged, int iterations, std::string why) {
    StepReport made;
    made.converged = converged;
    made.iterations = iterations;
    made.why = std::move(why);
    return made;
  }

  const Model& model_;
  State previous_;
  VecX z_, lambda_;
  double h_ = 1;
  PortMotions motions_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(Simulation_)

BOOST_AUTO_TEST_CASE(a_step_that_fails_is_halved_and_the_next_one_is_whole_again) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  Picky integrator(*m.model);
  integrator.longest = 0.03;
  Simulation simulation(*m.model, m.initial, integrator, {0.1, 0.2, 8});
  const Outcome outcome = simulation.run();
  BOOST_TEST(outcome.completed);
  BOOST_TEST(outcome.steps == 8);
  BOOST_TEST(outcome.rejected_steps == 6);
  BOOST_TEST(integrator.steps[7] == 0.1);
  BOOST_TEST(simulation.state().time == 0.2);
  BOOST_TEST(outcome.max_iterations == 3);
  BOOST_TEST(outcome.mean_iterations() == 3);
}

BOOST_AUTO_TEST_CASE(a_run_that_cannot_go_on_says_when_where_and_what_to_try) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  Picky integrator(*m.model);
  integrator.until = 0.25;
  Simulation simulation(*m.model, m.initial, integrator, {0.1, 1, 2});
  const Outcome outcome = simulation.run();
  BOOST_TEST(!outcome.completed);
  BOOST_TEST(outcome.failure == "t = 0.3 s, step 4: too long for me\n"
                                "  halving is allowed 2 times; the last attempt was h = 0.025 s\n"
                                "  try a smaller step (h, now 0.1 s), or check the data of what is named here");
}

// A step with a huge reaction is repeated in parts, of which the second cannot be solved: what remains is the step
// itself, as if it had never been tried otherwise.
BOOST_AUTO_TEST_CASE(a_spoilt_step_is_kept_whole_if_its_parts_fail) {
  Mechanism m = hanging_chain(1, ChainJoint::spherical);
  BodyMotion moving = m.bodies[0]->motion(m.initial);
  moving.velocity = {1, 2, 3};
  m.bodies[0]->set_motion(moving, m.initial);
  const double h = 0.125; // times are exact
  struct Run {
    Outcome outcome;
    Ledger ledger;
    State end;
    std::vector<std::string> warnings;
    std::vector<double> lengths; ///< of the steps that led to what observers see
  };
  const auto run = [&](int max_halvings) {
    Picky integrator(*m.model);
    integrator.load = [h](double t, double length) { return t == 8 * h && length == h ? 1e9 : 1; };
    integrator.refuses = [h](double t, double) { return t > 8 * h && t < 9 * h; };
    Simulation simulation(*m.model, m.initial, integrator, {h, 16 * h, max_halvings});
    Run result;
    simulation.on_warning([&](const std::string& text) { result.warnings.push_back(text); });
    simulation.observe([&](const Simulation& s, long step) {
      if (step > 0)
        result.lengths.push_back(s.has_step() ? s.integrator().last_step().h : 0);
    });
    result.outcome = simulation.run();
    result.ledger = simulation.ledger();
    result.end = simulation.state();
    return result;
  };
  const Run never_repeated = run(0), repeated = run(3);
  BOOST_TEST(never_repeated.outcome.completed);
  BOOST_TEST(never_repeated.warnings.empty());

  BOOST_TEST(repeated.outcome.completed);
  BOOST_TEST(repeated.outcome.steps == 16);
  BOOST_TEST(repeated.outcome.iterations == never_repeated.outcome.iterations);
  BOOST_TEST(repeated.outcome.rejected_steps > 1);
  BOOST_TEST((repeated.end == never_repeated.end));
  BOOST_TEST((repeated.ledger.linear_imbalance() == never_repeated.ledger.linear_imbalance()));
  BOOST_TEST((repeated.ledger.angular_imbalance() == never_repeated.ledger.angular_imbalance()));
  BOOST_TEST(repeated.lengths == std::vector<double>(16, h), boost::test_tools::per_element());
  BOOST_REQUIRE(repeated.warnings.size() == 1);
  BOOST_TEST(repeated.warnings[0] == "kept a step that a singular configuration has spoilt, since parts of it failed; "
                                     "rounding of its reactions may show in the energy at t = 1.125 s; largest "
                                     "reaction: 'joint1' (spherical joint)");
}

BOOST_AUTO_TEST_CASE(the_last_step_is_shortened_to_end_on_time) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  Picky integrator(*m.model);
  Simulation simulation(*m.model, m.initial, integrator, {0.1, 0.25, 0});
  BOOST_TEST(simulation.steps_planned() == 3);
  BOOST_TEST(simulation.run().completed);
  BOOST_TEST(simulation.state().time == 0.25);
  BOOST_TEST(std::abs(integrator.steps.back() - 0.05) <= 1e-16);
}

BOOST_AUTO_TEST_CASE(many_steps_end_where_they_should) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  Picky integrator(*m.model);
  Simulation simulation(*m.model, m.initial, integrator, {0.001, 10, 0});
  BOOST_TEST(simulation.steps_planned() == 10000); // 10 / 0.001 rounds to 10000.000000000002
  BOOST_TEST(simulation.run().completed);
  BOOST_TEST(simulation.state().time == 10);
}

// The state is all there is: a run that continues from a copy gives the same bits.
BOOST_AUTO_TEST_CASE(a_run_continues_bit_for_bit_from_a_stored_state) {
  const Mechanism m = hanging_chain(4, ChainJoint::spherical);
  EnergyMomentum first(*m.model, {});
  State state = m.initial;
  // Long enough for everything that is looked at now and then, at another time than where it goes on.
  const auto go_on = [](EnergyMomentum& integrator, State& from) {
    for (int i = 0; i < 97; ++i)
      BOOST_REQUIRE(integrator.step(from, 0.002).converged);
  };
  go_on(first, state);
  State copy = state;
  go_on(first, state);
  EnergyMomentum second(*m.model, {});
  go_on(second, copy);
  BOOST_TEST((copy == state));
}

BOOST_AUTO_TEST_CASE(energy_and_momentum_balance_to_rounding_for_any_step_size) {
  for (const double h : {0.2, 0.05, 0.002}) {
    const Mechanism m = hanging_chain(4, ChainJoint::revolute);
    EnergyMomentum integrator(*m.model, {});
    Simulation simulation(*m.model, m.initial, integrator, {h, 100 * h, 8});
    BOOST_REQUIRE(simulation.run().completed);
    const Ledger& ledger = simulation.ledger();
    // Each step leaves a residual of at most 8 eps of the largest terms, which do the work of the step.
    const double tolerance = 100 * 8 * std::numeric_limits<double>::epsilon();
    BOOST_TEST(ledger.relative_energy_imbalance() <= tolerance);
    BOOST_TEST(ledger.relative_linear_imbalance() <= tolerance);
    BOOST_TEST(ledger.relative_angular_imbalance() <= tolerance);
    BOOST_TEST(ledger.max_position_violation() <= 1e-13); // rounding of coordinates of 12 m
  }
}

BOOST_AUTO_TEST_SUITE_END()
