/// Bodies that are eliminated onto the wrenches of their joints, against the whole matrix.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/joints.hpp"
#include "verification/support/loads.hpp"
#include "verification/unit/solvers/system.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>

#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// Joints of coincident points.
const std::vector<std::string> kinds = {"revolute", "spherical", "universal", "constant velocity", "fixed"};

/// Frame bodies anywhere, whose joints are turned away from where they hold by some tenths of a radian: axes that are
/// perpendicular are far from parallel.
class Builder {
public:
  Builder(int n, Random& random) : random_(random) {
    for (int i = 0; i < n; ++i) {
      m_.bodies.push_back(&FrameBody::add_to(*m_.model, "body" + std::to_string(i), random.mass(), random.inertia()));
      m_.model->add(
          std::make_unique<Gravity>("weight", m_.model->ports(), m_.bodies.back()->port(), 1, random.vector()));
      turned_.push_back(random.rotation());
    }
  }
  /// Bodies by number, -1 is the ground.
  void join(const std::string& kind, int a, int b) {
    const Mat3 axes = random_.triad();
    m_.model->add(joint_maker(kind).make("joint", m_.model->ports(), side(a, axes), side(b, axes)));
  }
  Mechanism finish() {
    m_.initial = m_.model->rest_state();
    for (std::size_t i = 0; i < m_.bodies.size(); ++i)
      m_.bodies[i]->set_motion({random_.vector(), turned_[i], random_.vector(), random_.vector()}, m_.initial);
    m_.initial.multipliers = random_.numbers(m_.model->multipliers());
    m_.initial.history.setZero(m_.model->history());
    m_.model->begin(m_.initial);
    return std::move(m_);
  }
  Mechanism& mechanism() { return m_; }

private:
  JointSide side(int body, const Mat3& axes) {
    const Mat3 away = exponential(0.2 * random_.vector()).toRotationMatrix() * axes;
    if (body < 0)
      return {Model::ground, random_.vector(), away};
    const auto i = static_cast<std::size_t>(body);
    return {m_.bodies[i]->port(), random_.vector(), turned_[i].toRotationMatrix().transpose() * away};
  }

  Random& random_;
  Mechanism m_;
  std::vector<Quaternion> turned_;
};

/// Bodies have `ports` joints but for those at the ends, all of one kind, or of all kinds in turn.
Mechanism tree(int n, int ports, const std::vector<std::string>& of, Random& random) {
  Builder builder(n, random);
  for (int i = 0; i < n; ++i)
    builder.join(of[static_cast<std::size_t>(i) % of.size()], i == 0 ? -1 : (i - 1) / std::max(1, ports - 1), i);
  return builder.finish();
}

/// A closed ring of all kinds, with one body that nothing holds.
Mechanism ring(int n, Random& random) {
  Builder builder(n + 1, random);
  for (int i = 0; i < n; ++i)
    builder.join(kinds[static_cast<std::size_t>(i) % kinds.size()], (i + 1) % n, i);
  return builder.finish();
}

/// Two bodies that share two joints: blocks between these come from both.
Mechanism door(Random& random) {
  Builder builder(2, random);
  builder.join("revolute", -1, 0);
  builder.join("universal", 0, 1);
  builder.join("spherical", 1, 0);
  return builder.finish();
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
  for (const char* kind : {"revolute", "universal", "constant velocity", "fixed"})
    for (int n = 1; n <= 5; ++n) // all numbers of empty places
      list.push_back(tree(n, 2, {kind}, random));
  for (int ports = 2; ports <= 4; ++ports)
    list.push_back(tree(23, ports, kinds, random));
  list.push_back(ring(9, random));
  list.push_back(door(random));
  list.push_back(loaded(tree(23, 4, kinds, random), random));
  list.push_back(loaded(door(random), random));
  return list;
}

/// An iterate in a vector with room behind it.
VecX roomy(const VecX& x) {
  VecX at = VecX::Zero(x.size() + Assembler::room_behind);
  at.head(x.size()) = x;
  return at;
}

/// Newton's increment by wrenches.
VecX increment(System& system, bool tangent, const VecX& x) {
  VecX at = roomy(x), f = roomy(x), dx = VecX::Zero(at.size());
  BOOST_TEST_REQUIRE(system.assembler.evaluate_condensed(at.data(), f.data(), tangent));
  WrenchSystem& wrenches = *system.assembler.wrenches();
  if (tangent)
    wrenches.factorise(0, nullptr);
  wrenches.solve(dx.data());
  return dx.head(x.size());
}

double condition(const MatX& A) {
  const VecX singular = A.jacobiSvd().singularValues();
  return singular[0] / singular.tail<1>()[0];
}

} // namespace

BOOST_AUTO_TEST_SUITE(OntoWrenches)

// Both are backward stable but for growth, and for the inverses of bodies and of C, which have conditions of some tens:
// 1000 eps times the condition number.
BOOST_AUTO_TEST_CASE(increments_are_those_of_the_whole_matrix) {
  Random random(91);
  for (const Mechanism& m : mechanisms(random))
    for (const KernelOptions& kernels : all_kernels()) {
      const Index n = m.model->unknowns() + m.model->multipliers();
      System system(m, random.numbers(n, 0.1), kernels);
      BOOST_TEST_REQUIRE(system.assembler.condenses());
      BOOST_TEST_REQUIRE(system.assembler.wrenches() != nullptr);
      const MatX A = system.dense();
      const double error = 1000 * eps * condition(A);
      const Eigen::FullPivLU<MatX> lu(A);
      const VecX exact = lu.solve(system.f);
      BOOST_TEST((increment(system, true, system.x) - exact).norm() <= error * exact.norm());

      // Another iterate with the same tangent.
      const VecX x = system.x + random.numbers(n, 0.1);
      VecX f(n);
      BOOST_TEST_REQUIRE(system.assembler.evaluate_closely(x.data(), f.data(), false));
      const VecX kept = lu.solve(f);
      BOOST_TEST((increment(system, false, x) - kept).norm() <= error * kept.norm());

      // Any right side.
      const VecX b = random.numbers(n), solved = lu.solve(b);
      VecX dx = VecX::Zero(n + Assembler::room_behind);
      system.assembler.wrenches()->reduce(roomy(b).data());
      system.assembler.wrenches()->solve(dx.data());
      BOOST_TEST((dx.head(n) - solved).norm() <= error * solved.norm());
    }
}

// The block is off by epsilon / sigma after one solve and by its square after refinement [S5]; sigma is at least 1 /
// condition. What refinement changes is all of the first, so it cannot be less than a tenth of it if a block is there.
BOOST_AUTO_TEST_CASE(a_proximal_block_is_made_up_for) {
  Random random(92);
  for (const Mechanism& m : mechanisms(random)) {
    const Index n = m.model->unknowns() + m.model->multipliers();
    System system(m, random.numbers(n, 0.1));
    WrenchSystem& wrenches = *system.assembler.wrenches();
    const MatX A = system.dense();
    const VecX exact = A.fullPivLu().solve(system.f), scales = VecX::Ones(n);
    const double kappa = condition(A), epsilon = 1e-4 / kappa;
    VecX dx = VecX::Zero(n + Assembler::room_behind), f = dx;
    system.assembler.evaluate_condensed(roomy(system.x).data(), f.data(), true);
    wrenches.factorise(epsilon, scales.data());
    const double change = wrenches.solve_refined(nullptr, dx.data()).norm();
    BOOST_TEST((dx.head(n) - exact).norm() <= (1e-8 + 1000 * eps * kappa) * exact.norm());
    BOOST_TEST(change > 0);
    BOOST_TEST(change <= 1e-4 * 10 * exact.norm());
  }
}

// The first right side has -epsilon S mu in the rows of multipliers [S20]. Solutions are off by epsilon / sigma, at
// most 1e-4, of themselves; ten times that for the conditions of bodies and of C.
BOOST_AUTO_TEST_CASE(idle_multipliers_are_pulled_by_the_first_right_side) {
  Random random(93);
  const Mechanism m = tree(6, 2, kinds, random);
  const Index n = m.model->unknowns() + m.model->multipliers();
  System system(m, random.numbers(n, 0.1));
  WrenchSystem& wrenches = *system.assembler.wrenches();
  const MatX A = system.dense();
  const double epsilon = 1e-4 / condition(A);
  const VecX scales = VecX::Ones(n), x = roomy(system.x);
  VecX pull = VecX::Zero(n);
  for (const Index row : system.assembler.numbering().row_of_multiplier)
    pull[row] = -epsilon * system.x[row];
  const auto first_solution = [&](const double* pulled) {
    VecX dx = VecX::Zero(x.size()), f = dx;
    system.assembler.evaluate_condensed(x.data(), f.data(), true);
    wrenches.factorise(epsilon, scales.data());
    const VecX& change = wrenches.solve_refined(pulled, dx.data());
    return VecX(dx.head(n) - change);
  };
  const VecX expected = A.fullPivLu().solve(pull);
  BOOST_TEST((first_solution(x.data()) - first_solution(nullptr) - expected).norm() <= 1e-3 * expected.norm());
}

BOOST_AUTO_TEST_CASE(what_else_there_is_is_not_eliminated_so) {
  Random random(94);
  const auto has_wrenches = [](const Mechanism& m) {
    TwoPointEquations equations(*m.model);
    return Assembler(equations).wrenches() != nullptr;
  };
  BOOST_TEST(has_wrenches(tree(9, 4, {"revolute"}, random)));
  BOOST_TEST(has_wrenches(loaded(tree(9, 4, {"revolute"}, random), random)));
  BOOST_TEST(!has_wrenches(tree(9, 5, {"revolute"}, random)));  // too many joints
  BOOST_TEST(!has_wrenches(tree(9, 2, {"spherical"}, random))); // they have kernels of their own
  BOOST_TEST(!has_wrenches(tree(9, 2, {"prismatic"}, random))); // slides
  Mechanism sprung = tree(9, 2, {"revolute"}, random);
  sprung.model->add(std::make_unique<SpringDamper>(
      "spring", sprung.model->ports(), body_point(sprung.bodies[2]->port(), random.vector()),
      body_point(sprung.bodies[8]->port(), random.vector()), SpringLaw{50, 1, 0}));
  BOOST_TEST(!has_wrenches(sprung));
}

// Ten steps, each solved to eps times a condition number of 3e4 [S1].
BOOST_AUTO_TEST_CASE(steps_are_the_same) {
  const auto run = [](bool condenses) {
    Mechanism m = hanging_chain(9, ChainJoint::revolute);
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

// What became of a step that failed is forgotten.
BOOST_AUTO_TEST_CASE(an_iterate_beyond_all_numbers_leaves_nothing_behind) {
  Random random(95);
  const Mechanism m = tree(6, 3, kinds, random);
  System system(m, VecX::Zero(m.model->unknowns() + m.model->multipliers()));
  const VecX before = increment(system, true, system.x);
  BOOST_TEST(!increment(system, true, VecX::Constant(system.x.size(), 1e200)).allFinite());
  BOOST_TEST((increment(system, true, system.x) - before).norm() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
