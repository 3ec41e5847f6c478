// Elements in batches against the same elements one by one, for every number type: residual, tangent, books.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/forces.hpp"
#include "verification/unit/solvers/step_books.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Adds an element of one kind between two sides.
using Maker = std::function<void(Model& model, const JointSide& I, const JointSide& J)>;

/// Nine elements of a kind, which is not a multiple of four: between bodies, some of which share a pair, and with the
/// ground on either side.
Mechanism many(const Maker& add, Random& random) {
  Mechanism m;
  for (int i = 0; i < 5; ++i) {
    m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
    m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, random.vector()));
  }
  const auto side = [&](int body) {
    const Index port = body < 0 ? Model::ground : m.bodies[static_cast<std::size_t>(body)]->port();
    return JointSide{port, random.vector(), random.triad()};
  };
  for (const auto& [first, second] :
       std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 0}, {0, 1}, {-1, 3}, {3, -1}, {3, 4}, {4, 3}, {-1, 0}})
    add(*m.model, side(first), side(second));
  begin_anywhere(m, random);
  return m;
}

struct Kind {
  std::string name;
  Maker add;
};

std::vector<Kind> all_kinds(Random& random) {
  std::vector<Kind> kinds;
  for (const JointMaker& joint : joint_makers())
    kinds.push_back({joint.name, [&joint](Model& model, const JointSide& I, const JointSide& J) {
                       model.add(joint.make("joint", model.ports(), I, J));
                     }});
  for (const ForceMaker& force : force_makers())
    kinds.push_back(
        {force.name, [&](Model& model, const JointSide& I, const JointSide& J) { force.add(model, I, J, random); }});
  return kinds;
}

KernelOptions one_by_one() {
  KernelOptions kernels;
  kernels.batches = false;
  return kernels;
}

} // namespace

BOOST_AUTO_TEST_SUITE(BatchesOfElements)

// The same sums in another order and with fused multiplications: some hundred terms in an entry, of the size of the
// largest. Angles of far turned bodies divide by their distance from the axis, which is above 0.01 in these draws.
BOOST_AUTO_TEST_CASE(residual_and_tangent_are_those_of_single_elements) {
  Random random(811);
  for (const Kind& kind : all_kinds(random)) {
    BOOST_TEST_CONTEXT(kind.name) {
      const Mechanism m = many(kind.add, random);
      const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
      System single(m, away, one_by_one());
      const VecX f = single.by_model(single.f);
      const MatX A = single.by_model(single.dense());
      for (const KernelOptions& kernels : all_kernels()) {
        System together(m, away, kernels);
        BOOST_TEST((together.by_model(together.f) - f).lpNorm<Eigen::Infinity>() <=
                   256 * eps * (1 + f.cwiseAbs().maxCoeff()));
        BOOST_TEST((together.by_model(together.dense()) - A).lpNorm<Eigen::Infinity>() <=
                   256 * eps * (1 + A.cwiseAbs().maxCoeff()));
      }
    }
  }
}

// Of any step, whether or not it meets its equations: energies, momenta, gaps, and what the ground gives.
BOOST_AUTO_TEST_CASE(books_are_those_of_single_elements) {
  Random random(812);
  for (const Kind& kind : all_kinds(random)) {
    BOOST_TEST_CONTEXT(kind.name) {
      const Mechanism m = many(kind.add, random);
      const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
      for (const KernelOptions& kernels : all_kernels()) {
        const BothBooks books(m, away, kernels);
        BOOST_TEST(difference(books.together, books.singly) <= 256 * eps * size(books.singly));
      }
    }
  }
}

// Where ball joints are all there is, bodies that are eliminated add up the books of joints; elsewhere joints look at
// bodies. Chains of all numbers of empty places in a pack, and a body with four joints, with the ground on either side.
BOOST_AUTO_TEST_CASE(books_of_ball_joints_are_those_of_single_elements) {
  Random random(813);
  for (const int n : {1, 2, 3, 4, 5, 9}) {
    Mechanism m;
    for (int i = 0; i < n; ++i) {
      m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
      m.model->add(std::make_unique<Gravity>("weight", m.model->ports(), m.bodies.back()->port(), 1, random.vector()));
    }
    const auto join = [&](Index a, Index b) {
      m.model->add(spherical_joint("ball", m.model->ports(), {a, random.vector()}, {b, random.vector()}));
    };
    for (std::size_t i = 1; i < m.bodies.size(); ++i)
      join(m.bodies[i - 1]->port(), m.bodies[i]->port());
    join(m.bodies.front()->port(), Model::ground);
    if (n > 4) {
      join(Model::ground, m.bodies[2]->port());
      join(Model::ground, m.bodies[2]->port());
    }
    begin_anywhere(m, random);
    const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
    for (KernelOptions kernels : all_kernels())
      for (const bool condenses : {true, false}) {
        kernels.condenses = condenses;
        const BothBooks books(m, away, kernels);
        BOOST_TEST(books.has_all());
        // Sums of some ten terms for each body, of nine bodies at most.
        BOOST_TEST(difference_with_sums(books.together, books.singly) <= 256 * eps * size(books.singly));
      }
  }
}

// What the convergence of a step is judged by comes from the batch: the shortest length of the spring in the step.
BOOST_AUTO_TEST_CASE(lengths_of_springs_are_left_behind) {
  Model model;
  const Body& body = FrameBody::add_to(model, "body", 2, Vec3(1, 2, 3).asDiagonal());
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(Model::ground, Vec3(0, 0, 1)),
                                           body_point(body.port(), Vec3(0.5, 0, 0)), SpringLaw{10, 1, 0}));
  State state = model.rest_state();
  state.multipliers.resize(0);
  state.lost.setZero(state.values.size());
  for (const double speed : {-20.0, 20.0}) { // towards the ground, and away from it
    body.set_motion({Vec3(1.5, 0, 1), Quaternion::Identity(), Vec3(speed, 0, 0), Vec3::Zero()}, state);
    for (const KernelOptions& kernels : all_kernels()) {
      TwoPoint equations(model);
      Assembler assembler(equations, {}, kernels);
      VecX x(assembler.size()), f(assembler.size());
      assembler.begin_step(state, 0.01);
      assembler.start_freely(x.data());
      BOOST_TEST_REQUIRE(assembler.evaluate_closely(x.data(), f.data(), false));
      const double* length = assembler.bending_length(1);
      BOOST_TEST_REQUIRE(length != nullptr);
      BOOST_TEST(std::abs(*length - std::min(2.0, 2 + 0.01 * speed)) <= 16 * eps);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
