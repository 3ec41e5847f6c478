#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "verification/support/checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A load on a body of every kind, for every step size; `strained` trials deform bodies that can be.
template <class Make, class Check>
void on_every_body(std::uint64_t seed, const Make& make, const Check& check) {
  Random random(seed);
  for (const BodyMaker& maker : body_makers())
    for (const StepSize& size : step_sizes())
      for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body})
        for (int repeat = 0; repeat < 5; ++repeat)
          BOOST_TEST_CONTEXT(maker.name << ", " << size.name << " step, "
                                        << (axes == LoadAxes::space ? "space axes" : "body axes")) {
            Model model;
            const Body& body = maker.add(model, "body", 2, random.inertia());
            const auto& load = model.add(make(model.ports(), body.port(), axes, random));
            const std::vector<Motion> motions{random_motion(random, size)};
            Trial trial = make_trial(model, motions, 0.05, VecX());
            disturb(model, std::min(0.1, size.shift), random, trial);
            check(load, model, trial, axes, motions, random);
          }
}

std::unique_ptr<AppliedForce> random_force(const Ports& ports, Index port, LoadAxes axes, Random& random) {
  const Vec3 at = random.vector(), f = random.vector(5);
  return std::make_unique<AppliedForce>("force", ports, port, at, f, axes);
}

std::unique_ptr<AppliedTorque> random_torque(const Ports& ports, Index port, LoadAxes axes, Random& random) {
  return std::make_unique<AppliedTorque>("torque", ports, port, random.vector(5), axes);
}

const auto shared_checks = [](const Interaction& load, const Model& model, const Trial& trial, LoadAxes axes,
                              const std::vector<Motion>& motions, Random& random) {
  BOOST_TEST(check_tangent(load, model, trial));
  BOOST_TEST(check_adds(load, model, trial));
  BOOST_TEST(check_magnitude(load, model, trial));
  BOOST_TEST(check_row_names(load));
  BOOST_TEST(check_work(load, model, trial));
  BOOST_TEST(check_books(load, model, trial)); // work = - r dq among others
  BOOST_TEST(load.external());
  if (axes == LoadAxes::body) // the load turns with the body
    BOOST_TEST(check_frame_indifference(load, model, motions, 0, random));
};

/// A frame at the origin that turns by a right angle about z in one step of 0.5 s: x axis to y axis.
struct QuarterTurn {
  QuarterTurn() : body(FrameBody::add_to(model, "body", 2, Mat3::Identity())) {
    const BodyMotion start{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
    BodyMotion end = start;
    end.orientation = exponential(M_PI / 2 * Vec3::UnitZ());
    motion = {start, end};
  }
  template <class Load>
  StepBooks books(std::unique_ptr<Load> load) {
    const Load& added = model.add(std::move(load));
    trial = make_trial(model, {motion}, 0.5, VecX());
    StepBooks books;
    added.book(trial.step(), trial.motions(model), trial.n1, books);
    reaction = added.reaction(trial.step(), trial.motions(model), body.port(), 0);
    return books;
  }
  Model model;
  const FrameBody& body;
  Motion motion;
  Trial trial;
  Reaction reaction;
};

// Ten roundings of numbers below ten.
const double tolerance = 10 * eps * 10;

} // namespace

BOOST_AUTO_TEST_SUITE(AppliedForces)

BOOST_AUTO_TEST_CASE(a_force_passes_the_shared_checks_on_every_body) {
  on_every_body(301, random_force, shared_checks);
}

// Point at (2, 0, 0) goes to (0, 2, 0); f = (0, 0, 3) + (0, 4, 0) in space does the work 4 * 2 whatever the way.
BOOST_AUTO_TEST_CASE(a_force_in_space_works_along_the_displacement_of_its_point) {
  QuarterTurn q;
  const StepBooks books = q.books(std::make_unique<AppliedForce>("f", q.model.ports(), q.body.port(), Vec3(2, 0, 0),
                                                                 Vec3(0, 4, 3), LoadAxes::space));
  BOOST_TEST(agree("work", books.work, 8, tolerance));
  BOOST_TEST(agree("impulse", books.impulse, Vec3(0, 2, 1.5), tolerance));
  // The arm is the mean of the two ends, (1, 1, 0): (1, 1, 0) x (0, 2, 1.5).
  BOOST_TEST(agree("angular impulse", books.angular_impulse, Vec3(1.5, -1.5, 2), tolerance));
}

// f = (0, 4, 0) fixed in the body turns from +y to -x; its mean (-2, 2, 0) works along (-2, 2, 0).
BOOST_AUTO_TEST_CASE(a_force_in_the_body_acts_with_the_mean_of_its_directions) {
  QuarterTurn q;
  const StepBooks books = q.books(std::make_unique<AppliedForce>("f", q.model.ports(), q.body.port(), Vec3(2, 0, 0),
                                                                 Vec3(0, 4, 0), LoadAxes::body));
  BOOST_TEST(agree("force", q.reaction.force, Vec3(-2, 2, 0), tolerance));
  BOOST_TEST(agree("work", books.work, 8, tolerance));
  BOOST_TEST(agree("angular impulse", books.angular_impulse, Vec3(0, 0, 0.5 * (1 * 2 + 1 * 2)), tolerance));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(AppliedTorques)

BOOST_AUTO_TEST_CASE(a_torque_passes_the_shared_checks_on_every_body) {
  on_every_body(302, random_torque, shared_checks);
}

// The forces on the base vectors have no sum, and their moment in the mean configuration is the torque: in space m
// itself, in the body the mean of Q m. Also where the base vectors are strained.
BOOST_AUTO_TEST_CASE(the_forces_on_base_vectors_sum_to_the_torque) {
  Random random(303);
  for (const BodyMaker& maker : body_makers())
    for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body})
      for (int repeat = 0; repeat < 20; ++repeat) {
        Model model;
        const Body& body = maker.add(model, "body", 2, random.inertia());
        const Vec3 m = random.vector(5);
        const AppliedTorque& torque =
            model.add(std::make_unique<AppliedTorque>("torque", model.ports(), body.port(), m, axes));
        Trial trial = random_trial(model, step_sizes()[2], random);
        disturb(model, 0.2, random, trial);
        const NaturalStep step = natural_step(torque, model, trial);
        const NaturalSystem system = natural_system(torque, step);
        Vec3 moment = Vec3::Zero();
        for (Index i = 0; i < 9; i += 3)
          moment -= Vec3(step.q_m.segment<3>(i)).cross(Vec3(system.r.segment<3>(i)));
        const Eigen::Map<const Mat3> Q_m(step.q_m.data());
        const Mat3 B = Q_m * Q_m.transpose(), S = B.trace() * Mat3::Identity() - B;
        const Eigen::JacobiSVD<Mat3> svd(S);
        // A linear solve with S, then twenty products of q and r.
        const double kappa = svd.singularValues()[0] / svd.singularValues()[2];
        const double size = kappa * step.q_m.norm() * system.r.norm();
        BOOST_TEST(agree("[T7]", moment, axes == LoadAxes::space ? m : Vec3(Q_m * m), 20 * eps * size));
        BOOST_TEST(agree("force", torque.reaction(trial.step(), trial.motions(model), body.port(), 0).force,
                         Vec3(Vec3::Zero()), 0));
      }
}

// On a frame the work of a torque in space is m . Q_n Theta, Theta = 2 tan(angle/2) about the axis; over a right angle
// about z with m = (1, 2, 3): 3 * 2.
BOOST_AUTO_TEST_CASE(a_torque_in_space_works_along_the_rodrigues_vector) {
  QuarterTurn q;
  const StepBooks books =
      q.books(std::make_unique<AppliedTorque>("m", q.model.ports(), q.body.port(), Vec3(1, 2, 3), LoadAxes::space));
  BOOST_TEST(agree("work", books.work, 6, tolerance));
  BOOST_TEST(agree("angular impulse", books.angular_impulse, Vec3(0.5, 1, 1.5), tolerance));
  BOOST_TEST(agree("impulse", books.impulse, Vec3(Vec3::Zero()), 0));
  BOOST_TEST(books.potential == 0);
}

// Fixed in the body, (2, 0, 0) goes to (0, 2, 0): the mean is (1, 1, 0), and a torque about the axis of rotation stays.
BOOST_AUTO_TEST_CASE(a_torque_in_the_body_acts_with_the_mean_of_its_directions) {
  QuarterTurn q;
  const StepBooks books =
      q.books(std::make_unique<AppliedTorque>("m", q.model.ports(), q.body.port(), Vec3(2, 0, 3), LoadAxes::body));
  BOOST_TEST(agree("moment", q.reaction.moment, Vec3(1, 1, 3), tolerance));
  BOOST_TEST(agree("work", books.work, 6, tolerance));
}

BOOST_AUTO_TEST_SUITE_END()
