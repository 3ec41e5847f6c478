/// Forces at an instant, which explicit integrators ask for, against the residuals of steps and against potentials.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/forces.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

InstantForces forces_at(const Interaction& force, const NaturalInstant& s) {
  InstantForces out;
  for (NaturalVector* part : {&out.elastic, &out.given, &out.viscous})
    part->setZero(s.q.size());
  force.evaluate_instant(s, out);
  return out;
}

NaturalVector total(const InstantForces& f) {
  return f.elastic + f.given + f.viscous;
}

/// A step of length h about the instant, in which every variable moves with its rate: its middle is the instant.
NaturalStep step_about(const NaturalInstant& s, double h) {
  NaturalStep step;
  step.t = (s.from + s.to) / 2 - h / 2;
  step.h = h;
  step.inv_h = 1 / h;
  step.q_n = s.q - h / 2 * s.q_dot;
  step.q_n1 = s.q + h / 2 * s.q_dot;
  step.q_m = s.q;
  step.lambda.setZero(0);
  step.history = s.history;
  return step;
}

NaturalVector residual(const Interaction& force, const NaturalStep& step) {
  NaturalSystem system = force.natural_system(false);
  force.evaluate_natural(step, system);
  return system.r;
}

/// What a step loses per unit of time: the work done against the force that does not go into its potential.
double dissipation_rate(const Interaction& force, const NaturalStep& step) {
  NaturalStep start = step;
  start.q_n1 = start.q_m = start.q_n;
  return (residual(force, step).dot(step.q_n1 - step.q_n) - (force.potential(step) - force.potential(start))) / step.h;
}

/// Forces of the shared collection, at a random instant with random rates of all variables.
struct Scene {
  Scene(const ForceSample& sample, Random& random) : scene(sample, random) {
    const Trial trial = scene.joined.trial(scene.motions(random), random);
    const NaturalStep step = natural_step(scene.force, scene.model, trial);
    at.from = at.to = step.t;
    at.q = step.q_n;
    at.q_dot = random.numbers(at.q.size());
    at.history = step.history;
    NaturalStep still = step;
    still.q_n1 = still.q_m = still.q_n;
    size = natural_system(scene.force, still).k.norm() + residual(scene.force, still).norm() +
           std::abs(scene.force.potential(still));
  }
  const Interaction& force() const { return scene.force; }
  ForceScene scene;
  NaturalInstant at;
  double size = 0; ///< of stiffness (with dampers over the step of the trial), force and potential
};

const auto samples = force_samples({step_sizes()[2]});

} // namespace

BOOST_AUTO_TEST_SUITE(Instants)

BOOST_DATA_TEST_CASE(the_elastic_part_is_the_gradient_of_the_potential, data::make(samples)) {
  Random random(651);
  const Scene s(sample, random);
  NaturalStep step = step_about(s.at, 1);
  step.q_n = step.q_n1 = step.q_m = s.at.q;
  const double d = std::cbrt(eps); // central differences, STYLE section 6; variables are of size one
  NaturalVector gradient(s.at.q.size());
  for (Index i = 0; i < gradient.size(); ++i) {
    NaturalStep above = step, below = step;
    above.q_n1[i] += d;
    below.q_n1[i] -= d;
    gradient[i] = (s.force().potential(above) - s.force().potential(below)) / (above.q_n1[i] - below.q_n1[i]);
  }
  const InstantForces f = forces_at(s.force(), s.at);
  BOOST_TEST(agree("elastic", f.elastic, gradient, 10 * std::pow(eps, 2.0 / 3) * s.size));
  BOOST_TEST(f.given.norm() == 0); // nothing here acts from outside
  if (sample.force->conserves)
    BOOST_TEST(f.viscous.norm() == 0);
}

// A step is symmetric about its middle, so its residual differs from the force there by an even power of h: halving h
// must divide the difference by four. Rounding of rates is eps/h of the variables.
BOOST_DATA_TEST_CASE(the_parts_add_up_to_the_residual_of_a_step_that_becomes_short, data::make(samples)) {
  Random random(652);
  const Scene s(sample, random);
  const NaturalVector f = total(forces_at(s.force(), s.at));
  const double h = 0.02, rounding = 100 * eps * s.size / h;
  const double coarse = (residual(s.force(), step_about(s.at, h)) - f).norm();
  const double fine = (residual(s.force(), step_about(s.at, h / 2)) - f).norm();
  BOOST_TEST(f.norm() > 0);
  // First order at least, with a constant of the size of the force's own change, |k| |q_dot|.
  BOOST_TEST(coarse <= h * s.size * s.at.q_dot.norm());
  // Fourth powers of h |q_dot| change the ratio by some percent.
  BOOST_TEST(fine <= 1.1 * coarse / 4 + rounding);
}

BOOST_DATA_TEST_CASE(the_viscous_part_takes_the_power_that_a_short_step_dissipates, data::make(samples)) {
  Random random(653);
  const Scene s(sample, random);
  const double power = s.at.q_dot.dot(forces_at(s.force(), s.at).viscous);
  BOOST_TEST((sample.force->conserves ? power == 0 : power > 0));
  // Extrapolated from two steps, errors go with the fourth power of what variables of size one move, h |q_dot|.
  const double h = 0.01, coarse = dissipation_rate(s.force(), step_about(s.at, h));
  const double fine = dissipation_rate(s.force(), step_about(s.at, h / 2));
  const double q_dot = s.at.q_dot.norm(), rounding = 100 * eps * s.size * q_dot / h;
  BOOST_TEST(agree("power", power, (4 * fine - coarse) / 3, 10 * std::pow(h * q_dot, 4) * s.size * q_dot + rounding));
}

BOOST_DATA_TEST_CASE(what_calls_itself_configurational_depends_on_nothing_but_the_configuration, data::make(samples)) {
  Random random(654);
  const Scene s(sample, random);
  const NaturalVector f = total(forces_at(s.force(), s.at));
  NaturalInstant faster = s.at, later = s.at;
  faster.q_dot = 2 * s.at.q_dot;
  later.from += 0.3;
  later.to += 0.4;
  const bool same = total(forces_at(s.force(), faster)) == f && total(forces_at(s.force(), later)) == f;
  BOOST_TEST(same == s.force().is_configurational());
  BOOST_TEST(s.force().is_configurational() == sample.force->conserves);
}

// Loads: all of both kinds, in space and in the body, constant or not.
BOOST_AUTO_TEST_CASE(loads_act_with_their_mean_over_the_span_of_time) {
  Random random(655);
  Model model;
  const Index port = FrameBody::add_to(model, "body", 1, Mat3::Identity()).port();
  const TimeFunction jump([](double t) { return t < 2 ? 1.0 : 4.0; });
  const LoadComponents changing(jump, 5, jump);
  for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
    const Interaction& force =
        model.add(std::make_unique<AppliedForce>("force", model.ports(), port, Vec3(1, 2, 3), changing, axes));
    const Interaction& torque =
        model.add(std::make_unique<AppliedTorque>("torque", model.ports(), port, changing, axes));
    for (const Interaction* load : {&force, &torque}) {
      const auto at_rest = [&](const Vec3& components) { // the same load, constant
        if (load == &force)
          return static_cast<const Interaction*>(
              &model.add(std::make_unique<AppliedForce>("f", model.ports(), port, Vec3(1, 2, 3), components, axes)));
        return static_cast<const Interaction*>(
            &model.add(std::make_unique<AppliedTorque>("t", model.ports(), port, components, axes)));
      };
      const Mat3 Q = random.triad();
      const Vec3 x = random.vector();
      Vec12 q;
      q << x, Q.col(0), Q.col(1), Q.col(2);
      const auto instant = [&](const Interaction& of, double from, double to) {
        NaturalInstant s;
        s.from = from;
        s.to = to;
        s.q.resize(static_cast<Index>(3 * of.variables().size()));
        for (std::size_t a = 0; a < of.variables().size(); ++a)
          s.q.segment<3>(static_cast<Index>(3 * a)) = of.variables()[a].of(q);
        s.q_dot = random.numbers(s.q.size());
        return s;
      };
      // Force and moment on the body, whatever variables the load uses.
      const auto wrench = [&](const Interaction& of, const NaturalInstant& s) {
        const InstantForces f = forces_at(of, s);
        BOOST_TEST(f.elastic.norm() == 0);
        BOOST_TEST(f.viscous.norm() == 0);
        Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
        for (std::size_t a = 0; a < of.variables().size(); ++a) {
          const auto i = static_cast<Index>(3 * a);
          sum.head<3>() -= of.variables()[a].w[0] * f.given.segment<3>(i);
          sum.tail<3>() -= s.q.segment<3>(i).cross(f.given.segment<3>(i));
        }
        return sum;
      };
      // Three quarters of the span before the jump: 1.75. Two sums of ten terms of size |load| times arms of 4 m.
      const double rounding = 20 * eps * 7 * 4;
      const Interaction& of_mean = *at_rest(Vec3(1.75, 5, 1.75));
      BOOST_TEST(agree("mean", wrench(*load, instant(*load, 1.25, 2.25)), wrench(of_mean, instant(of_mean, 0, 0)),
                       rounding + 7 * 40 * eps * 2.25));
      const Interaction& before = *at_rest(Vec3(1, 5, 1));
      BOOST_TEST(
          agree("value", wrench(*load, instant(*load, 1.5, 1.5)), wrench(before, instant(before, 7, 8)), rounding));
      BOOST_TEST(!load->is_configurational());
      BOOST_TEST(before.is_configurational());
      // The middle of a step in which nothing jumps.
      const NaturalInstant s = instant(*load, 0.5, 0.5);
      const double h = 1e-3;
      BOOST_TEST(agree("step", residual(*load, step_about(s, h)), total(forces_at(*load, s)), 20 * eps * 7));
      // By hand: a torque or force of these components.
      const Vec3 m = axes == LoadAxes::space ? Vec3(1, 5, 1) : Vec3(Q * Vec3(1, 5, 1));
      Eigen::Matrix<double, 6, 1> known;
      if (load == &force)
        known << m, (x + Q * Vec3(1, 2, 3)).cross(m);
      else
        known << Vec3::Zero(), m;
      BOOST_TEST(agree("by hand", wrench(*load, s), known, rounding));
    }
  }
}

BOOST_AUTO_TEST_CASE(gravity_is_elastic_and_configurational) {
  Model model;
  const Index port = FrameBody::add_to(model, "body", 2, Mat3::Identity()).port();
  const Gravity gravity("gravity", model.ports(), port, 2, Vec3(0, 0, -9.5));
  NaturalInstant s;
  s.q = Vec3(1, 2, 3);
  const InstantForces f = forces_at(gravity, s); // without rates: nobody asks for them
  BOOST_TEST(f.elastic == Vec3(0, 0, 19));
  BOOST_TEST(f.given.norm() + f.viscous.norm() == 0);
  BOOST_TEST(gravity.is_configurational());
}

// The only points where a spring has no direction.
BOOST_AUTO_TEST_CASE(a_damper_without_length_does_nothing) {
  Model model;
  const Index port = FrameBody::add_to(model, "body", 2, Mat3::Identity()).port();
  const SpringLaw law{3, 0, 2};
  const SpringDamper damper("damper", model.ports(), body_point(Model::ground, Vec3::Zero()),
                            body_point(port, Vec3::Zero()), law);
  NaturalInstant s;
  s.q.setZero(6);
  s.q_dot = NaturalVector::Ones(6);
  BOOST_TEST(total(forces_at(damper, s)).norm() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
