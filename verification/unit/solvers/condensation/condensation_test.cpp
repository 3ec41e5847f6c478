/// Bodies that are eliminated as they are evaluated, against the whole matrix.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/joints.hpp"
#include "verification/support/loads.hpp"
#include "verification/unit/solvers/condensation/condensed.hpp"

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

Mechanism bodies(int n, Random& random) {
  Mechanism m;
  for (int i = 0; i < n; ++i) {
    m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, random.vector()));
  }
  return m;
}

void join(Mechanism& m, Index a, Index b, Random& random) {
  m.model->add(spherical_joint("ball", m.model->ports(), {a, random.vector()}, {b, random.vector()}));
}

/// Every body has `ports` joints but for those at the ends; the first one hangs on the ground, either side first.
Mechanism tree(int n, int ports, bool ground_first, Random& random) {
  Mechanism m = bodies(n, random);
  const Index first = m.bodies.front()->port();
  join(m, ground_first ? Model::ground : first, ground_first ? first : Model::ground, random);
  for (int i = 1; i < n; ++i)
    join(m, m.bodies[static_cast<std::size_t>((i - 1) / std::max(1, ports - 1))]->port(),
         m.bodies[static_cast<std::size_t>(i)]->port(), random);
  begin_anywhere(m, random);
  return m;
}

/// A ring, twice joined at one place, and a body that nothing holds.
Mechanism ring(int n, Random& random) {
  Mechanism m = bodies(n + 1, random);
  for (int i = 0; i < n; ++i)
    join(m, m.bodies[static_cast<std::size_t>(i)]->port(), m.bodies[static_cast<std::size_t>((i + 1) % n)]->port(),
         random);
  join(m, m.bodies[1]->port(), m.bodies[0]->port(), random);
  begin_anywhere(m, random);
  return m;
}

/// A chain of which some bodies have more than ball joints: a hinge, a spring, a joint in the centre, six arms.
Mechanism mixed_chain(int n, Random& random) {
  Mechanism m = bodies(n, random);
  const auto port = [&](int i) { return m.bodies[static_cast<std::size_t>(i)]->port(); };
  for (int i = 1; i < n; ++i)
    if (i == 5)
      m.model->add(revolute_joint("hinge", m.model->ports(), {port(4), random.vector(), random.triad()},
                                  {port(5), random.vector(), random.triad()}));
    else if (i == 12)
      m.model->add(spherical_joint("pin", m.model->ports(), {port(11), Vec3::Zero()}, {port(12), random.vector()}));
    else
      join(m, port(i > n - 6 ? n - 6 : i - 1), port(i), random);
  join(m, Model::ground, port(9), random);
  m.model->add(std::make_unique<SpringDamper>("spring", m.model->ports(), body_point(port(2), random.vector()),
                                              body_point(port(8), random.vector()), SpringLaw{50, 1, 0}));
  begin_anywhere(m, random);
  return m;
}

/// Loads of every kind on all bodies but one.
Mechanism loaded(Mechanism m, Random& random) {
  int kind = 0;
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    if (i != 1)
      for (int repeat = 0; repeat < 2; ++repeat)
        add_load(*m.model, m.bodies[i]->port(), kind++ % load_kinds, random);
  return m;
}

std::vector<Mechanism> mechanisms(Random& random) {
  std::vector<Mechanism> list;
  for (int n = 1; n <= 6; ++n) // all numbers of empty places
    list.push_back(tree(n, 2, n % 2 == 0, random));
  for (int ports = 3; ports <= 5; ++ports)
    list.push_back(tree(23, ports, true, random));
  list.push_back(ring(7, random));
  list.push_back(mixed_chain(20, random));
  list.push_back(loaded(tree(5, 2, true, random), random));
  list.push_back(loaded(tree(23, 4, true, random), random));
  list.push_back(loaded(mixed_chain(20, random), random));
  return list;
}

} // namespace

BOOST_AUTO_TEST_SUITE(Condensed)

BOOST_AUTO_TEST_CASE(increments_are_those_of_the_whole_matrix) {
  Random random(71);
  for (const Mechanism& m : mechanisms(random))
    for (const KernelOptions& kernels : all_kernels()) {
      const Index n = m.model->unknowns() + m.model->multipliers();
      System system(m, random.numbers(n, 0.1), kernels);
      BOOST_TEST_REQUIRE(system.assembler.condenses());
      const MatX A = system.dense();
      const double error = solution_error(A);
      const Eigen::FullPivLU<MatX> lu(A);
      const VecX exact = lu.solve(system.f);
      BOOST_TEST((increment(system, kernels, true, system.x) - exact).norm() <= error * exact.norm());

      // Another iterate with the same tangent.
      const VecX x = system.x + random.numbers(n, 0.1);
      VecX f(n);
      BOOST_TEST_REQUIRE(system.assembler.evaluate_closely(x.data(), f.data(), false));
      const VecX kept = lu.solve(f);
      BOOST_TEST((increment(system, kernels, false, x) - kept).norm() <= error * kept.norm());

      // Any right side.
      const VecX b = random.numbers(n), solved = lu.solve(b);
      BOOST_TEST((solution(system, kernels, b) - solved).norm() <= error * solved.norm());
    }
}

BOOST_AUTO_TEST_CASE(what_else_there_is_is_not_condensed) {
  Random random(72);
  const auto rest = [](const Mechanism& m) {
    TwoPointEquations equations(*m.model);
    return Assembler(equations).has_rest();
  };
  BOOST_TEST(!rest(tree(9, 4, true, random)));
  BOOST_TEST(!rest(loaded(tree(9, 4, true, random), random)));
  BOOST_TEST(rest(tree(23, 5, true, random))); // too many joints
  BOOST_TEST(rest(mixed_chain(20, random)));
  Mechanism rod; // without inertia about its axis
  rod.bodies.push_back(&FrameBody::add_to(*rod.model, "rod", 1, Vec3(1, 1, 0).asDiagonal()));
  join(rod, Model::ground, rod.bodies.front()->port(), random);
  TwoPointEquations equations(*rod.model);
  BOOST_TEST(!Assembler(equations).condenses());
}

// Ten steps, each solved to eps times a condition number of 3e4 [S1]; with a spring, some bodies are left.
BOOST_AUTO_TEST_CASE(steps_are_the_same) {
  for (const bool spring : {false, true}) {
    const auto run = [spring](bool condenses) {
      Mechanism m = hanging_chain(9, ChainJoint::spherical);
      if (spring)
        m.model->add(
            std::make_unique<SpringDamper>("spring", m.model->ports(), body_point(m.bodies[2]->port(), {0.3, 0, 1}),
                                           body_point(m.bodies[5]->port(), {0, 0.2, -1}), SpringLaw{500, 1, 0}));
      NewtonOptions options;
      options.kernels.condenses = condenses;
      EnergyMomentum integrator(*m.model, options);
      for (int i = 0; i < 10; ++i)
        BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
      return m.initial;
    };
    const State with = run(true), without = run(false);
    const double difference = (with.values - without.values).cwiseAbs().maxCoeff();
    BOOST_TEST(difference <= 10 * 3e4 * eps);
    BOOST_TEST(difference > 0); // they were not solved the same way
  }
}

// What became of a step that failed is forgotten.
BOOST_AUTO_TEST_CASE(an_iterate_beyond_all_numbers_leaves_nothing_behind) {
  Random random(73);
  const Mechanism m = tree(6, 2, true, random); // two of eight places are empty
  System system(m, VecX::Zero(m.model->unknowns() + m.model->multipliers()));
  const VecX before = increment(system, {}, true, system.x);
  const VecX wild = increment(system, {}, true, VecX::Constant(system.x.size(), 1e200));
  BOOST_TEST(!wild.allFinite());
  BOOST_TEST((increment(system, {}, true, system.x) - before).norm() == 0);
}

// The whole matrix is looked at once in 64 solves, and its inaccuracy does not go unseen for longer; how fast the
// iteration converges, which one iteration does not show, is seen once in 32.
BOOST_AUTO_TEST_CASE(accuracy_is_looked_at_again_and_again) {
  Mechanism m = hanging_chain(3, ChainJoint::spherical);
  EnergyMomentum integrator(*m.model, {});
  for (int i = 0; i < 200; ++i)
    BOOST_REQUIRE(integrator.step(m.initial, 0.001).converged);
  const double* findings = StartValues::findings(m.initial.memory.data());
  const double solves = findings[0], checked = findings[2], compared = findings[3];
  BOOST_TEST(solves >= 200);
  BOOST_TEST(solves - checked <= 64 + 20); // within a step its tangent may be kept
  BOOST_TEST(solves - compared <= 32 + 20);
}

BOOST_AUTO_TEST_SUITE_END()
