/// Linear systems of Newton's method: any right side, whether or not bodies are eliminated.
#include "elements/forces/spring_damper.hpp"
#include "solvers/newton/block_system.hpp"
#include "solvers/newton/snes_adapter.hpp"
#include "verification/unit/solvers/condensation/condensed.hpp"

#include <boost/test/unit_test.hpp>

using namespace emmy;
using namespace emmy::test;

namespace {

/// A chain that moves somehow; with a spring, some of its bodies are left to the matrix.
Mechanism moving_chain(ChainJoint joint, std::size_t kind, bool has_spring, Random& random) {
  Mechanism m = hanging_chain(6, joint, body_makers()[kind]);
  if (has_spring)
    m.model->add(std::make_unique<SpringDamper>("spring", m.model->ports(),
                                                body_point(m.bodies[1]->port(), random.vector()),
                                                body_point(m.bodies[3]->port(), random.vector()), SpringLaw{50, 1, 0}));
  begin_anywhere(m, random);
  return m;
}

/// What a chain is solved by.
struct Parts {
  Parts(const Mechanism& m, Random& random)
      : system(m, random.numbers(m.model->unknowns() + m.model->multipliers(), 0.05)),
        norm(*m.model, system.assembler.numbering(), best_instructions()), findings(norm.parts()),
        at(system.assembler.size(), Assembler::room_behind) {
    findings.forget();
    at.x.head(at.size) = system.x;
  }
  VecX solved_for(LinearSystem& by, const VecX& b) {
    VecX roomy = VecX::Zero(at.x.size()), x = roomy;
    roomy.head(at.size) = b;
    BOOST_TEST(by.solve_for(roomy.data(), x.data()));
    return x.head(at.size);
  }

  System system;
  StepNorm norm;
  Findings findings;
  Iterate at;
};

} // namespace

BOOST_AUTO_TEST_SUITE(LinearSystems)

// The first solves are of the whole matrix, which is looked at for its accuracy; later ones of what is left.
BOOST_AUTO_TEST_CASE(any_right_side_is_solved_for_with_any_factors) {
  Random random(301);
  int condensed = 0, whole = 0;
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute})
    for (const std::size_t kind : {0, 1, 2})
      for (const bool has_spring : {false, true}) {
        const Mechanism m = moving_chain(joint, kind, has_spring, random);
        Parts parts(m, random);
        const MatX A = parts.system.dense();
        const Eigen::FullPivLU<MatX> lu(A);
        BlockSystem blocks(parts.system.assembler, parts.norm, parts.findings, best_instructions());
        for (int i = 0; i < 8; ++i) {
          BOOST_TEST_REQUIRE(blocks.evaluate(parts.at, Factors::renewed, false));
          BOOST_TEST_REQUIRE(blocks.solve(parts.at, Factors::renewed));
          const VecX b = random.numbers(parts.at.size), exact = lu.solve(b);
          BOOST_TEST((parts.solved_for(blocks, b) - exact).norm() <= solution_error(A) * exact.norm());
          (blocks.has_residual() ? whole : condensed)++;
        }
      }
  BOOST_TEST(whole > 0);
  BOOST_TEST(condensed >= 6 * 4); // all kinds on ball joints, and frames on hinges
}

BOOST_AUTO_TEST_CASE(a_ksp_solves_for_them_too) {
  Random random(302);
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute}) {
    const Mechanism m = moving_chain(joint, 0, true, random);
    Parts parts(m, random);
    const MatX A = parts.system.dense();
    ResidualTest test(parts.system.assembler, 0, 20);
    SnesAdapter snes(parts.system.assembler, test, parts.findings, parts.at, 20, {});
    snes.choose(LinearSolver::klu);
    LinearSystem& klu = snes.system();
    BOOST_TEST_REQUIRE(klu.evaluate(parts.at, Factors::first, false));
    BOOST_TEST_REQUIRE(klu.solve(parts.at, Factors::first));
    const VecX found = parts.at.dx, b = random.numbers(parts.at.size), exact = A.fullPivLu().solve(b);
    BOOST_TEST((parts.solved_for(klu, b) - exact).norm() <= solution_error(A) * exact.norm());
    BOOST_TEST((parts.at.dx == found)); // which is nobody's business
  }
}

BOOST_AUTO_TEST_SUITE_END()
