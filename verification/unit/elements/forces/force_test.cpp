#include "verification/support/checks.hpp"
#include "verification/support/forces.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

constexpr int repeats = 3;

} // namespace

BOOST_AUTO_TEST_SUITE(Forces)

BOOST_DATA_TEST_CASE(every_force_between_every_pair_of_bodies_passes_the_shared_checks, data::make(force_samples())) {
  Random random(601);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const ForceScene s(sample, random);
    const std::vector<Motion> motions = s.motions(random);
    Trial trial = s.joined.trial(motions, random);
    disturb(s.model, std::min(0.1, sample.size.shift), random, trial);
    BOOST_TEST(check_tangent(s.force, s.model, trial));
    BOOST_TEST(check_adds(s.force, s.model, trial));
    BOOST_TEST(check_magnitude(s.force, s.model, trial));
    BOOST_TEST(check_row_names(s.force));
    if (sample.force->conserves)
      BOOST_TEST(check_discrete_gradient(s.force, s.model, trial));
    else
      BOOST_TEST(check_work(s.force, s.model, trial));
    BOOST_TEST(check_momentum(s.force, s.model, trial));
    BOOST_TEST(check_books(s.force, s.model, trial)); // work done against it = potential + dissipation
    if (sample.bodies.both_move())
      BOOST_TEST(check_frame_indifference(s.force, s.model, motions, 0, random));
    BOOST_TEST((s.force.acts() == Acts::between_bodies));
  }
}

// Dissipation is never negative, and none at all where time stands still or nothing is lost.
BOOST_DATA_TEST_CASE(no_force_gains_energy, data::make(force_samples())) {
  Random random(602);
  const ForceScene s(sample, random);
  const Trial trial = s.joined.trial(s.motions(random), random);
  StepBooks books, timeless;
  s.force.book(trial.moved(s.model), trial.n1, books);
  BOOST_TEST((sample.force->conserves ? books.dissipation == 0 : books.dissipation > 0));
  const Step still{trial.n, 0, 0, trial.z, trial.lambda};
  s.force.book({still, trial.motions(s.model)}, trial.n1, timeless);
  BOOST_TEST(timeless.dissipation == 0);
  BOOST_TEST(timeless.potential == books.potential);
}

// Where nothing moves, the residual is the gradient of the potential and the tangent half its second derivative, which
// is symmetric: what statics and vibrations are made of.
BOOST_DATA_TEST_CASE(a_force_at_rest_is_the_gradient_of_its_potential, data::make(force_samples({step_sizes()[2]}))) {
  Random random(603);
  const ForceScene s(sample, random);
  const Trial trial = s.joined.trial(s.motions(random), random);
  NaturalStep step = natural_step(s.force, s.model, trial);
  step.h = step.inv_h = 0;
  step.q_n1 = step.q_m = step.q_n;
  const NaturalSystem at_rest = natural_system(s.force, step);
  // Central differences, STYLE section 6; variables are of size one.
  const double d = std::cbrt(eps), size = at_rest.k.norm() + at_rest.r.norm() + s.force.potential(step);
  NaturalVector gradient(step.q_n.size());
  for (Index i = 0; i < gradient.size(); ++i) {
    NaturalStep above = step, below = step;
    above.q_n1[i] += d;
    below.q_n1[i] -= d;
    gradient[i] = (s.force.potential(above) - s.force.potential(below)) / (above.q_n1[i] - below.q_n1[i]);
  }
  BOOST_TEST(agree("gradient", at_rest.r, gradient, 10 * std::pow(eps, 2.0 / 3) * size));
  BOOST_TEST(agree("symmetry", at_rest.k, MatX(at_rest.k.transpose()), 100 * eps * size));
}

// Two bodies in free flight or one held by the ground, and a force between them: what potential, dissipation and the
// ground do not explain is rounding.
BOOST_DATA_TEST_CASE(forces_keep_energy_and_momenta_but_for_what_they_dissipate,
                     data::make(force_samples({step_sizes()[2]}))) {
  if (!sample.bodies.can_be_joined()) // a revolute joint is part of the scene
    return;
  Random random(604);
  const ForceScene s(sample, random);
  const std::vector<Motion> motions = s.joined.joined_motions(random);
  State state = make_trial(s.model, motions, 1, VecX::Zero(s.model.multipliers())).n;
  Ledger ledger;
  ledger.open(s.model.books_at(state));
  for (int step = 0; step < 20; ++step) {
    const Trial t = solve_step(s.model, state, 0.05).trial;
    ledger.add(s.model.books(t.moved(s.model), t.n1));
    state = t.n1;
  }
  // Twenty steps, each with a hundred roundings of terms that are at most 10/h times the scale of the sums.
  const double tolerance = 20 * 100 * eps;
  BOOST_TEST(ledger.relative_energy_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_linear_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_angular_imbalance() <= tolerance);
  BOOST_TEST((sample.force->conserves ? ledger.dissipation() == 0 : ledger.dissipation() > 0));
}

BOOST_AUTO_TEST_SUITE_END()
