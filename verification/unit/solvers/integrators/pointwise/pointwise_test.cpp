/// Schemes that take forces at instants: their equations, what they carry, their books, and what they refuse.
#include "elements/bodies/director.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/load.hpp"
#include "elements/forces/rotational_spring_damper.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/drive.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/simulation.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"
#include "verification/support/schemes.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <stdexcept>

using namespace emmy;
using namespace emmy::test;
namespace data = boost::unit_test::data;

namespace {

enum class Enforced { penalty, multipliers, augmented_lagrangian };

Enforcement enforcement(Enforced how) {
  switch (how) {
  case Enforced::penalty:
    return {EnforcementMethod::penalty, 300, 0};
  case Enforced::augmented_lagrangian:
    return {EnforcementMethod::augmented_lagrangian, 0, 10};
  case Enforced::multipliers:
    break;
  }
  return {};
}

/// Two links and two points with springs between them, a coil, loads that change in time and turn with a link, a wall
/// that is passed and one that is not, joints between points, and a motor.
struct Machine {
  explicit Machine(Enforced how, bool has_joints = true) {
    PlanarChain chain;
    chain.links = {{"upper", 1, 0.4, 1.2, 0.1}, {"lower", 0.8, 0.5, 0.7, 0.05}};
    links = chain.add_to(model);
    const Index upper = links[0]->port(), lower = links[1]->port();
    const Index a = PointMass::add_to(model, "a", 0.6).port(), b = PointMass::add_to(model, "b", 0.9).port();
    const Ports& ports = model.ports();
    const Vec3 centre = Vec3::Zero();
    for (const Index port : {upper, lower, a, b})
      model.add(std::make_unique<Gravity>("weight", ports, port, 1, Vec3(0, -9.81, 0)));
    model.add(std::make_unique<SpringDamper>("spring", ports, body_point(lower, {0.3, 0, 0}), body_point(a, centre),
                                             SpringLaw{40, 0.5, 0}));
    model.add(std::make_unique<SpringDamper>("cord", ports, body_point(Model::ground, {1, 0, 1}), body_point(b, centre),
                                             SpringLaw{30, 0.2, 0}));
    model.add(std::make_unique<RotationalSpringDamper>("coil", ports, link_side(upper), link_side(lower),
                                                       SpringLaw{3, 0.4, 0}));
    const TimeFunction wave([](double t) { return 2 * std::sin(3 * t + 0.4); });
    model.add(std::make_unique<AppliedForce>("push", ports, lower, Vec3(0.3, 0, 0), LoadComponents(wave, 1, 0),
                                             LoadAxes::body));
    add(wall("floor", ports, side_along({0, 5, 0}, Vec3::UnitY()), body_point(lower, {0.3, 0, 0}), 0, 1), how);
    add(wall("far", ports, side_along({0, -50, 0}, Vec3::UnitY()), body_point(a, centre), 0, 1), how);
    if (has_joints) {
      add(distance_joint("rod", ports, {a, centre}, {b, centre}, 1.3), how);
      add(std::make_unique<Drive>("motor", ports, side_along({0, 0, 0}, Vec3::UnitX()), JointSide{b, centre},
                                  Drive::Coordinate::displacement, Drive::Prescribes::rate,
                                  TimeFunction([](double t) { return 0.3 + t; })),
          how);
    }
    state = model.rest_state();
    links[0]->set_angle(0.3, 1.1, state);
    links[1]->set_angle(0.9, -0.7, state);
    model.bodies()[2]->set_motion({{0.9, -1.4, 0.2}, Quaternion::Identity(), {0.3, 0.2, -0.1}, centre}, state);
    model.bodies()[3]->set_motion({{0.5, -0.3, 0.7}, Quaternion::Identity(), {0.3, -0.2, 0.4}, centre}, state);
    state.time = 0.3;
    model.begin(state);
  }

  Model model;
  std::vector<const ChainLink*> links;
  State state;

private:
  static JointSide link_side(Index port) {
    JointSide side = side_along(Vec3::Zero(), Vec3::UnitZ()); // q3 of a link is the normal of the plane
    side.port = port;
    return side;
  }
  template <class E>
  void add(std::unique_ptr<E> element, Enforced how) {
    model.add(std::move(element), enforcement(how));
  }
};

/// The assembled tangent against central differences of the assembled residual, at a point away from the solution.
Verdict tangent_agrees(const Machine& m, StepEquations& equations, double h) {
  AugmentedLagrangianOptions options;
  options.form = AugmentedForm::nested; // merged, the curvature is that of the last multipliers [A22]
  Assembler assembler(equations, options);
  const Index n = assembler.size();
  VecX x(n), f(n), ahead(n), back(n);
  assembler.begin_step(m.state, h);
  assembler.start_freely(x.data());
  Random random(5);
  x += random.numbers(n, 0.05);
  if (!assembler.evaluate_closely(x.data(), f.data()))
    throw std::runtime_error("not finite");
  assembler.fill_matrix();
  MatX K(n, n), K_differences(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const auto row = static_cast<PetscInt>(i), column = static_cast<PetscInt>(j);
      check(MatGetValues(assembler.matrix(), 1, &row, 1, &column, &K(i, j)));
    }
  const double step = std::cbrt(eps);
  for (Index j = 0; j < n; ++j) {
    VecX there = x;
    there[j] += step;
    assembler.evaluate_closely(there.data(), ahead.data());
    there[j] = x[j] - step;
    assembler.evaluate_closely(there.data(), back.data());
    K_differences.col(j) = (ahead - back) / (2 * step);
  }
  return agree("tangent", K, K_differences,
               20 * (step * step * K.cwiseAbs().maxCoeff() + eps / step * f.cwiseAbs().maxCoeff()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(Instants)

// --- equations

BOOST_AUTO_TEST_CASE(tangents_are_derivatives_of_residuals) {
  for (const Enforced how : {Enforced::penalty, Enforced::multipliers, Enforced::augmented_lagrangian}) {
    const Machine m(how);
    const double h = 0.1;
    BOOST_TEST_CONTEXT("enforcement " << static_cast<int>(how)) {
      for (const AccelerationRule& rule : {AccelerationRule::linear_acceleration(), AccelerationRule::high_order()}) {
        EndEquations end(m.model, rule);
        Random random(3);
        end.remember(random.numbers(m.model.unknowns(), 1), random.numbers(m.model.unknowns(), 1));
        BOOST_TEST(tangent_agrees(m, end, h), rule.name);
      }
      MidpointEquations middle(m.model);
      BOOST_TEST(tangent_agrees(m, middle, h), "midpoint");
      AccelerationEquations instant(m.model, "start");
      instant.begin(m.state);
      BOOST_TEST(tangent_agrees(m, instant, AccelerationEquations::h), "accelerations");
    }
  }
}

// Along any motion that meets the joints, their values have no second derivative: the accelerations that are found lead
// from a consistent state to one that is off by the third power of time.
BOOST_AUTO_TEST_CASE(accelerations_keep_joints_closed) {
  Model model;
  const PointMass& body = PointMass::add_to(model, "bob", 2);
  model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 2, Vec3(0, 0, -9.81)));
  model.add(distance_joint("rod", model.ports(), {}, {body.port(), Vec3::Zero()}, 1));
  State state = model.rest_state();
  body.set_motion({Vec3(0.6, 0, -0.8), Quaternion::Identity(), Vec3(0, 2, 0), Vec3::Zero()}, state);
  Accelerations accelerations(model, {}, "start");
  BOOST_TEST(accelerations.solve(state).converged);
  // gravity without its part along the rod, and v²/l towards the hook
  const Vec3 rod(0.6, 0, -0.8), g(0, 0, -9.81);
  const Vec3 expected = g - rod * rod.dot(g) - 4 * rod;
  BOOST_TEST(agree("a", accelerations.a(), expected, 1e-8)); // differences over a millimetre
}

// --- loads

// Accelerations that change linearly, or quadratically, are what the rules are exact for; midpoint takes the load in
// the middle of the step, Euler at its start.
BOOST_AUTO_TEST_CASE(loads_are_taken_at_the_instants_of_the_scheme) {
  struct Expected {
    InstantScheme scheme;
    int power;
    double x, v; // after 1 s
  };
  const int n = 10;
  const double h = 0.1;
  double sum = 0, sum_of_sums = 0;
  for (int i = 0; i < n; ++i) {
    sum_of_sums += h * sum;
    sum += h * h * i;
  }
  const Expected all[] = {{linear_acceleration(), 1, 1.0 / 6, 1.0 / 2},
                          {high_order(), 2, 1.0 / 12, 1.0 / 3},
                          {midpoint(), 1, 1.0 / 6 + h * h / 12, 1.0 / 2}, // trapezoidal rule of v
                          {explicit_euler(), 1, sum_of_sums, sum}};
  for (const Expected& e : all)
    BOOST_TEST_CONTEXT(e.scheme) {
      Model model;
      const PointMass& body = PointMass::add_to(model, "mass", 1);
      const TimeFunction power([&](double t) { return std::pow(t, e.power); });
      model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(),
                                               LoadComponents(power, 0, 0), LoadAxes::space));
      State state = model.rest_state();
      advance(*e.scheme.on(model), state, h, n);
      BOOST_TEST(agree("x", state.values[0], e.x, 100 * eps));
      BOOST_TEST(agree("v", state.rates[0], e.v, 100 * eps));
    }
}

// --- state

BOOST_DATA_TEST_CASE(a_run_continues_bit_for_bit_from_a_copy, data::make(instant_schemes())) {
  const Machine m(Enforced::penalty);
  State state = m.state;
  const auto first = sample.on(m.model);
  advance(*first, state, 1e-3, 20);
  State copy = state;
  advance(*first, state, 1e-3, 20);
  advance(*sample.on(m.model), copy, 1e-3, 20);
  BOOST_TEST((copy == state));
}

BOOST_DATA_TEST_CASE(a_state_without_memory_begins_by_itself, data::make(instant_schemes())) {
  const Machine m(Enforced::penalty);
  State bare = m.state, begun = m.state;
  const auto one = sample.on(m.model), other = sample.on(m.model);
  other->begin(begun);
  advance(*one, bare, 1e-3, 3);
  advance(*other, begun, 1e-3, 3);
  BOOST_TEST((bare == begun));
}

BOOST_DATA_TEST_CASE(a_step_that_fails_leaves_the_state_as_it_was, data::make(instant_schemes())) {
  Model model;
  const Body& body = PointMass::add_to(model, "body", 1);
  model.add(std::make_unique<AppliedForce>("f", model.ports(), body.port(), Vec3::Zero(),
                                           LoadComponents(TimeFunction([](double t) { return t < 1 ? 1 : NAN; }), 0, 0),
                                           LoadAxes::space));
  State state = model.rest_state();
  const auto integrator = sample.on(model);
  advance(*integrator, state, 0.01, 3);
  state.time = 1;
  const State before = state;
  const StepReport report = integrator->step(state, 0.01);
  BOOST_TEST(!report.converged);
  BOOST_TEST(report.why == "element 'f' (force) returned a value that is not finite");
  BOOST_TEST((state == before));
  state.time = 0.03; // and goes on from there as if nothing had happened
  State copy = state;
  advance(*integrator, state, 0.01, 1);
  advance(*sample.on(model), copy, 0.01, 1);
  BOOST_TEST((state == copy));
}

// --- books

// Linear momentum gains the impulses that are booked; for midpoint angular momentum too. Weights and stops, springs to
// the ground and penalties bring them.
BOOST_DATA_TEST_CASE(momentum_is_what_is_booked, data::make(instant_schemes())) {
  Model model;
  std::vector<const Body*> bodies;
  for (const char* name : {"a", "b"}) {
    bodies.push_back(&PointMass::add_to(model, name, 1));
    model.add(std::make_unique<Gravity>("weight", model.ports(), bodies.back()->port(), 1, Vec3(0, 0, -9.81)));
  }
  const auto at = [&](std::size_t i) { return body_point(bodies[i]->port(), Vec3::Zero()); };
  model.add(std::make_unique<SpringDamper>("hook", model.ports(), body_point(Model::ground, {0, 0, 1}), at(0),
                                           SpringLaw{50, 0.5, 0}));
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), at(0), at(1), SpringLaw{50, 0.5, 0}));
  model.add(wall("floor", model.ports(), side_along({0, 0, -0.65}, Vec3::UnitZ()), at(1), 0, 1),
            {EnforcementMethod::penalty, 1e3, 0});
  if (sample.name != "explicit_euler")
    model.add(wall("left", model.ports(), side_along({0.2, 0, 0}, Vec3::UnitX()), at(0), 0, 1));
  State state = model.rest_state();
  bodies[0]->set_motion({{0.3, 0, 0.1}, Quaternion::Identity(), {-1, 0.5, 0}, Vec3::Zero()}, state);
  bodies[1]->set_motion({{0.1, 0, -0.6}, Quaternion::Identity(), {0, -1, -1}, Vec3::Zero()}, state);
  model.begin(state);
  const auto integrator = sample.on(model);
  Ledger ledger;
  integrator->begin(state);
  ledger.open(model.books_at(state));
  double pushed = 0, off = 0;
  for (int i = 0; i < 400; ++i) {
    advance(*integrator, state, i < 150 ? 2.5e-3 : 2e-3, 1); // also where the step changes its size
    ledger.add(integrator->books(state));
    pushed = std::max(pushed, state.multipliers.maxCoeff());
    off = std::max(off, std::abs(ledger.last().energy() - model.books_at(state).energy()));
  }
  BOOST_TEST(pushed > 1);
  BOOST_TEST(off <=
             20 * eps * 50); // the energy of the state, that in the penalty included: some 20 terms of up to 50 J
  // 400 steps add impulses of some 0.05 N s, those of an impact of 5 N s
  BOOST_TEST(ledger.max_linear_imbalance() <= 400 * 10 * eps * 10);
  if (sample.name == "midpoint")
    BOOST_TEST(ledger.max_angular_imbalance() <= 400 * 10 * eps * 10);
  BOOST_TEST(ledger.max_energy_imbalance() > 1e-6); // no scheme hides what it does to energy
  BOOST_TEST(std::isfinite(ledger.max_energy_imbalance()));
}

// --- joints

// A pendulum of 1 m and 1 kg falls from 45 degrees: |E - E_0| > 1 J after so many steps of 10 ms. With midpoint never.
BOOST_AUTO_TEST_CASE(joints_by_multipliers_blow_up_under_schemes_with_accelerations) {
  const auto steps_to_one_joule = [](const InstantScheme& scheme, const Enforcement& how, double& largest) {
    Model model;
    const PointMass& body = PointMass::add_to(model, "bob", 1);
    model.add(std::make_unique<Gravity>("weight", model.ports(), body.port(), 1, Vec3(0, -9.81, 0)));
    model.add(distance_joint("rod", model.ports(), {}, {body.port(), Vec3::Zero()}, 1), how);
    State state = model.rest_state();
    const double c = std::sqrt(0.5);
    body.set_motion({Vec3(c, -c, 0), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, state);
    const auto integrator = scheme.on(model);
    const double E_0 = model.books_at(state).energy();
    largest = 0;
    int n = 0;
    while (n < 200 && largest <= 1) {
      ++n;
      if (!integrator->step(state, 0.01).converged)
        break;
      largest = std::max(largest, std::abs(model.books_at(state).energy() - E_0));
    }
    return n;
  };
  const Enforcement by_augmented_lagrangian{EnforcementMethod::augmented_lagrangian, 0, 0};
  double largest = 0;
  for (const Enforcement& how : {Enforcement{}, by_augmented_lagrangian}) {
    BOOST_TEST(steps_to_one_joule(linear_acceleration(), how, largest) == 11);
    BOOST_TEST(steps_to_one_joule(high_order(), how, largest) == 16);
    BOOST_TEST(steps_to_one_joule(midpoint(), how, largest) == 200);
    BOOST_TEST(largest < 200 * 10 * eps * 10);
  }
}

// Joints are quadratic, so that their gradients at the mean are secants: a chain of director bodies under weight moves
// as it does by energy-momentum, and its books balance as well.
BOOST_AUTO_TEST_CASE(director_bodies_with_joints_move_as_by_energy_momentum) {
  const Mechanism m = hanging_chain(4, ChainJoint::revolute, body_makers()[1]);
  BOOST_TEST_REQUIRE(m.bodies[0]->kind() == "director body");
  const auto middle = midpoint().on(*m.model);
  EnergyMomentum conserving(*m.model, {});
  State a = m.initial, b = m.initial;
  Ledger ledger;
  ledger.open(m.model->books_at(a));
  for (int i = 0; i < 50; ++i) {
    advance(*middle, a, 0.02, 1);
    advance(conserving, b, 0.02, 1);
    ledger.add(middle->books(a));
  }
  BOOST_TEST(agree("values", a.values, b.values, 1e-10)); // rounding grows with the motion
  BOOST_TEST(agree("rates", a.rates, b.rates, 1e-9));
  BOOST_TEST(ledger.relative_energy_imbalance() <= 50 * 20 * eps);
  BOOST_TEST(ledger.relative_linear_imbalance() <= 50 * 20 * eps);
  BOOST_TEST(ledger.relative_angular_imbalance() <= 50 * 20 * eps);
}

// What is prescribed counts from the start of the step, not from the instant: a slider at the rate 0.3 + t is where it
// should be at the end of every step.
BOOST_AUTO_TEST_CASE(prescribed_rates_are_followed) {
  for (const Enforced how : {Enforced::multipliers, Enforced::augmented_lagrangian}) {
    Model model;
    const PointMass& body = PointMass::add_to(model, "slider", 2);
    model.add(std::make_unique<Drive>("motor", model.ports(), side_along(Vec3::Zero(), Vec3::UnitX()),
                                      JointSide{body.port(), Vec3::Zero()}, Drive::Coordinate::displacement,
                                      Drive::Prescribes::rate, TimeFunction([](double t) { return 0.3 + t; })),
              enforcement(how));
    State state = model.rest_state();
    body.set_motion({Vec3(0.5, 0, 0), Quaternion::Identity(), Vec3(0.3, 0, 0), Vec3::Zero()}, state);
    model.begin(state);
    const auto integrator = midpoint().on(model);
    advance(*integrator, state, 0.1, 10);
    BOOST_TEST(agree("x", state.values[0], 0.5 + 0.3 + 0.5, 10 * 20 * eps));
    // v' = 1 throughout, which a force of 2 N on 2 kg gives
    BOOST_TEST(agree("force", -state.multipliers[0], 2, 1e-10));
  }
}

// --- what they refuse

namespace {

std::string refusal(const InstantScheme& scheme, const Model& model) {
  try {
    scheme.on(model);
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "";
}

} // namespace

BOOST_AUTO_TEST_CASE(bodies_that_have_no_accelerations_of_coordinates_are_refused) {
  const Mat3 J = Mat3::Identity();
  Model frame, director, springs;
  FrameBody::add_to(frame, "F", 1, J);
  DirectorBody::add_to(director, "D", 1, J);
  SpringTetra::add_to(springs, "S", 1, J, SpringTetraOptions{});
  const std::string free = ": expected point masses and links of planar chains";
  for (const InstantScheme& scheme : {linear_acceleration(), high_order(), explicit_euler()}) {
    const std::string name = scheme.name.substr(0, scheme.name.find(','));
    BOOST_TEST(refusal(scheme, frame) == "body 'F' (frame body) cannot be moved by " + name + free);
    BOOST_TEST(refusal(scheme, director) == "body 'D' (director body) cannot be moved by " + name + free);
    BOOST_TEST(refusal(scheme, springs).find("body 'S'") == 0);
  }
  BOOST_TEST(refusal(midpoint(), frame) == "body 'F' (frame body) cannot be moved by midpoint: expected point masses, "
                                           "director bodies and links of planar chains");
  BOOST_TEST(refusal(midpoint(), springs).find("body 'S'") == 0);
  BOOST_TEST(refusal(midpoint(), director) == "");
}

BOOST_AUTO_TEST_CASE(dampers_are_refused) {
  Model model;
  const PointMass& body = PointMass::add_to(model, "mass", 1);
  model.add(std::make_unique<SpringDamper>("d", model.ports(), body_point(Model::ground, Vec3::Zero()),
                                           body_point(body.port(), Vec3::Zero()), SpringLaw{1, 0, 0.1}));
  for (const InstantScheme& scheme : instant_schemes())
    BOOST_TEST(refusal(scheme, model) == "'d' (spring damper) depends on velocities, which " +
                                             scheme.name.substr(0, scheme.name.find(',')) + " does not see");
}

BOOST_AUTO_TEST_CASE(euler_refuses_multipliers) {
  for (const Enforced how : {Enforced::multipliers, Enforced::augmented_lagrangian})
    BOOST_TEST(refusal(explicit_euler(), Machine(how).model) ==
               "'floor' (wall) needs multipliers, which explicit_euler does not find: expected a penalty");
  BOOST_TEST(refusal(explicit_euler(), Machine(Enforced::penalty).model) == "");
}

BOOST_AUTO_TEST_SUITE_END()
