#include "elements/joints/joint.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/joints.hpp"
#include "verification/support/newton.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

constexpr int repeats = 2;

/// Largest constraint at the end of a trial.
double violation(const JointScene& scene, const std::vector<Motion>& motions) {
  const Trial trial = make_trial(scene.model, motions, scene.h, VecX::Zero(scene.model.multipliers()));
  StepBooks books;
  scene.joint->book(trial.moved(scene.model), trial.n1, books);
  return books.position_violation;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Joints)

BOOST_DATA_TEST_CASE(every_joint_between_every_pair_of_bodies_passes_wherever_they_are, data::make(joint_samples())) {
  Random random(501);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    JointScene s(sample, random);
    const std::vector<Motion> motions = s.free_motions(random);
    Trial trial = s.trial(motions, random);
    disturb(s.model, std::min(0.1, sample.size.shift), random, trial);
    BOOST_TEST(check_tangent(*s.joint, s.model, trial));
    BOOST_TEST(check_adds(*s.joint, s.model, trial));
    BOOST_TEST(check_magnitude(*s.joint, s.model, trial));
    BOOST_TEST(check_row_names(*s.joint));
    BOOST_TEST(check_discrete_gradient(*s.joint, s.model, trial));
    BOOST_TEST(check_momentum(*s.joint, s.model, trial, false)); // moments need points that coincide
    if (sample.bodies.both_move())
      BOOST_TEST(check_frame_indifference(*s.joint, s.model, motions, sample.joint->vector_rows, random));
    // Rows other than those of points that are to coincide balance moments everywhere.
    trial.lambda.segment(s.joint->first_multiplier(), sample.joint->vector_rows).setZero();
    if (sample.joint->rows > sample.joint->vector_rows)
      BOOST_TEST(check_momentum(*s.joint, s.model, trial));
    if (!sample.bodies.can_be_joined()) // the next test cannot ask them
      BOOST_TEST(check_books(*s.joint, s.model, trial));
  }
}

BOOST_DATA_TEST_CASE(every_joint_that_holds_balances_moments_and_does_the_work_it_books, data::make(joint_samples())) {
  if (!sample.bodies.can_be_joined())
    return;
  Random random(502);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const JointScene s(sample, random);
    const std::vector<Motion> motions = s.joined_motions(random);
    const Trial trial = s.trial(motions, random);
    // A joined pose is composed with some thirty roundings of coordinates below four.
    const double tolerance = 30 * eps * 4;
    BOOST_TEST(violation(s, motions) <= tolerance);
    BOOST_TEST(check_tangent(*s.joint, s.model, trial));
    BOOST_TEST(check_momentum(*s.joint, s.model, trial));
    BOOST_TEST(check_books(*s.joint, s.model, trial));
    const double work = assemble(*s.joint, s.model, trial, false).r.head(s.model.unknowns()).dot(trial.z);
    StepBooks books;
    s.joint->book(trial.moved(s.model), trial.n1, books);
    BOOST_TEST(agree("work", work, -books.work, 2 * tolerance * trial.lambda.lpNorm<1>()));
    if (sample.joint->name.find("drive") == std::string::npos)
      BOOST_TEST(books.work == 0);
  }
}

BOOST_DATA_TEST_CASE(every_joint_has_its_rows_and_sees_only_its_bodies, data::make(joint_samples())) {
  Random random(503);
  const JointScene s(sample, random);
  BOOST_TEST(s.joint->multipliers() == sample.joint->rows);
  BOOST_TEST(s.joint->unknowns() == s.model.unknowns());
  const std::string &kind = s.joint->kind(), &name = sample.joint->name;
  BOOST_TEST((kind.find(name) == 0 || name.find(kind) == 0));
  BOOST_TEST((s.joint->acts() != Acts::from_outside));
}

// The motion of two joined bodies in free flight or held by the ground: what the books do not explain is rounding. The
// bodies need not be rigid for that.
BOOST_DATA_TEST_CASE(joined_bodies_keep_energy_and_momenta, data::make(joint_samples())) {
  if (!sample.bodies.can_be_joined())
    return;
  Random random(504);
  const JointScene s(sample, random);
  const std::vector<Motion> motions = s.joined_motions(random);
  State state = make_trial(s.model, motions, 1, VecX::Zero(s.model.multipliers())).n;
  Ledger ledger;
  ledger.open(s.model.books_at(state));
  for (int step = 0; step < 10; ++step) {
    const Trial t = solve_step(s.model, state, 0.05).trial;
    ledger.add(s.model.books(t.moved(s.model), t.n1));
    state = t.n1;
  }
  // Ten steps, in each of which rows of the two bodies, twelve at most of some eight terms each, are met to rounding.
  const double tolerance = 10 * 2 * 12 * 8 * eps;
  BOOST_TEST(ledger.relative_energy_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_linear_imbalance() <= tolerance);
  BOOST_TEST(ledger.relative_angular_imbalance() <= tolerance);
  BOOST_TEST(ledger.max_position_violation() <= 100 * eps); // of a metre: one constraint, solved afresh in each step
}

BOOST_AUTO_TEST_SUITE_END()
