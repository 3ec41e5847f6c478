/// Director bodies and spring tetrahedra that are eliminated as they are evaluated, against the whole matrix.
#include "elements/bodies/director.hpp"
#include "elements/bodies/spring_tetra.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/joints.hpp"
#include "verification/unit/solvers/condensation/condensed.hpp"
#include "verification/unit/solvers/step_books.hpp"

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

const Body& add_director(Model& model, std::string name, double mass, const Mat3& J) {
  return DirectorBody::add_to(model, std::move(name), mass, J);
}
const Body& add_rigid_tetra(Model& model, std::string name, double mass, const Mat3& J) {
  return SpringTetra::add_to(model, std::move(name), mass, J);
}
const Body& add_springy_tetra(Model& model, std::string name, double mass, const Mat3& J) {
  return SpringTetra::add_to(model, std::move(name), mass, J, {1e4, false, SpringEvaluation::mixed});
}
const std::vector<BodyMaker>& condensed_makers() {
  static const std::vector<BodyMaker> makers{
      {"director", add_director}, {"rigid tetra", add_rigid_tetra}, {"springy tetra", add_springy_tetra}};
  return makers;
}

/// Bodies of these kinds in turn, and of frames if `kinds` are more than these.
Mechanism bodies(int n, std::size_t first, std::size_t kinds, Random& random) {
  Mechanism m;
  for (int i = 0; i < n; ++i) {
    const std::size_t kind = first + static_cast<std::size_t>(i) % kinds;
    const BodyMaker& maker = kind < condensed_makers().size() ? condensed_makers()[kind] : body_makers().front();
    m.bodies.push_back(&maker.add(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, random.vector()));
  }
  return m;
}

void join(Mechanism& m, Index a, Index b, Random& random) {
  m.model->add(spherical_joint("ball", m.model->ports(), {a, random.vector()}, {b, random.vector()}));
}

/// Every body has `ports` joints but for those at the ends; the first one hangs on the ground, either side first.
Mechanism tree(Mechanism m, int ports, bool ground_first, Random& random) {
  const Index first = m.bodies.front()->port();
  join(m, ground_first ? Model::ground : first, ground_first ? first : Model::ground, random);
  for (std::size_t i = 1; i < m.bodies.size(); ++i)
    join(m, m.bodies[(i - 1) / static_cast<std::size_t>(std::max(1, ports - 1))]->port(), m.bodies[i]->port(), random);
  begin_anywhere(m, random);
  return m;
}

/// All kinds and frames in a chain, with a spring between two bodies, a joint in a centre and one body with five
/// joints; the last one is free.
Mechanism mixed_chain(Random& random) {
  Mechanism m = bodies(22, 0, 4, random);
  const auto port = [&](std::size_t i) { return m.bodies[i]->port(); };
  m.model->add(std::make_unique<SpringDamper>("spring", m.model->ports(), body_point(port(1), random.vector()),
                                              body_point(port(8), random.vector()), SpringLaw{50, 1, 0}));
  m.model->add(spherical_joint("pin", m.model->ports(), {port(4), Vec3::Zero()}, {port(5), random.vector()}));
  for (std::size_t i = 1; i + 1 < m.bodies.size(); ++i)
    if (i != 5)
      join(m, port(i > 16 ? 16 : i - 1), port(i), random);
  join(m, port(9), Model::ground, random);
  begin_anywhere(m, random);
  return m;
}

/// A chain of all kinds, frames among them, that holds together; with weights unless g is zero.
Mechanism flying_chain(const Vec3& g, Random& random) {
  Mechanism m;
  for (std::size_t i = 0; i < 8; ++i) {
    const BodyMaker& maker = i % 4 < 3 ? condensed_makers()[i % 4] : body_makers().front();
    m.bodies.push_back(&maker.add(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
    if (!g.isZero(0))
      m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, g));
    if (i > 0)
      m.model->add(spherical_joint("ball", m.model->ports(), {m.bodies[i - 1]->port(), {0.5, 0.1, 0}},
                                   {m.bodies[i]->port(), {-0.5, 0, 0.1}}));
  }
  m.initial = m.model->rest_state();
  Vec3 end = Vec3::Zero();
  for (const Body* body : m.bodies) {
    body->set_motion({end + Vec3(0.5, 0, -0.1), Quaternion::Identity(), random.vector(), random.vector()}, m.initial);
    end += Vec3(1, 0.1, -0.1);
  }
  return m;
}

std::vector<Mechanism> mechanisms(Random& random) {
  std::vector<Mechanism> list;
  for (std::size_t kind = 0; kind < condensed_makers().size(); ++kind) {
    for (int n = 1; n <= 5; ++n) // all numbers of empty places
      list.push_back(tree(bodies(n, kind, 1, random), 2, n % 2 == 0, random));
    list.push_back(tree(bodies(11, kind, 1, random), 4, true, random));
  }
  list.push_back(tree(bodies(7, 0, 3, random), 3, true, random));
  list.push_back(mixed_chain(random));
  return list;
}

/// How far iterates are from free motion: base vectors are strained, and springs pull.
constexpr double away = 0.05;

bool has_rest(const Mechanism& m) {
  TwoPointEquations equations(*m.model);
  return Assembler(equations).has_rest();
}

} // namespace

BOOST_AUTO_TEST_SUITE(AffineCondensed)

BOOST_AUTO_TEST_CASE(increments_are_those_of_the_whole_matrix) {
  Random random(81);
  for (const Mechanism& m : mechanisms(random))
    for (const KernelOptions& kernels : all_kernels()) {
      const Index n = m.model->unknowns() + m.model->multipliers();
      System system(m, random.numbers(n, away), kernels);
      BOOST_TEST_REQUIRE(system.assembler.condenses());
      const MatX A = system.dense();
      const double error = solution_error(A);
      const Eigen::FullPivLU<MatX> lu(A);
      const VecX exact = lu.solve(system.f);
      BOOST_TEST((increment(system, kernels, true, system.x) - exact).norm() <= error * exact.norm());

      // Another iterate with the same tangent.
      const VecX x = system.x + random.numbers(n, away);
      VecX f(n);
      BOOST_TEST_REQUIRE(system.assembler.evaluate_closely(x.data(), f.data(), false));
      const VecX kept = lu.solve(f);
      BOOST_TEST((increment(system, kernels, false, x) - kept).norm() <= error * kept.norm());
    }
}

// Of what others than Newton solve for, too: here no frames are condensed.
BOOST_AUTO_TEST_CASE(any_right_side_is_reduced_and_expanded) {
  Random random(82);
  for (const KernelOptions& kernels : all_kernels()) {
    const Mechanism m = tree(bodies(9, 0, 3, random), 3, true, random);
    const Index n = m.model->unknowns() + m.model->multipliers();
    System system(m, random.numbers(n, away), kernels);
    const MatX A = system.dense();
    increment(system, kernels, true, system.x);
    VecX b = VecX::Zero(n + Assembler::room_behind), dx = b;
    b.head(n) = random.numbers(n);
    BlockSolver solver(system.assembler.blocks(), kernels.instructions);
    system.assembler.reduce(b.data());
    solver.solve_rest(b.data(), dx.data());
    system.assembler.expand(dx.data());
    const VecX exact = A.fullPivLu().solve(b.head(n));
    BOOST_TEST((dx.head(n) - exact).norm() <= solution_error(A) * exact.norm());
  }
}

BOOST_AUTO_TEST_CASE(what_else_there_is_is_not_condensed) {
  Random random(83);
  BOOST_TEST(!has_rest(tree(bodies(9, 0, 3, random), 4, true, random)));
  BOOST_TEST(has_rest(tree(bodies(23, 0, 3, random), 5, true, random))); // too many joints
  BOOST_TEST(has_rest(mixed_chain(random)));
  const auto condenses = [&](const SpringTetraOptions& options, const Mat3& J, const Enforcement& how = {}) {
    Mechanism m;
    m.bodies.push_back(&SpringTetra::add_to(*m.model, "body", 1, J, options));
    m.model->enforce(*m.bodies.front(), how);
    join(m, Model::ground, m.bodies.front()->port(), random);
    TwoPointEquations equations(*m.model);
    return Assembler(equations).condenses();
  };
  BOOST_TEST(condenses({}, Mat3::Identity()));
  BOOST_TEST(!condenses({1e4, false, SpringEvaluation::closed_form}, Mat3::Identity()));
  BOOST_TEST(!condenses({}, Mat3::Identity(), {EnforcementMethod::penalty, 1e6}));
  BOOST_TEST(!condenses({}, Vec3(1, 1, 2).asDiagonal())); // a lamina: springs alone hold a base vector
  Mechanism rod;
  rod.bodies.push_back(&DirectorBody::add_to(*rod.model, "rod", 1, Vec3(1, 1, 1e-5).asDiagonal()));
  TwoPointEquations equations(*rod.model);
  BOOST_TEST(!Assembler(equations).condenses());
}

// Ten steps, each solved to eps times a condition number of 3e4 [S1]; of elongations as well, which are remembered.
BOOST_AUTO_TEST_CASE(steps_are_the_same) {
  for (const BodyMaker& maker : condensed_makers()) {
    const auto run = [&](bool condenses) {
      Mechanism m = hanging_chain(9, ChainJoint::spherical, maker);
      begin(m);
      NewtonOptions options;
      options.kernels.condenses = condenses;
      EnergyMomentum integrator(*m.model, options);
      for (int i = 0; i < 10; ++i)
        BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
      return m.initial;
    };
    const State with = run(true), without = run(false);
    const double difference = (with.values - without.values).cwiseAbs().maxCoeff();
    BOOST_TEST_CONTEXT(maker.name) {
      BOOST_TEST(difference <= 10 * 3e4 * eps);
      BOOST_TEST(difference > 0); // they were not solved the same way
      BOOST_TEST((with.rates - without.rates).cwiseAbs().maxCoeff() <= 2 / 0.01 * 10 * 3e4 * eps);
      if (with.history.size() > 0)
        BOOST_TEST((with.history - without.history).cwiseAbs().maxCoeff() <= 10 * 3e4 * eps);
    }
  }
}

// A chain of all kinds, frames among them, that flies freely: 500 steps whose rounding, some ten eps of the sums of
// terms, has no preferred sign, and at worst adds up.
BOOST_AUTO_TEST_CASE(energy_and_momenta_are_kept) {
  Random random(84);
  Mechanism m = flying_chain(Vec3::Zero(), random);
  begin(m);
  EnergyMomentum integrator(*m.model, {});
  StepBooks first{};
  constexpr int steps = 500;
  for (int i = 0; i <= steps; ++i) {
    BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
    const StepBooks books = integrator.books(m.initial);
    if (i == 0)
      first = books;
    const double error = 10 * eps * steps;
    BOOST_TEST_REQUIRE(std::abs(books.kinetic + books.potential - first.kinetic - first.potential) <=
                       error * (first.kinetic + first.potential));
    BOOST_TEST_REQUIRE((books.linear_momentum - first.linear_momentum).norm() <= error * first.linear_momentum_sum);
    BOOST_TEST_REQUIRE((books.angular_momentum - first.angular_momentum).norm() <= error * first.angular_momentum_sum);
  }
}

// Of any step, whether or not it meets its equations. Both are the same sums of some twenty products for each of at
// most 22 bodies, in another order and with fused multiplications: half an eps of the sizes of the terms for each
// operation.
BOOST_AUTO_TEST_CASE(books_are_those_of_single_elements) {
  Random random(86);
  for (const Mechanism& m : mechanisms(random)) {
    const VecX x = random.numbers(m.model->unknowns() + m.model->multipliers(), away);
    for (const KernelOptions& kernels : all_kernels()) {
      const BothBooks books(m, x, kernels);
      BOOST_TEST(books.has_all() == !has_rest(m));
      BOOST_TEST(difference_with_sums(books.together, books.singly) <= 256 * eps * size(books.singly));
      BOOST_TEST(books.together.rigidity_violation > 0); // the base vectors are strained
      BOOST_TEST(books.together.position_violation > 0);
    }
  }
}

// A joint with a body that is booked elsewhere is booked by itself, and nothing is entered twice.
BOOST_AUTO_TEST_CASE(books_of_a_run_are_those_of_all_elements) {
  Random random(87);
  Mechanism m = flying_chain(Vec3(0, 0, -9.81), random);
  begin(m);
  EnergyMomentum integrator(*m.model, {});
  for (int i = 0; i < 5; ++i) {
    BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
    StepBooks singly;
    for (const auto& element : m.model->elements())
      element->book(integrator.last_moved_step(), m.initial, singly);
    const StepBooks together = integrator.books(m.initial);
    BOOST_TEST(difference_with_sums(together, singly) <= 256 * eps * size(singly));
    BOOST_TEST(together.strain > 0);
  }
}

// What became of a step that failed is forgotten.
BOOST_AUTO_TEST_CASE(an_iterate_beyond_all_numbers_leaves_nothing_behind) {
  Random random(85);
  const Mechanism m = tree(bodies(7, 0, 3, random), 2, true, random);
  System system(m, VecX::Zero(m.model->unknowns() + m.model->multipliers()));
  const VecX before = increment(system, {}, true, system.x);
  const VecX wild = increment(system, {}, true, VecX::Constant(system.x.size(), 1e200));
  BOOST_TEST(!wild.allFinite());
  BOOST_TEST((increment(system, {}, true, system.x) - before).norm() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
