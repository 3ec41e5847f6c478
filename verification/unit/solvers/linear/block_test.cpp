/// The block solver and the kernels that evaluate many elements at once, against dense algebra and single elements.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "solvers/linear/block_solver.hpp"
#include "verification/support/joints.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/unit/solvers/system.hpp"

#include <boost/test/unit_test.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

KernelOptions single_elements() {
  KernelOptions kernels;
  kernels.batches = false;
  return kernels;
}

/// A tree of `n` frame bodies on joints of all kinds in turn, at random places: not closed, which no equation minds.
Mechanism random_tree(int n, Random& random) {
  Mechanism m;
  for (int i = 0; i < n; ++i) {
    m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, random.vector()));
  }
  for (int i = 0; i < n; ++i) {
    const JointMaker& maker = joint_makers()[static_cast<std::size_t>(i) % joint_makers().size()];
    const Index first = i == 0 ? Model::ground : m.bodies[static_cast<std::size_t>(i) / 2]->port();
    if (i == 1) // body 0 has the ground alone
      continue;
    m.model->add(maker.make("joint" + std::to_string(i), m.model->ports(), {first, random.vector(), random.triad()},
                            {m.bodies[static_cast<std::size_t>(i)]->port(), random.vector(), random.triad()}));
  }
  begin_anywhere(m, random);
  return m;
}

/// A hub with arms on hinges: eliminated by the rule for hubs (hub_test.cpp).
Mechanism hub(int arms, Random& random) {
  Mechanism m;
  m.bodies.push_back(&FrameBody::add_to(*m.model, "hub", 2, random.inertia()));
  for (int i = 0; i < arms; ++i) {
    m.bodies.push_back(&FrameBody::add_to(*m.model, "arm" + std::to_string(i), random.mass(), random.inertia()));
    m.model->add(revolute_joint("hinge" + std::to_string(i), m.model->ports(),
                                {m.bodies.front()->port(), random.vector(), random.triad()},
                                {m.bodies.back()->port(), random.vector(), random.triad()}));
  }
  m.initial = m.model->rest_state();
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  return m;
}

/// A chain with springs from every body to the one after the next.
Mechanism sprung_chain(int n) {
  Mechanism m = hanging_chain(n, ChainJoint::spherical);
  for (std::size_t i = 2; i < m.bodies.size(); ++i)
    m.model->add(std::make_unique<SpringDamper>("spring" + std::to_string(i), m.model->ports(),
                                                body_point(m.bodies[i - 2]->port(), {0.3, 0, 1}),
                                                body_point(m.bodies[i]->port(), {0, 0.2, -1}), SpringLaw{500, 1, 0}));
  return m;
}

/// Hubs with arms that are joined to one another as well.
Mechanism hubs(int count, int arms, Random& random) {
  Mechanism m;
  std::vector<const Body*> centres;
  const auto join = [&](const Body& a, const Body& b) {
    m.model->add(universal_joint("joint", m.model->ports(), {a.port(), random.vector(), random.triad()},
                                 {b.port(), random.vector(), random.triad()}));
  };
  for (int i = 0; i < count; ++i) {
    centres.push_back(&FrameBody::add_to(*m.model, "hub", 2, random.inertia()));
    m.bodies.push_back(centres.back());
    for (int k = 0; k < arms; ++k) {
      m.bodies.push_back(&FrameBody::add_to(*m.model, "arm", random.mass(), random.inertia()));
      join(*centres.back(), *m.bodies.back());
    }
  }
  for (std::size_t i = 0; i < centres.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (random.between(0, 1) < 0.7)
        join(*centres[i], *centres[k]);
  m.initial = m.model->rest_state();
  m.initial.multipliers.setZero(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  return m;
}

/// Two bodies on two hinges of one door: both couple the same rotations.
Mechanism door(Random& random) {
  Mechanism m;
  for (const char* name : {"frame", "door"})
    m.bodies.push_back(&FrameBody::add_to(*m.model, name, random.mass(), random.inertia()));
  for (const char* name : {"upper", "lower"})
    m.model->add(revolute_joint(name, m.model->ports(), {m.bodies[0]->port(), random.vector(), random.triad()},
                                {m.bodies[1]->port(), random.vector(), random.triad()}));
  m.initial = m.model->rest_state();
  m.initial.multipliers = random.numbers(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  return m;
}

std::vector<Mechanism> mechanisms(Random& random) {
  std::vector<Mechanism> list;
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute})
    for (const BodyMaker& body : body_makers())
      if (body.is_free)
        list.push_back(hanging_chain(5, joint, body));
  list.push_back(parallelogram());
  list.push_back(hub(12, random));
  list.push_back(sprung_chain(7));
  list.push_back(random_tree(19, random));
  return list;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Blocks)

// Backward stable but for growth, which the strict order keeps small: an error of eps times the condition number.
BOOST_AUTO_TEST_CASE(block_lu_solves_like_a_dense_factorisation_that_pivots) {
  Random random(61);
  for (const Mechanism& m : mechanisms(random)) {
    System system(m, random.numbers(m.model->unknowns() + m.model->multipliers(), 1e-2));
    const MatX A = system.dense();
    const VecX b = random.numbers(A.rows());
    const VecX exact = A.fullPivLu().solve(b);
    const VecX singular = A.jacobiSvd().singularValues();
    const double condition = singular[0] / singular.tail<1>()[0];
    for (const Instructions instructions : {Instructions::portable, best_instructions()}) {
      BlockSolver solver(system.assembler.blocks(), instructions);
      VecX x(A.rows());
      solver.factorise();
      solver.solve(b.data(), x.data());
      BOOST_TEST((x - exact).norm() <= 100 * eps * condition * exact.norm());
      // The matrix is still there: a refinement sees what is left, and leaves no more.
      BOOST_TEST(solver.refine(b.data(), x.data()).norm() <= 100 * eps * condition * exact.norm());
      BOOST_TEST((A * x - b).norm() <= 100 * eps * A.norm() * x.norm());
    }
  }
}

// Joints between hubs may have to wait more than once: nobody may be lost.
BOOST_AUTO_TEST_CASE(every_node_is_eliminated_once) {
  Random random(63);
  for (int i = 0; i < 200; ++i) {
    const Mechanism m = hubs(2 + i % 5, 7 + i % 3, random);
    const TwoPointEquations equations(*m.model);
    const BlockGraph graph(*m.model, ConstraintSet(equations, {}));
    std::vector<int> order = Elimination(graph).order;
    std::sort(order.begin(), order.end());
    BOOST_REQUIRE(order.size() == graph.nodes.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      BOOST_REQUIRE(order[k] == static_cast<int>(k));
  }
}

// The same equations, summed in another order and with fused multiplications.
BOOST_AUTO_TEST_CASE(kernels_give_what_single_elements_give) {
  Random random(62);
  std::vector<Mechanism> list = mechanisms(random);
  list.push_back(random_tree(40, random));
  list.push_back(door(random));
  for (const Mechanism& m : list) {
    const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.3);
    System single(m, away, single_elements());
    const VecX f = single.by_model(single.f);
    const MatX A = single.by_model(single.dense());
    for (const KernelOptions& kernels : all_kernels()) {
      System together(m, away, kernels);
      // Some twenty terms in an entry, of the size of the largest.
      BOOST_TEST((together.by_model(together.f) - f).lpNorm<Eigen::Infinity>() <=
                 64 * eps * (1 + f.cwiseAbs().maxCoeff()));
      BOOST_TEST((together.by_model(together.dense()) - A).lpNorm<Eigen::Infinity>() <=
                 64 * eps * (1 + A.cwiseAbs().maxCoeff()));
    }
  }
}

BOOST_AUTO_TEST_CASE(kernels_take_the_same_steps) {
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute}) {
    std::vector<KernelOptions> choices = all_kernels();
    choices.push_back(single_elements());
    std::vector<State> ends;
    for (const KernelOptions& kernels : choices) {
      Mechanism m = hanging_chain(6, joint);
      NewtonOptions options;
      options.kernels = kernels;
      EnergyMomentum integrator(*m.model, options);
      for (int i = 0; i < 20; ++i)
        BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
      ends.push_back(m.initial);
    }
    // Twenty steps, each solved to eps times a condition number of 3e4 [S1].
    for (const State& end : ends) {
      BOOST_TEST((end.values - ends.front().values).cwiseAbs().maxCoeff() <= 20 * 3e4 * eps);
      BOOST_TEST((end.rates - ends.front().rates).cwiseAbs().maxCoeff() <= 20 * 3e4 * eps * 100); // over the step
    }
  }
}

// A joint in the centre of a body has no lever: there is no block to write its moment to.
BOOST_AUTO_TEST_CASE(a_joint_in_the_centre_of_a_body) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 2, Vec3(1, 2, 3).asDiagonal());
  model.add(spherical_joint("pin", model.ports(), {}, {body.port()}));
  State state = model.rest_state();
  state.multipliers.setZero(3);
  body.set_motion({Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), {0.1, 2, 0.3}}, state);
  EnergyMomentum integrator(model, {});
  const double before = model.books_at(state).energy();
  for (int i = 0; i < 100; ++i)
    BOOST_REQUIRE(integrator.step(state, 0.05).converged);
  BOOST_TEST(body.motion(state).position.norm() <= 100 * eps);
  BOOST_TEST(std::abs(integrator.books(state).energy() - before) <= 100 * eps * before);
}

// Condensed on its joints, a body without mass takes all digits of what its neighbours weigh: 1/m beside 1. A
// factorisation that pivots passes from neighbour to neighbour instead.
BOOST_AUTO_TEST_CASE(falls_back_to_klu_where_blocks_are_not_enough_and_says_so) {
  Mechanism m;
  const Mat3 J = Mat3::Identity();
  for (const double mass : {1.0, 1e-14, 1.0})
    m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(m.bodies.size()), mass, mass * J));
  Index last = Model::ground;
  for (const Body* body : m.bodies) {
    m.model->add(spherical_joint("ball", m.model->ports(),
                                 {last, last == Model::ground ? Vec3::Zero() : Vec3(0, 0, -1)},
                                 {body->port(), {0, 0, 1}}));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), body->port(), body->mass(), Vec3(0, 1, -9)));
    last = body->port();
  }
  m.initial = m.model->rest_state();
  m.initial.multipliers.setZero(m.model->multipliers());
  for (std::size_t i = 0; i < 3; ++i)
    m.bodies[i]->set_motion(
        {{0, 0, -1 - 2.0 * static_cast<double>(i)}, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, m.initial);
  EnergyMomentum integrator(*m.model, {});
  const double before = m.model->books_at(m.initial).energy();
  std::string warnings;
  for (int i = 0; i < 50; ++i) {
    const StepReport report = integrator.step(m.initial, 0.01);
    BOOST_REQUIRE_MESSAGE(report.converged, report.why);
    warnings += report.warning;
  }
  BOOST_TEST(
      warnings.find("the factorisation without pivoting is inaccurate (refinement changes its solution by 0.0") == 0,
      warnings);
  BOOST_TEST(warnings.find("from t = 0 s on KLU, which pivots, is used") != std::string::npos, warnings);
  BOOST_TEST(warnings.find("factorisation", 10) == std::string::npos); // once
  BOOST_TEST(integrator.description().find("klu") != std::string::npos);
  BOOST_TEST(std::abs(integrator.books(m.initial).energy() - before) <= 1e-11 * std::abs(before));
  // A run that goes on from a copy knows of it, and takes the same steps.
  State copy = m.initial;
  EnergyMomentum other(*m.model, {});
  for (int i = 0; i < 5; ++i) {
    BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
    BOOST_TEST(other.step(copy, 0.01).warning == "");
    BOOST_TEST((copy == m.initial));
  }
  // A state without memory begins a run, by whichever object: what an integrator has seen is no business of it.
  State bare = m.initial;
  bare.memory.clear();
  copy = bare;
  EnergyMomentum fresh(*m.model, {});
  for (int i = 0; i < 5; ++i) {
    BOOST_REQUIRE(integrator.step(bare, 0.01).converged);
    BOOST_REQUIRE(fresh.step(copy, 0.01).converged);
    BOOST_TEST((copy == bare));
  }
  // Nor of one with the memory of better days: both try without pivoting, and say that it failed.
  for (State* state : {&bare, &copy}) {
    state->memory.numbers[7] = 1; // behind the header of start values: error of a linear solve, not known
    state->memory.numbers[8] = 0; // and steps in which they failed
  }
  EnergyMomentum another(*m.model, {});
  const StepReport seen = integrator.step(bare, 0.01), unseen = another.step(copy, 0.01);
  BOOST_TEST(seen.warning.find("is used") != std::string::npos, seen.warning);
  BOOST_TEST(seen.warning == unseen.warning);
  BOOST_TEST((copy == bare));
}

// Nor where nothing moves, so that increments are rounding alone, nor where a step is too long for its start values.
BOOST_AUTO_TEST_CASE(does_not_fall_back_without_need) {
  Random random(64);
  for (int i = 0; i < 20; ++i) {
    Mechanism m;
    Index last = Model::ground;
    Vec3 at = random.vector();
    for (int k = 0; k < 3; ++k) {
      const Body& body = FrameBody::add_to(*m.model, "body" + std::to_string(k), random.mass(), random.inertia());
      const Vec3 point = random.vector();
      m.model->add(fixed_joint("weld" + std::to_string(k), m.model->ports(), {last, at}, {body.port(), point}));
      m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), body.port(), body.mass(), random.vector(10)));
      m.bodies.push_back(&body);
      last = body.port();
      at = random.vector();
    }
    m.initial = m.model->rest_state();
    m.initial.multipliers.setZero(m.model->multipliers());
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) { // where the welds hold it
      const auto& variables = dynamic_cast<const Joint&>(*m.model->elements()[3 * k + 1]).variables();
      place += variables[0].w.tail<3>() - variables[1].w.tail<3>();
      m.bodies[k]->set_motion({place, Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()}, m.initial);
    }
    EnergyMomentum integrator(*m.model, {});
    for (int step = 0; step < 10; ++step) {
      const StepReport report = integrator.step(m.initial, 0.01);
      BOOST_REQUIRE_MESSAGE(report.converged, report.why);
      BOOST_TEST(report.warning == "");
    }
    BOOST_TEST(m.initial.rates.cwiseAbs().maxCoeff() <= 1e-10); // rounding of 1 m over the step, and what it sums to
  }
  Mechanism coarse = hanging_chain(4, ChainJoint::spherical);
  EnergyMomentum integrator(*coarse.model, {});
  for (int step = 0; step < 200; ++step)
    BOOST_TEST(integrator.step(coarse.initial, 0.2).warning == "");
  BOOST_TEST(integrator.description().find("block LU") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
