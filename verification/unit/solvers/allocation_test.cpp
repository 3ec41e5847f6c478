/// No heap allocation in the step loop. This program replaces malloc and operator new and counts, so it cannot run
/// under a sanitizer, which replaces them too.

#define BOOST_TEST_MODULE allocation
#include "io/expressions.hpp"
#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/analysis/redundancy.hpp"
#include "solvers/integrators/conserving/composition.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/watches/turn_watch.hpp"
#include "verification/support/explicit.hpp"
#include "verification/support/free_scenes.hpp"
#include "verification/support/loads.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/schemes.hpp"
#include "verification/support/side_by_side.hpp"

#include "verification/unit/solvers/allocation_machine.hpp"
#include "verification/unit/solvers/counted_allocations.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace {

using namespace emmy;
using test::Machine;

/// PETSc lives as long as this program; it must not be counted as part of any test.
struct Petsc {
  PetscSession session;
};

constexpr double h = 0.01;

} // namespace

BOOST_TEST_GLOBAL_FIXTURE(Petsc);

BOOST_AUTO_TEST_SUITE(Allocation)

BOOST_AUTO_TEST_CASE(a_vector_of_our_own_is_counted) {
  const Allocations eigen = allocations_of([] {
    VecX temporary(100);
    temporary.setZero();
    asm volatile("" : : "r"(temporary.data()) : "memory"); // or the compiler leaves it out
  });
  const Allocations standard = allocations_of([] {
    const std::vector<double> temporary(100);
    asm volatile("" : : "r"(temporary.data()) : "memory");
  });
  BOOST_TEST(eigen.own >= 1);
  BOOST_TEST(standard.own >= 1);
}

// What a deck gives as an expression of the time, deep and long.
BOOST_AUTO_TEST_CASE(values_and_rates_of_expressions_allocate_nothing) {
  std::string text = "min(t, 2*sin(t), t^2.5)";
  for (int i = 0; i < 100; ++i)
    text = "1 + (" + text + ")";
  const auto result = Expressions().function(text);
  const auto& f = std::get<TimeFunction>(result);
  double sum = 0;
  const Allocations found = allocations_of([&] {
    for (const double t : {0.0, 0.5, 2.0})
      sum += f(t) + f.rate(t) + f.integral(t, 0.1);
  });
  BOOST_TEST(std::isfinite(sum));
  BOOST_TEST(found.own == 0);
}

// Elements, assembly and the sum into PETSc's matrix: nothing at all, whoever asks.
BOOST_AUTO_TEST_CASE(evaluating_and_assembling_allocates_nothing) {
  Machine machine;
  TwoPointEquations equations(machine.model);
  Assembler assembler(equations);
  VecX x(assembler.size()), f(assembler.size());
  assembler.begin_step(machine.state, h);
  assembler.start_freely(x.data());
  BOOST_TEST_REQUIRE(assembler.evaluate_closely(x.data(), f.data()));
  assembler.fill_matrix();
  bool finite = true;
  const Allocations steps = allocations_of([&] {
    for (int step = 0; step < 10; ++step) {
      assembler.begin_step(machine.state, h);
      assembler.start_freely(x.data());
      for (int iteration = 0; iteration < 3; ++iteration) {
        finite = finite && assembler.evaluate_closely(x.data(), f.data());
        assembler.fill_matrix();
        x.array() += 1e-4; // anywhere else
      }
    }
  });
  BOOST_TEST(finite);
  BOOST_TEST(steps.own == 0);
  BOOST_TEST(steps.others == 0);
}

namespace {

/// Whole steps of a machine, their bookings, and the watch of its turns.
void check_steps(const Model& model, State& state, Integrator&& integrator) {
  bool converged = true;
  double energy = 0;
  const TurnWatch turns(model, TurnLaw({1}));
  TurnWatch::Seen seen = turns.begin(state, h);
  const auto step = [&] {
    converged = converged && integrator.step(state, h).converged;
    energy += integrator.books(state).energy();
    turns.look(integrator.last_step(), state.time, seen);
  };
  for (int i = 0; i < 3; ++i)
    step();
  const Allocations steps = allocations_of([&] {
    for (int i = 0; i < 20; ++i)
      step();
  });
  BOOST_TEST_CONTEXT(integrator.description()) {
    BOOST_TEST(converged);
    BOOST_TEST(turns.findings(seen).body != nullptr);
    BOOST_TEST(std::isfinite(energy));
    BOOST_TEST(steps.own == 0);
  }
  BOOST_TEST_MESSAGE(integrator.description() << ": " << steps.others << " allocations by libraries in 20 steps");
}

} // namespace

// Nothing by emmy, Eigen or the standard library. What PETSc and the factorisation allocate in a solve is theirs.
BOOST_AUTO_TEST_CASE(a_step_allocates_nothing_of_our_own) {
  for (const LinearSolver solver : {LinearSolver::petsc, LinearSolver::klu, LinearSolver::umfpack}) {
    Machine machine;
    check_steps(machine.model, machine.state, EnergyMomentum(machine.model, NewtonOptions{solver}));
  }
}

// With loads on bodies that are eliminated, onto ball joints and onto wrenches.
BOOST_AUTO_TEST_CASE(loads_in_batches_allocate_nothing) {
  for (const test::ChainJoint joint : {test::ChainJoint::spherical, test::ChainJoint::revolute}) {
    test::Mechanism m = test::hanging_chain(9, joint);
    test::Random random(1);
    for (int i = 0; i < 9; ++i)
      test::add_load(*m.model, m.bodies[static_cast<std::size_t>(i)]->port(), i % test::load_kinds, random);
    EnergyMomentum integrator(*m.model, {});
    bool converged = true;
    const auto step = [&] { converged = converged && integrator.step(m.initial, h).converged; };
    for (int i = 0; i < 3; ++i)
      step();
    const Allocations steps = allocations_of([&] {
      for (int i = 0; i < 20; ++i)
        step();
    });
    BOOST_TEST(converged);
    BOOST_TEST(steps.own == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_step_in_stages_allocates_nothing_of_our_own) {
  for (const int order : {4, 6}) {
    Machine machine;
    check_steps(machine.model, machine.state, Composition(machine.model, stages_of_order(order), {}));
  }
}

// Parts on wrenches beside others: a floor that is met, and joints that repeat one another.
BOOST_AUTO_TEST_CASE(steps_of_several_parts_allocate_nothing) {
  using test::Part;
  for (const std::vector<Part>& parts : {std::vector<Part>{Part::hinged, Part::sprung, Part::on_balls},
                                         {Part::hinged, Part::walled},
                                         {Part::loop, Part::sprung, Part::hinged}}) {
    test::Mechanism m = test::side_by_side(parts);
    NewtonOptions options;
    options.proximal = proximal_block(*m.model, m.initial, analyse_constraints(*m.model, m.initial), h);
    BOOST_TEST(options.proximal.always == (parts[0] == Part::loop));
    check_steps(*m.model, m.initial, EnergyMomentum(*m.model, options));
  }
}

// The same with joints that are enforced in all ways, and limits that are met.
BOOST_AUTO_TEST_CASE(strategies_of_enforcement_allocate_nothing) {
  const std::vector<Enforcement> ways{{EnforcementMethod::augmented_lagrangian, 0, 0},
                                      {EnforcementMethod::lagrange, 0, 0},
                                      {EnforcementMethod::penalty, 1e6, 0}};
  for (const bool merged : {true, false}) {
    Machine machine;
    Mat3 upwards;
    upwards << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    std::vector<const Body*> all = machine.model.bodies();
    for (std::size_t i = 1; i < 4; ++i) {
      const double height = all[i]->motion(machine.state).position.z();
      machine.model.add(wall("floor", machine.model.ports(), {Model::ground, Vec3(0, 0, height - 1e-6), upwards},
                             body_point(all[i]->port(), Vec3::Zero()), 0, i == 1 ? 0.5 : 1),
                        ways[i - 1]);
    }
    machine.state.multipliers.setZero(machine.model.multipliers());
    machine.state.history.setZero(machine.model.history());
    machine.model.begin(machine.state);
    std::size_t joint = 0;
    for (const auto& element : machine.model.elements())
      if (dynamic_cast<const Joint*>(element.get()) != nullptr)
        machine.model.enforce(*element, ways[joint++ % 2]);
    NewtonOptions options;
    options.augmented.form = merged ? AugmentedForm::merged : AugmentedForm::nested;
    check_steps(machine.model, machine.state, EnergyMomentum(machine.model, options));
  }
}

namespace {

/// A free body; with springs, dampers and loads that change; a driven chain; a linkage with redundant joints.
std::vector<test::Mechanism> mechanisms() {
  using test::Mechanism;
  std::vector<Mechanism> all;
  const Mat3 J = Vec3(1.4, 2, 0.9).asDiagonal();
  const auto begin = [](Mechanism& m) {
    m.initial.multipliers.setZero(m.model->multipliers());
    m.initial.history.setZero(m.model->history());
    m.model->begin(m.initial);
  };
  for (const bool loaded : {false, true}) {
    Mechanism& m = all.emplace_back();
    Model& model = *m.model;
    m.bodies = {&FrameBody::add_to(model, "frame", 2, J), &DirectorBody::add_to(model, "director", 2, J),
                &PointMass::add_to(model, "point", 1)};
    m.initial = model.rest_state();
    for (std::size_t i = 0; i < 3; ++i)
      m.bodies[i]->set_motion(
          {Vec3(0, 0, -2 * static_cast<double>(i)), exponential({0.1, 0.2, 0}), Vec3(0.1, 0, 0), Vec3(1, 2, 3)},
          m.initial);
    if (loaded) {
      const Index frame = m.bodies[0]->port(), director = m.bodies[1]->port(), point = m.bodies[2]->port();
      const JointSide ground{Model::ground, Vec3(1, 0, 0)}, side{frame, Vec3(0, 0, -1)};
      for (const Body* body : m.bodies)
        model.add(std::make_unique<Gravity>("weight", model.ports(), body->port(), 1, Vec3(0, 0, -9.81)));
      model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(frame, Vec3(0, 0, 1)),
                                               body_point(director, Vec3(0, 1, 0)), SpringLaw{5, 1, 2}));
      model.add(std::make_unique<SpringDamper>("rope", model.ports(), body_point(director, Vec3(0, 0, 1)),
                                               body_point(point, Vec3::Zero()), SpringLaw{5, 1, 0}));
      model.add(std::make_unique<RotationalSpringDamper>("coil", model.ports(), ground, side, SpringLaw{0.5, 1, 0.2}));
      model.add(translational_spring_damper("strut", model.ports(), ground, side, {5, 1, 2}));
      model.add(bushing("bushing", model.ports(), ground, side, {Mat6::Identity(), Mat6::Identity(), Vec6::Zero()}));
      const TimeFunction wave([](double t) { return std::sin(t) + (t < 0.1 ? 1 : 2); });
      for (const LoadAxes axes : {LoadAxes::space, LoadAxes::body}) {
        model.add(std::make_unique<AppliedForce>("push", model.ports(), frame, Vec3(1, 0, 0), Vec3(3, 1, -2), axes));
        model.add(std::make_unique<AppliedTorque>("twist", model.ports(), director, Vec3(1, 2, 0.5), axes));
        const LoadComponents changing(wave, 2, wave);
        model.add(std::make_unique<AppliedForce>("wave", model.ports(), director, Vec3(0, 0, 1), changing, axes));
        model.add(std::make_unique<AppliedTorque>("swing", model.ports(), frame, changing, axes));
      }
    }
    begin(m);
  }
  Mechanism& chain = all.emplace_back(test::hanging_chain(4, test::ChainJoint::revolute));
  const JointSide I{chain.bodies[0]->port(), {0, 0, -1.5}}, side{chain.bodies[1]->port(), {0, 0, 1.5}};
  const double angle = std::acos(-1.0) / 2; // between the two halves
  chain.model->add(std::make_unique<Drive>("motor", chain.model->ports(), JointSide{},
                                           JointSide{chain.bodies[0]->port()}, Drive::Coordinate::angle,
                                           Drive::Prescribes::rate, TimeFunction([](double t) { return t; })));
  chain.model->add(
      std::make_unique<RotationalSpringDamper>("coil", chain.model->ports(), I, side, SpringLaw{5, angle, 2}));
  begin(chain);
  all.push_back(test::four_bar());
  return all;
}

} // namespace

// Everything, whoever asks: a step of an explicit integrator, its books and its last step. No library is involved.
BOOST_AUTO_TEST_CASE(a_step_of_an_explicit_integrator_allocates_nothing) {
  const std::vector<test::Mechanism> all = mechanisms();
  for (const test::Scheme& scheme : test::schemes())
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto integrator = scheme.on(*all[i].model);
      State state = all[i].initial;
      bool converged = true;
      double energy = 0;
      const auto step = [&] {
        converged = converged && integrator->step(state, 1e-3).converged;
        energy += integrator->books(state).energy();
      };
      for (int n = 0; n < 3; ++n)
        step();
      const Allocations steps = allocations_of([&] {
        for (int n = 0; n < 100; ++n)
          step();
      });
      BOOST_TEST_CONTEXT(scheme << ", mechanism " << i) {
        BOOST_TEST(converged);
        BOOST_TEST(std::isfinite(energy));
        BOOST_TEST(steps.own == 0);
        BOOST_TEST(steps.others == 0);
      }
    }
}

// Steps between kicks, taken once or many times; joints that kernels know, single ones, redundant ones.
BOOST_AUTO_TEST_CASE(steps_between_kicks_allocate_nothing_of_our_own) {
  std::vector<test::Mechanism> all = mechanisms();
  all.push_back(test::hanging_chain(4, test::ChainJoint::spherical, test::body_makers()[1]));
  for (const VelocityConstraints how : {VelocityConstraints::on, VelocityConstraints::exact})
    for (const test::Mechanism& m : all) {
      NewtonOptions options;
      options.proximal = proximal_block(*m.model, m.initial, analyse_constraints(*m.model, m.initial), h);
      State state = m.initial;
      check_steps(*m.model, state, EnergyMomentum(*m.model, options, how));
      check_steps(*m.model, state = m.initial, Composition(*m.model, stages_of_order(4, how), options, how));
    }
}

// Likewise nothing of our own where forces are taken at instants: steps and books before, in and after an impact, after
// which memory is reset.
BOOST_AUTO_TEST_CASE(a_step_with_forces_at_instants_allocates_nothing_of_our_own) {
  using Method = EnforcementMethod;
  for (const test::InstantScheme& scheme : test::instant_schemes())
    for (const Enforcement& how : {Enforcement{Method::penalty, 1e4, 0}, Enforcement{Method::lagrange, 0, 0},
                                   Enforcement{Method::augmented_lagrangian, 0, 0}}) {
      if (scheme.name == "explicit Euler" && how.method != Method::penalty)
        continue;
      test::TwoLinks links(how);
      const auto integrator = scheme.on(links.model);
      bool converged = true;
      double energy = 0, pushed = 0;
      const auto step = [&] {
        converged = converged && integrator->step(links.state, 1e-3).converged;
        energy += integrator->books(links.state).energy();
        pushed = std::max(pushed, links.state.multipliers.maxCoeff());
      };
      for (int n = 0; n < 665; ++n)
        step();
      const Allocations steps = allocations_of([&] {
        for (int n = 0; n < 15; ++n)
          step();
      });
      BOOST_TEST_CONTEXT(scheme << ", enforcement " << static_cast<int>(how.method)) {
        BOOST_TEST(converged);
        BOOST_TEST(std::isfinite(energy));
        BOOST_TEST(pushed > 1);
        BOOST_TEST(steps.own == 0);
      }
    }
}

// Free flight, impacts and bodies at rest on each other, with impacts located or not: once the same motion has been
// gone through, so that arrays have the sizes it takes, a step with its books allocates nothing.
BOOST_AUTO_TEST_CASE(steps_with_contact_allocate_nothing) {
  const auto check = [](const test::FreeScene& scene, double step, int steps) {
    FreeBodies engine = scene.engine();
    State state = scene.state();
    engine.begin(state);
    const State start = state;
    bool converged = true;
    double energy = 0;
    long contacts = 0;
    const auto run = [&] {
      for (int n = 0; n < steps; ++n) {
        converged = converged && engine.step(state, step).converged;
        const StepBooks books = engine.books(state);
        energy += books.energy();
        contacts += books.contacts;
      }
    };
    for (int i = 0; i < 2; ++i) { // twice: how far ahead the search looks is learnt in the first run
      run();
      state = start;
    }
    const Allocations found = allocations_of(run);
    BOOST_TEST(converged);
    BOOST_TEST(std::isfinite(energy));
    BOOST_TEST(found.own == 0);
    BOOST_TEST(found.others == 0);
    return contacts;
  };
  for (const bool located : {false, true}) {
    test::FreeScene rod = test::rod_in_cube();
    rod.options.located = located;
    BOOST_TEST(check(rod, 1e-5, 100) == 0);
    BOOST_TEST(check(rod, 1e-4, 10000) > 20);
    test::FreeScene boxes;
    for (int k = 0; k < 4; ++k)
      boxes.block(1, Vec3::Ones(), {Vec3(0.02 * k, 0, k + 0.6), {1, 0, 0, 0}, Vec3::Zero(), Vec3(0, 0.1 * k, 0)});
    boxes.floor();
    boxes.gravity(Vec3(0, 0, -9.81));
    boxes.restitution(0.3);
    boxes.options.located = located;
    BOOST_TEST(check(boxes, 1e-3, 1000) > 4000);
  }
}

// Twice the bodies take twice the memory, summed over all that is allocated on the way, with what arrays that double
// are ahead of their need: a copy of all for each of them would take four times as much.
BOOST_AUTO_TEST_CASE(analysis_of_constraints_allocates_in_proportion_to_the_model) {
  const auto bytes = [](int n) {
    const test::Mechanism m = test::hanging_chain(n, test::ChainJoint::revolute);
    return allocations_of([&] { analyse_constraints(*m.model, m.initial); }).bytes;
  };
  BOOST_TEST(bytes(2000) <= 2.5 * bytes(1000));
}

BOOST_AUTO_TEST_SUITE_END()
