/// Composed steps with what dissipates or only pushes, and the reactions that they report [S17]-[S19].
#include "elements/bodies/frame.hpp"
#include "elements/forces/bushing.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/assembly/linearisation.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/enforcement.hpp"
#include "verification/support/orders.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// A ball of 2 kg that flies along x, and a damper between it and the origin.
struct DampedBall {
  explicit DampedBall(double damping) {
    body = &PointMass::add_to(model, "ball", mass);
    model.add(std::make_unique<SpringDamper>("damper", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                             body_point(body->port(), Vec3::Zero()), SpringLaw{0, 1, damping}));
    initial = model.rest_state();
    body->set_motion({Vec3(1, 0, 0), Quaternion::Identity(), Vec3(speed, 0, 0), Vec3::Zero()}, initial);
    model.begin(initial);
  }
  static constexpr double mass = 2, speed = 0.1;
  Model model;
  const Body* body = nullptr;
  State initial;
};

/// Two links on hinges with a damper in the air, friction in a hinge, and a bushing at the end.
Mechanism damped_chain(const BodyMaker& maker = body_makers().front()) {
  Mechanism m = hanging_chain(2, ChainJoint::revolute, maker);
  const Index upper = m.bodies[0]->port(), lower = m.bodies[1]->port();
  m.model->add(std::make_unique<SpringDamper>("strut", m.model->ports(), body_point(Model::ground, Vec3(0, 3, 1)),
                                              body_point(upper, Vec3(0, 0.2, 0.5)), SpringLaw{40, 2, 15}));
  Mat3 axes; // columns: the axis of the hinges, x, and two across it
  axes.setIdentity();
  m.model->add(std::make_unique<RotationalSpringDamper>("friction", m.model->ports(),
                                                        JointSide{upper, Vec3::Zero(), axes},
                                                        JointSide{lower, Vec3::Zero(), axes}, SpringLaw{5, 0.1, 3}));
  BushingLaw law;
  law.K = 3 * Mat6::Identity();
  law.C = Mat6::Identity();
  const Vec3 end = m.bodies[1]->motion(m.initial).position;
  m.model->add(bushing("rubber", m.model->ports(), {Model::ground, end}, {lower, Vec3(0, 0, 0.1)}, law));
  begin(m);
  return m;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Composition_forces)

// [S17], with factors multiplied by another program. Below the limit no stage ends with more than the step began with,
// for every linear mode that decays no faster: on a grid of exponents, to rounding of some twenty factors.
BOOST_AUTO_TEST_CASE(no_stage_ends_faster_than_its_step_began_below_the_limit_of_dampers) {
  BOOST_TEST(std::isinf(damping_limit(stages_of_order(2))));
  BOOST_TEST(damping_limit(stages_of_order(4)) == 4.202093270459378, boost::test_tools::tolerance(1e-11));
  BOOST_TEST(damping_limit(stages_of_order(6)) == 7.0916900091281, boost::test_tools::tolerance(1e-11));
  for (const int order : {4, 6}) {
    const Stages stages = stages_of_order(order);
    const double limit = damping_limit(stages);
    double largest = 0;
    for (int decay = 0; decay <= 100; ++decay)
      for (int swing = 0; swing <= 1000; ++swing) {
        const std::complex<double> z(-limit * decay / 100, 0.05 * swing);
        std::complex<double> amplitude = 1;
        for (const double c : stages) {
          amplitude *= (1.0 + c * z / 2.0) / (1.0 - c * z / 2.0);
          largest = std::max(largest, std::abs(amplitude));
        }
      }
    BOOST_TEST(largest <= 1 + 1e-11); // to which the limit was found
  }
}

// The test equation itself: a velocity is multiplied by (1 - x)/(1 + x) in a stage, x = c h_i / 2m, and what the mass
// has lost is in the books, of the whole step and after every number of them. 4e-15 of the largest velocity within.
BOOST_AUTO_TEST_CASE(a_damper_takes_what_its_stages_take) {
  constexpr double h = 0.1;
  for (const int order : {4, 6}) {
    const Stages stages = stages_of_order(order);
    for (const double part : {0.1, 0.5, 0.99}) {
      const double x = part * damping_limit(stages), damping = x * DampedBall::mass / h;
      const DampedBall ball(damping);
      BOOST_TEST(damping_bound(ball.model, ball.initial).rate == x / h, boost::test_tools::tolerance(1e-11));
      Composition integrator(ball.model, stages, {});
      State state = ball.initial;
      double v = DampedBall::speed;
      Ledger ledger;
      ledger.open(ball.model.books_at(state));
      for (int i = 0; i < 3; ++i) {
        const double v_n = v;
        for (const double c : stages)
          v *= (1 - c * x / 2) / (1 + c * x / 2);
        BOOST_TEST_REQUIRE(integrator.step(state, h).converged);
        const StepBooks books = integrator.books(state);
        ledger.add(books);
        // Rounding of a place of 1 m over stages of 0.01 s, some ten times, grows thirtyfold at most where one runs
        // back.
        const double rounding = 10 * 30 * eps / (0.05 * h);
        BOOST_TEST(std::abs(ball.body->motion(state).velocity.x() - v) <= rounding);
        BOOST_TEST(std::abs(books.dissipation - DampedBall::mass / 2 * (v_n * v_n - v * v)) <=
                   DampedBall::mass * DampedBall::speed * rounding);
        BOOST_TEST(books.dissipation >= 0);
      }
      BOOST_TEST(ledger.max_energy_imbalance() <= 30 * eps * std::sqrt(3.0 * static_cast<double>(stages.size())));
    }
  }
}

// Beyond the limit a step is not taken; the reason names the damper and its rate.
BOOST_AUTO_TEST_CASE(steps_that_are_too_long_for_dampers_are_refused) {
  for (const int order : {4, 6}) {
    const DampedBall ball(100); // 50 /s
    const double longest = damping_limit(stages_of_order(order)) / 50;
    Composition integrator(ball.model, stages_of_order(order), {});
    State refused = ball.initial;
    const StepReport report = integrator.step(refused, 1.001 * longest);
    BOOST_TEST(!report.converged);
    BOOST_TEST(report.why.find("'damper'") != std::string::npos, report.why);
    BOOST_TEST(report.why.find("50 /s") != std::string::npos, report.why);
    BOOST_TEST((refused == ball.initial));
    BOOST_TEST(integrator.step(refused, 0.999 * longest).converged);
    State state = ball.initial; // the second order bears any step
    BOOST_TEST(Composition(ball.model, stages_of_order(2), {}).step(state, 10 * longest).converged);
  }
}

// A bar that turns across its damper gives way more easily, 1/m + r²/J = 4/m instead of 1/m: steps that were short
// enough at the start are halved then.
BOOST_AUTO_TEST_CASE(the_limit_is_watched_as_bodies_move) {
  Model model;
  const double mass = 2, J = mass / 3; // of a bar of 2 m
  const Body& bar = FrameBody::add_to(model, "bar", mass, Vec3(0.01, J, J).asDiagonal());
  model.add(std::make_unique<SpringDamper>("damper", model.ports(), body_point(Model::ground, Vec3(-50, 0, 0)),
                                           body_point(bar.port(), Vec3(-1, 0, 0)), SpringLaw{0, 1, 10}));
  State state = model.rest_state();
  bar.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3(0, 0, 4)}, state);
  model.begin(state);
  const double longest = damping_limit(stages_of_order(4)) / damping_bound(model, state).rate;
  Composition integrator(model, stages_of_order(4), {});
  const double h = longest / 64; // after a few hundred steps of it the bar stands across
  State there = state;
  while (std::abs(there.time) < 0.4)
    BOOST_TEST_REQUIRE(integrator.step(there, h).converged);
  BOOST_TEST(damping_bound(model, there).rate > 2 * damping_bound(model, state).rate);
  there.time = 0; // at which is looked
  BOOST_TEST(!integrator.step(there, longest).converged);
  BOOST_TEST(integrator.step(there, longest / 4).converged);
}

BOOST_AUTO_TEST_CASE(dampers_keep_the_order) {
  for (const BodyMaker& maker : body_makers())
    for (const int order : {4, 6}) {
      if (!maker.is_free)
        continue;
      const Mechanism m = damped_chain(maker);
      BOOST_TEST_CONTEXT(maker.name << ", order " << order) {
        // where errors of places and velocities are small, but above rounding
        const int count = order == 4 ? 40 : 20;
        const double end = order == 4 ? 0.8 : 1;
        check_order(slopes(*m.model, m.initial, stages_of_order(order), end, count), order);
        const Ledger ledger = motions(*m.model, m.initial, stages_of_order(order), end, count).ledger;
        BOOST_TEST(ledger.dissipation() > 1); // J
        BOOST_TEST(ledger.relative_energy_imbalance() <=
                   30 * eps * std::sqrt(count * static_cast<double>(stages_of_order(order).size())));
      }
    }
}

// [S18] against the eigenvalues of the whole.
BOOST_AUTO_TEST_CASE(the_rate_of_dampers_is_bounded_on_every_formulation) {
  const auto largest = [](const Mechanism& m) {
    const MatX M = mass_matrix(*m.model, m.initial), C = damping_matrix(*m.model, m.initial);
    return (M.inverse() * C).eigenvalues().real().maxCoeff();
  };
  for (const BodyMaker& maker : body_makers()) {
    if (!maker.is_free)
      continue;
    const Mechanism m = damped_chain(maker);
    const bool is_soft = std::string(maker.name) == "soft tetra"; // others are as rigid as frames
    const double exact = is_soft ? largest(m) : largest(damped_chain());
    const double bound = damping_bound(*m.model, m.initial).rate;
    BOOST_TEST_CONTEXT(maker.name) {
      BOOST_TEST(bound >= exact * (1 - 1e-9));
      BOOST_TEST(bound <= 3 * exact); // three dampers, each of which might be all of it
    }
  }
  // One damper at the end of a bar, by hand: c (1/m + r²/J) across, c/m along it.
  for (const BodyMaker& maker : {body_makers()[0], body_makers()[1], body_makers()[2]})
    for (const bool across : {true, false}) {
      Model model;
      const Body& bar = maker.add(model, "bar", 2, Vec3(0.1, 0.5, 0.5).asDiagonal());
      const Vec3 from = across ? Vec3(1, 5, 0) : Vec3(5, 0, 0);
      model.add(std::make_unique<SpringDamper>("damper", model.ports(), body_point(Model::ground, from),
                                               body_point(bar.port(), Vec3(1, 0, 0)), SpringLaw{7, 1, 3}));
      State state = model.rest_state();
      model.begin(state);
      const DampingBound bound = damping_bound(model, state);
      BOOST_TEST_CONTEXT(maker.name << (across ? ", across" : ", along"))
      BOOST_TEST(bound.rate == 3 * (1 / 2.0 + (across ? 1 / 0.5 : 0)), boost::test_tools::tolerance(1e-9));
      BOOST_TEST(bound.element->name() == "damper");
    }
}

BOOST_AUTO_TEST_CASE(limits_are_refused_unless_they_are_springs) {
  for (const Enforcement& how : {lagrange, augmented()}) {
    const Ball ball(1, how);
    BOOST_CHECK_THROW(Composition(ball.model, stages_of_order(4), {}), std::invalid_argument);
  }
  const Ball ball(1, penalty(1e4), g_earth);
  // Bounces twice; energy is kept as by single steps: ten units of the energies of some joules per stage.
  const Ledger ledger = motions(ball.model, ball.at(0.3, 0), stages_of_order(4), 1, 100).ledger;
  BOOST_TEST(ledger.max_penetration() > 0);
  BOOST_TEST(ledger.relative_energy_imbalance() <= 10 * eps * std::sqrt(7 * 100.0));
}

// A support that takes forces alone: their mean is what momentum gained beyond gravity, over the length of the step.
BOOST_AUTO_TEST_CASE(reactions_are_means_over_the_whole_step) {
  const Mechanism m = hanging_chain(1, ChainJoint::spherical);
  const Joint* support = nullptr;
  for (const auto& element : m.model->elements())
    if (const auto* joint = dynamic_cast<const Joint*>(element.get()))
      support = joint;
  constexpr double h = 0.1, weight = 12 * 9.81;
  for (const int order : {4, 6}) {
    Composition integrator(*m.model, stages_of_order(order), {});
    State state = m.initial;
    for (int i = 0; i < 5; ++i) {
      const Vec3 p_n = 12 * m.bodies[0]->motion(state).velocity;
      BOOST_TEST_REQUIRE(integrator.step(state, h).converged);
      const Vec3 p = 12 * m.bodies[0]->motion(state).velocity;
      const Step s = integrator.last_step();
      BOOST_TEST(s.h == h);
      BOOST_TEST((s.lambda == state.multipliers));
      const Vec3 force = support->reaction_on_second(integrator.last_moved_step()).force;
      const Vec3 mean = (p - p_n) / h + Vec3(0, 0, weight);
      // Newton leaves some ten units in the last place of the largest term, m z/h² with z of 0.2 m at most; stages of
      // 0.05 h have the largest.
      const double largest = 2 * 12 * 0.2 / (0.05 * h) / (0.05 * h);
      BOOST_TEST((force - mean).norm() <= 10 * eps * largest);
    }
  }
}

namespace {

struct MeanReaction {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
};

/// Of the last joint of a model over the second half of a run.
MeanReaction mean_reaction(const Mechanism& m, int order, double end, int count) {
  const Joint* joint = nullptr;
  for (const auto& element : m.model->elements())
    if (const auto* found = dynamic_cast<const Joint*>(element.get()))
      joint = found;
  Composition integrator(*m.model, stages_of_order(order), {});
  State state = m.initial;
  MeanReaction sum;
  for (int i = 0; i < count; ++i) {
    BOOST_TEST_REQUIRE(integrator.step(state, end / count).converged);
    if (i < count / 2)
      continue;
    for (const StepStage& part : integrator.last_stages()) {
      const Reaction reaction = joint->reaction_on_second(part.step);
      sum.force += part.share * reaction.force / (count / 2);
      sum.moment += part.share * reaction.moment / (count / 2);
    }
  }
  return sum;
}

/// Orders of its force and its moment, as slopes() sees those of the motion.
std::pair<double, double> reaction_orders(const Mechanism& m, int order, double end, int count) {
  const MeanReaction reference = mean_reaction(m, 6, end, 4 * count), coarse = mean_reaction(m, order, end, count),
                     fine = mean_reaction(m, order, end, 2 * count);
  return {std::log2((coarse.force - reference.force).norm() / (fine.force - reference.force).norm()),
          std::log2((coarse.moment - reference.moment).norm() / (fine.moment - reference.moment).norm())};
}

/// A box on the ground under a joint, in motion with what the joint admits.
template <class Make>
Mechanism held_box(Make make, const Vec3& spin) {
  Mechanism m;
  const Body& box = FrameBody::add_to(*m.model, "box", 12, Vec3(9.25, 10, 1.25).asDiagonal());
  m.bodies = {&box};
  m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), box.port(), 12, Vec3(0, 0, -g_earth)));
  m.model->add(make(*m.model, box));
  m.initial = m.model->rest_state();
  const Vec3 centre(1.2, 0.3, -0.7);
  box.set_motion({centre, Quaternion::Identity(), spin.cross(centre), spin}, m.initial);
  begin(m);
  return m;
}

} // namespace

// [S19]: what joints do, in the mean of the stages, is of the order of the step, also where it turns with the bodies.
// Only the mean of the forces in the axes of a rod or of a cross would not be: with directions of the whole step they
// are of second order.
BOOST_AUTO_TEST_CASE(reactions_have_the_order_of_the_step) {
  const Vec3 at(-1.2, -0.3, 0.7);
  const auto ball = [&](Model& model, const Body& box) {
    return spherical_joint("ball", model.ports(), {}, {box.port(), at});
  };
  const auto cross = [&](Model& model, const Body& box) {
    return universal_joint("cross", model.ports(), {}, {box.port(), at});
  };
  const auto hinge = [&](Model& model, const Body& box) {
    return revolute_joint("hinge", model.ports(), {}, {box.port(), at});
  };
  const auto rod = [](Model& model, const Body& box) {
    return distance_joint("rod", model.ports(), {}, {box.port(), Vec3(0.1, 0.2, 0.3)}, Vec3(1.3, 0.5, -0.4).norm());
  };
  for (const int order : {4, 6}) {
    const int count = order == 4 ? 40 : 10; // errors well above the rounding of reactions, 1e-9 N
    const double of_ball = reaction_orders(held_box(ball, Vec3(0.5, 1, 2)), order, 1, count).first;
    BOOST_TEST(of_ball > order - same_order, "ball joint: " << of_ball);
    const double of_rod = reaction_orders(held_box(rod, Vec3(0.5, 1, 2)), order, 1, 2 * count).first;
    BOOST_TEST(of_rod > order - same_order, "rod: " << of_rod);
    for (const auto& [force, moment] : {reaction_orders(held_box(cross, Vec3(0, 1, 0)), order, 1, count),
                                        reaction_orders(held_box(hinge, Vec3(1, 0, 0)), order, 1, count)}) {
      BOOST_TEST(force > order - same_order, "force: " << force);
      BOOST_TEST(moment > order - same_order, "moment: " << moment);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
