#include "elements/bodies/frame.hpp"
#include "elements/forces/load.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/newton.hpp"

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

/// Three functions of time, none of them the same.
LoadComponents random_components(Random& random) {
  const Vec3 a = random.vector(5), w = random.vector(20);
  return {TimeFunction([=](double t) { return a.x() * std::cos(w.x() * t); }),
          TimeFunction([=](double t) { return a.y() * std::cos(w.y() * t); }), TimeFunction(a.z())};
}

std::unique_ptr<AppliedForce> changing_force(const Ports& ports, Index port, LoadAxes axes, Random& random) {
  const Vec3 at = random.vector();
  return std::make_unique<AppliedForce>("force", ports, port, at, random_components(random), axes);
}

std::unique_ptr<AppliedTorque> changing_torque(const Ports& ports, Index port, LoadAxes axes, Random& random) {
  return std::make_unique<AppliedTorque>("torque", ports, port, random_components(random), axes);
}

/// A function that is constant without saying so.
LoadComponents in_disguise(const Vec3& f) {
  const auto always = [](double value) { return TimeFunction([value](double) { return value; }); };
  return {always(f.x()), always(f.y()), always(f.z())};
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
  BOOST_TEST((load.acts() == Acts::from_outside));
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
    added.book(trial.moved(model), trial.n1, books);
    reaction = added.reaction(trial.moved(model), body.port(), 0);
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
  on_every_body(304, changing_force, shared_checks);
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

// A load that does not say that it is constant acts as one that does, whatever the axes.
BOOST_AUTO_TEST_CASE(loads_as_functions_of_time_act_like_constant_ones) {
  Random random(306);
  for (const BodyMaker& maker : body_makers())
    for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
      Model model;
      const Body& body = maker.add(model, "body", 2, random.inertia());
      const Vec3 f = random.vector(5), at = random.vector();
      const auto add_force = [&](const LoadComponents& c) -> const Interaction& {
        return model.add(std::make_unique<AppliedForce>("force", model.ports(), body.port(), at, c, axes));
      };
      const auto add_torque = [&](const LoadComponents& c) -> const Interaction& {
        return model.add(std::make_unique<AppliedTorque>("torque", model.ports(), body.port(), c, axes));
      };
      const Interaction* same[][2] = {{&add_force(f), &add_force(in_disguise(f))},
                                      {&add_torque(f), &add_torque(in_disguise(f))}};
      const Trial trial = random_trial(model, step_sizes()[2], random);
      for (const auto& [constant, disguised] : same) {
        const DenseSystem a = assemble(*constant, model, trial, true), b = assemble(*disguised, model, trial, true);
        // Twenty products of a component, a weight and a port map, in another order.
        const double size = 20 * eps * (1 + magnitudes(*constant, model, trial).maxCoeff());
        BOOST_TEST(agree("residual", b.r, a.r, size));
        BOOST_TEST(agree("tangent", b.k, a.k, size));
      }
    }
}

// One step of 0.5 s from t = 2: the value at 2.25, once for the force and once for the torque.
BOOST_AUTO_TEST_CASE(a_load_acts_with_its_value_at_the_middle_of_the_step) {
  const LoadComponents f(TimeFunction([](double t) { return t; }), 7, TimeFunction([](double t) { return t * t; }));
  const Vec3 at_middle(2.25, 7, 2.25 * 2.25);
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 2, Mat3::Identity());
  const Interaction& force =
      model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(), f, LoadAxes::space));
  const Interaction& torque =
      model.add(std::make_unique<AppliedTorque>("m", model.ports(), body.port(), f, LoadAxes::body));
  Trial trial = make_trial(model, {QuarterTurn().motion}, 0.5, VecX());
  trial.n.time = 2;
  StepBooks books;
  force.book(trial.moved(model), trial.n1, books);
  BOOST_TEST(agree("impulse", books.impulse, Vec3(0.5 * at_middle), tolerance));
  // About z, body axes at the mean of a right angle: x and y components turned by 45 degrees and shortened.
  const Reaction m = torque.reaction(trial.moved(model), body.port(), 0);
  const Vec3 turned((2.25 - 7) / 2, (2.25 + 7) / 2, 2.25 * 2.25);
  BOOST_TEST(agree("moment", m.moment, turned, tolerance));
}

// The momentum of a body is the midpoint rule of the load: step by step to rounding.
BOOST_AUTO_TEST_CASE(a_load_that_changes_gives_the_impulse_of_the_midpoint_rule) {
  const double h = 0.1;
  const auto f = [](double t) { return 3 * std::sin(4 * t); };
  for (const BodyMaker& maker : body_makers()) {
    if (!maker.is_free)
      continue;
    Model model;
    const Body& body = maker.add(model, "body", 2, Mat3::Identity());
    model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(),
                                             LoadComponents(TimeFunction(f), 0, 0), LoadAxes::space));
    State state = model.rest_state();
    model.begin(state);
    double impulse = 0;
    for (int n = 0; n < 50; ++n) {
      state = solve_step(model, state, h).trial.n1;
      impulse += h * f((n + 0.5) * h);
      // Twenty roundings a step of velocities below 2 x/h, x below one metre.
      BOOST_TEST(agree("velocity", body.motion(state).velocity, Vec3(impulse / 2, 0, 0), 20 * (n + 1) * eps * 2 / h));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(AppliedTorques)

BOOST_AUTO_TEST_CASE(a_torque_passes_the_shared_checks_on_every_body) {
  on_every_body(302, random_torque, shared_checks);
  on_every_body(305, changing_torque, shared_checks);
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
        BOOST_TEST(agree("force", torque.reaction(trial.moved(model), body.port(), 0).force, Vec3(Vec3::Zero()), 0));
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
