// Elements in batches against the same elements one by one, for every number type: residual, tangent, books.
#include "core/measure_interaction.hpp"
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "elements/joints/joint_equations.hpp"
#include "elements/limits/limit.hpp"
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

/// Couplers of every two kinds of coordinates, which share bodies with one another or not, and with the ground.
Mechanism coupled(CoupledCoordinate::Kind first, CoupledCoordinate::Kind second, Random& random) {
  Mechanism m;
  for (int i = 0; i < 4; ++i)
    m.bodies.push_back(&FrameBody::add_to(*m.model, "body" + std::to_string(i), random.mass(), random.inertia()));
  const auto coordinate = [&](CoupledCoordinate::Kind kind, int I, int J, double factor) {
    const auto side = [&](int body) {
      const Index port = body < 0 ? Model::ground : m.bodies[static_cast<std::size_t>(body)]->port();
      return JointSide{port, random.vector(), random.triad()};
    };
    return CoupledCoordinate{kind, side(I), side(J), factor};
  };
  struct Bodies {
    int I, J, K, L;
  };
  for (const Bodies& b : {Bodies{0, 1, 2, 3}, {0, 1, 1, 2}, {3, 0, 3, 1}, {-1, 0, 1, 2}, {-1, 2, -1, 3}, {0, 1, 1, 0}})
    m.model->add(coupler_joint("coupler", m.model->ports(), coordinate(first, b.I, b.J, 1.5),
                               coordinate(second, b.K, b.L, -0.7)));
  begin_anywhere(m, random);
  return m;
}

/// Walls, stops and ropes, with one bound and with two.
std::vector<Kind> limit_kinds() {
  using Make = std::unique_ptr<Limit> (*)(const Ports&, const JointSide&, const JointSide&);
  const auto kind = [](const char* name, Make make) {
    return Kind{name,
                [make](Model& model, const JointSide& I, const JointSide& J) { model.add(make(model.ports(), I, J)); }};
  };
  return {
      kind("wall", [](const Ports& ports, const JointSide& I,
                      const JointSide& J) { return wall("wall", ports, I, J.point(), 0.1, 0.5); }),
      kind("displacement stops",
           [](const Ports& ports, const JointSide& I, const JointSide& J) {
             return stop("stops", ports, CoordinateMeasure::displacement("way", ports, I.n(), I.point(), J.point()),
                         {-0.4, 0.4}, 1);
           }),
      kind("angle stop",
           [](const Ports& ports, const JointSide& I, const JointSide& J) {
             return stop("stop", ports, CoordinateMeasure::angle("angle", ports, I.s1(), I.s2(), J.s1()), {{}, 0.2}, 0);
           }),
      kind("angle stops",
           [](const Ports& ports, const JointSide& I, const JointSide& J) {
             return stop("stops", ports, CoordinateMeasure::angle("angle", ports, I.s1(), I.s2(), J.s1()), {-0.2, 0.7},
                         0.5);
           }),
      kind("rope",
           [](const Ports& ports, const JointSide& I, const JointSide& J) {
             return rope("rope", ports, I.point(), J.point(), {{}, 1.5}, 0);
           }),
      kind("rope and strut", [](const Ports& ports, const JointSide& I, const JointSide& J) {
        return rope("rope", ports, I.point(), J.point(), {1.0, 2.0}, 0);
      })};
}

/// The equations of a ball joint with facts of another element.
class SpecialBall final : public InteractionOf<SphericalEquations> {
public:
  SpecialBall(const Ports& ports, const JointSide& I, const JointSide& J, const InteractionFacts& facts)
      : InteractionOf("special", "special ball joint", ports, {I.point(), J.point()}, {}, facts) {}
  std::string row_name(Index) const override { return "way"; }
};

/// The residual as it is judged, in the order of the model: with constraints that are no equations of the system.
VecX judged(const System& system) {
  const Numbering& numbering = system.assembler.numbering();
  std::vector<double> values;
  for (const auto* rows : {&numbering.row_of_unknown, &numbering.row_of_multiplier})
    for (const Index row : *rows)
      values.push_back(system.assembler.balance()[row]);
  return Eigen::Map<const VecX>(values.data(), static_cast<Index>(values.size()));
}

KernelOptions one_by_one() {
  KernelOptions kernels;
  kernels.batches = false;
  return kernels;
}

/// Residual and tangent of all elements in batches, with every set of kernels.
void hold_against_single_elements(const Mechanism& m, const VecX& away) {
  System single(m, away, one_by_one());
  const VecX f = single.by_model(single.f);
  const MatX A = single.by_model(single.dense());
  for (const KernelOptions& kernels : all_kernels()) {
    System together(m, away, kernels);
    BOOST_TEST((together.by_model(together.f) - f).lpNorm<Eigen::Infinity>() <=
               256 * eps * (1 + f.cwiseAbs().maxCoeff()));
    BOOST_TEST((together.by_model(together.dense()) - A).lpNorm<Eigen::Infinity>() <=
               256 * eps * (1 + A.cwiseAbs().maxCoeff()));
    for (std::size_t e = 0; e < m.model->elements().size(); ++e)
      BOOST_TEST(together.assembler.is_batched(e));
  }
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
      hold_against_single_elements(m, away);
    }
  }
}

// The same where two pairs of bodies share a row.
BOOST_AUTO_TEST_CASE(couplers_are_those_of_single_elements) {
  using Coordinate = CoupledCoordinate::Kind;
  Random random(814);
  for (const Coordinate first : {Coordinate::angle, Coordinate::displacement})
    for (const Coordinate second : {Coordinate::angle, Coordinate::displacement}) {
      const Mechanism m = coupled(first, second, random);
      const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
      hold_against_single_elements(m, away);
    }
}

// Angles are counted as joints count them, whatever turns they have made before.
BOOST_AUTO_TEST_CASE(turns_are_counted_as_by_single_joints) {
  Random random(815);
  for (const JointMaker& maker : joint_makers()) {
    Mechanism m = many([&](Model& model, const JointSide& I,
                           const JointSide& J) { model.add(maker.make("joint", model.ports(), I, J)); },
                       random);
    for (double& number : m.initial.history)
      number += 2 * M_PI * std::round(10 * random.vector()[0]);
    const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
    for (const KernelOptions& kernels : all_kernels()) {
      System system(m, away, kernels);
      State together = m.initial, singly = m.initial;
      together.remainders.setZero(together.values.size());
      system.assembler.advance_by_mean_rule(together);
      system.assembler.count_turns(together);
      const MovedStep step{system.assembler.step(), system.assembler.motions()};
      for (std::size_t e = 0; e < m.model->elements().size(); ++e)
        if (const Element& element = *m.model->elements()[e]; element.history() > 0 && system.assembler.advances(e)) {
          element.advance(step, singly);
          const auto of = [&](const State& state) {
            return state.history.segment(element.first_history(), element.history());
          };
          // Two dots, each with some roundings, and an arc tangent; twenty turns at most, by a factor 2 pi each.
          BOOST_TEST((of(together) - of(singly)).lpNorm<Eigen::Infinity>() <= 256 * eps * 20 * M_PI);
          BOOST_TEST((of(singly) - of(m.initial)).lpNorm<Eigen::Infinity>() > 1e-6);
        }
    }
  }
}

// Constraints with a strategy hand their rows over to it: what it makes of them, and of a linear solve that follows, is
// the same. Sums as above; stiffnesses multiply what rounds by up to 1e3, beta of [A14] over that of inertia.
BOOST_AUTO_TEST_CASE(enforced_constraints_are_those_of_single_elements) {
  Random random(813);
  std::vector<Kind> kinds = all_kinds(random), limits = limit_kinds();
  kinds.insert(kinds.end(), limits.begin(), limits.end());
  const Enforcement ways[] = {{EnforcementMethod::lagrange, 0, 0},
                              {EnforcementMethod::penalty, 50, 0},
                              {EnforcementMethod::augmented_lagrangian, 0, 10}};
  for (const Kind& kind : kinds)
    for (const Enforcement& how : ways)
      for (const AugmentedForm form : {AugmentedForm::merged, AugmentedForm::nested}) {
        if (form == AugmentedForm::nested && how.method != EnforcementMethod::augmented_lagrangian)
          continue;
        BOOST_TEST_CONTEXT(kind.name << ", enforcement " << static_cast<int>(how.method) << ", form "
                                     << static_cast<int>(form)) {
          const Mechanism m = many(kind.add, random);
          for (const auto& element : m.model->elements())
            if (element->multipliers() > 0)
              m.model->enforce(*element, how);
          const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
          const VecX dx = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.1);
          AugmentedLagrangianOptions augmented;
          augmented.form = form;
          System single(m, away, one_by_one(), augmented);
          const auto go_on = [&](System& system) { // after a linear solve
            system.assembler.follow(system.by_row(dx.head(system.assembler.size())).data());
            return system.assembler.evaluate_closely(system.x.data(), system.f.data(), false);
          };
          const VecX f = single.by_model(single.f), balance = judged(single);
          const MatX A = single.by_model(single.dense());
          BOOST_TEST_REQUIRE(go_on(single));
          const VecX next = single.by_model(single.f);
          for (const KernelOptions& kernels : all_kernels()) {
            System together(m, away, kernels, augmented);
            const double tolerance = 1024 * eps;
            BOOST_TEST((together.by_model(together.f) - f).lpNorm<Eigen::Infinity>() <=
                       tolerance * (1 + f.cwiseAbs().maxCoeff()));
            BOOST_TEST((together.by_model(together.dense()) - A).lpNorm<Eigen::Infinity>() <=
                       tolerance * (1 + A.cwiseAbs().maxCoeff()));
            BOOST_TEST((judged(together) - balance).lpNorm<Eigen::Infinity>() <=
                       tolerance * (1 + balance.cwiseAbs().maxCoeff()));
            BOOST_TEST_REQUIRE(go_on(together));
            BOOST_TEST((together.by_model(together.f) - next).lpNorm<Eigen::Infinity>() <=
                       tolerance * (1 + next.cwiseAbs().maxCoeff()));
            for (std::size_t e = 0; e < m.model->elements().size(); ++e)
              BOOST_TEST(together.assembler.is_batched(e));
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

// What an element books follows from its facts, not from its equations: a motor or a bound that is made of those of a
// ball joint is left to itself, and the joint beside it is not.
BOOST_AUTO_TEST_CASE(motors_and_bounds_book_themselves_whatever_their_equations) {
  Random random(816);
  const ConstraintRows equations = ConstraintRows::equations(3);
  const ConstraintRows bounds = ConstraintRows::one_sided({{1, 0, false}, {1, 0, false}, {1, 0, false}}, 0);
  const InteractionFacts motor{equations, no_history, Acts::as_motor, Forces::of_configuration, Nonlinear::in_turns};
  const InteractionFacts bound{bounds, no_history, Acts::as_constraint, Forces::of_configuration, Nonlinear::in_turns};
  for (const InteractionFacts& facts : {motor, bound}) {
    const Mechanism m = many(
        [&](Model& model, const JointSide& I, const JointSide& J) {
          model.add(std::make_unique<SpecialBall>(model.ports(), I, J, facts));
          model.add(spherical_joint("ball", model.ports(), I, J));
        },
        random);
    const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
    for (KernelOptions kernels : all_kernels())
      for (const bool condenses : {true, false}) {
        kernels.condenses = condenses;
        const BothBooks books(m, away, kernels);
        BOOST_TEST(difference_with_sums(books.together, books.singly) <= 256 * eps * size(books.singly));
        for (std::size_t e = 0; e < m.model->elements().size(); ++e)
          BOOST_TEST(books.is_booked[e] == (m.model->elements()[e]->name() != "special"));
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
  state.remainders.setZero(state.values.size());
  for (const double speed : {-20.0, 20.0}) { // towards the ground, and away from it
    body.set_motion({Vec3(1.5, 0, 1), Quaternion::Identity(), Vec3(speed, 0, 0), Vec3::Zero()}, state);
    for (const KernelOptions& kernels : all_kernels()) {
      TwoPointEquations equations(model);
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
