// Elements of natural equations in batches against the same elements one by one: loads as the assembler evaluates them,
// and the kernels of an element between two bodies by themselves.
#include "elements/bodies/frame.hpp"
#include "elements/forces/gravity.hpp"
#include "elements/forces/spring_damper.hpp"
#include "solvers/batches/frame_kernels.inl"
#include "solvers/batches/pair_kernels.inl"
// which these use
#include "solvers/batches/natural_kernels.inl"
#include "solvers/integrators/conserving/energy_momentum.hpp"
#include "verification/support/checks.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/joints.hpp"
#include "verification/support/loads.hpp"
#include "verification/unit/solvers/step_books.hpp"

using namespace emmy;
using namespace emmy::test;

namespace {

KernelOptions one_by_one() {
  KernelOptions kernels;
  kernels.batches = false;
  return kernels;
}

/// Bodies with loads of every kind, as many as are no multiple of four: free, on a spring, and on ball joints of which
/// one is a penalty. So centre and rotation are two blocks that are set, one, and two that are added to.
Mechanism loaded(Random& random) {
  Mechanism m;
  Model& model = *m.model;
  for (int i = 0; i < 5; ++i) {
    m.bodies.push_back(&FrameBody::add_to(model, "body" + std::to_string(i), random.mass(), random.inertia()));
    model.add(std::make_unique<Gravity>("weight", model.ports(), m.bodies.back()->port(), 1, random.vector()));
  }
  const auto port = [&](int i) { return m.bodies[static_cast<std::size_t>(i)]->port(); };
  for (int kind = 0; kind < load_kinds; ++kind)
    for (int i = 0; i < 5; ++i)
      if (kind != 3 || i > 2)
        add_load(model, port(i), kind, random);
  model.add(std::make_unique<SpringDamper>("spring", model.ports(), body_point(port(1), random.vector()),
                                           body_point(port(2), random.vector()), SpringLaw{50, 1, 0}));
  for (const auto& [first, second] : {std::pair(2, 3), std::pair(3, 4)}) {
    auto ball = spherical_joint("ball", model.ports(), {port(first), random.vector()}, {port(second), random.vector()});
    const Element& added = model.add(std::move(ball));
    if (second == 4)
      model.enforce(added, {EnforcementMethod::penalty, 50, 0});
  }
  begin_anywhere(m, random);
  m.initial.time = 0.7;
  return m;
}

/// Forces on two points and two directions, linear in the means of all of them.
struct TieEquations {
  static constexpr const char* name = "tie";
  static constexpr NaturalOn variables[] = {NaturalOn::point_of_first, NaturalOn::direction_of_first,
                                            NaturalOn::point_of_second, NaturalOn::direction_of_second};
  static constexpr InstantPart instant = InstantPart::elastic;
  template <class T>
  using Numbers = V3<T>;
  static constexpr TangentBlock couples(int a, int b) {
    return a == 3 && b == 1 ? TangentBlock::none : a == 1 && b == 2 ? TangentBlock::diagonal : TangentBlock::full;
  }
  template <bool Tangent, class T>
  static void natural(const NaturalStepOf<T, 4>& s, const Numbers<T>& p, NaturalSystemOf<T, 4>& out) {
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            if (couples(a, b) == TangentBlock::none || (couples(a, b) == TangentBlock::diagonal && i != j))
              continue;
            const T c = (0.1 * ((a + 2 * b + 3 * i + 5 * j) % 7) - 0.25) * p[(a + b) % 3];
            out.r[a][i] = out.r[a][i] + c * s.q_m[b][j];
            if constexpr (Tangent)
              out.k[a][b](i, j) = out.k[a][b](i, j) + 0.5 * c;
          }
  }
};

class Tie final : public NaturalInteractionOf<TieEquations> {
public:
  Tie(const Ports& ports, const JointSide& I, const JointSide& J, const Vec3& p)
      : NaturalInteractionOf(
            "tie", "tie", ports, {body_point(I.port, I.at), I.n(), body_point(J.port, J.at), J.n()},
            {ConstraintRows::none(), no_history, Acts::from_outside, Forces::of_configuration, Nonlinear::in_turns}),
        p_(p) {}
  std::string row_name(Index) const override { return "tie"; }
  NaturalNumbers numbers(double, double) const override { return {p_.x(), p_.y(), p_.z()}; }

private:
  Vec3 p_;
};

constexpr std::pair<int, int> tied[] = {{0, 1}, {1, 0}, {-1, 0}, {1, -1}, {0, 1}};

struct Ties {
  explicit Ties(Random& random) {
    Model& model = *m.model;
    for (int i = 0; i < 2; ++i) {
      bodies[i] = &FrameBody::add_to(model, "body", random.mass(), random.inertia());
      m.bodies.push_back(bodies[i]);
    }
    const auto side = [&](int b) {
      return JointSide{b < 0 ? Model::ground : bodies[b]->port(), random.vector(), random.triad()};
    };
    for (const auto& [first, second] : tied) {
      const JointSide I = side(first), J = side(second); // in this order
      ties.push_back(&model.add(std::make_unique<Tie>(model.ports(), I, J, random.vector(5))));
    }
    begin_anywhere(m, random);
  }
  Mechanism m;
  const FrameBody* bodies[2];
  std::vector<const Tie*> ties;
};

/// Tables of two bodies, each with one block for itself and one with the other, and of their ties.
template <class T>
struct Tables {
  static constexpr int lanes = Lanes<T>::count, block = 6 * stride_of(6), scratch = 4 * block;
  static constexpr int at(int s, int by, int row, int column) {
    return block * (2 * s + by) + row + stride_of(6) * column;
  }

  explicit Tables(const Ties& of) {
    const double mean = of.m.model->mean_mass();
    for (int b = 0; b < 2; ++b) {
      const FrameBody& body = *of.bodies[b];
      const Node& node = body.nodes().front();
      bodies[b] = {static_cast<int>(node.value),
                   static_cast<int>(node.unknown),
                   6 * b,
                   6 * b + 3,
                   at(b, b, 0, 0),
                   at(b, b, 3, 3),
                   false};
      inertia[16 * b] = body.mass() / mean;
      Eigen::Map<Mat3>(inertia + 16 * b + 1) = body.inertia() / mean;
    }
    for (int k = 12; k + 9 <= frame_motion_numbers; k += 9) // the ground
      Eigen::Map<Mat3>(motions + 2 * frame_motion_numbers + k).setIdentity();
    const int count = (static_cast<int>(of.ties.size()) + lanes - 1) / lanes * lanes;
    vectors.assign(static_cast<std::size_t>(12 * count), 0.0);
    memory.assign(static_cast<std::size_t>(3 * count), 0.0);
    for (int i = 0; i < count; ++i) {
      const bool is_real = i < static_cast<int>(of.ties.size());
      const auto& [first, second] = is_real ? tied[i] : std::pair(-1, -1);
      PairPlace place{};
      const int side[] = {first, second};
      for (int s = 0; s < 2; ++s) {
        place.body[s] = side[s] < 0 ? 2 : side[s];
        place.stride[s] = stride_of(6);
        for (int by = 0; by < 2; ++by) {
          const auto to = [&](int row, int column) {
            return side[s] < 0 || side[by] < 0 ? scratch : at(side[s], side[by], row, column);
          };
          place.xx[s][by] = to(0, 0);
          place.x_turn[s][by] = to(0, 3);
          place.turn_x[s][by] = to(3, 0);
          if (s != by)
            place.cross[s] = to(3, 3);
        }
      }
      places.push_back(place);
      if (!is_real)
        continue;
      const Tie& tie = *of.ties[static_cast<std::size_t>(i)];
      const auto put = [&](std::vector<double>& list, int numbers, int k, double value) {
        list[static_cast<std::size_t>(i / lanes * numbers * lanes + k * lanes + i % lanes)] = value;
      };
      for (int k = 0; k < 12; ++k)
        put(vectors, 12, k, tie.variables()[static_cast<std::size_t>(k / 3)].w[1 + k % 3]);
      for (int k = 0; k < 3; ++k)
        put(memory, 3, k, tie.recall(0, 0)[static_cast<std::size_t>(k)]);
    }
    batch = {count, static_cast<int>(of.ties.size()), places.data(), vectors.data(), nullptr, memory.data()};
    frames = {2, 2, 0, 0, bodies, inertia, motions, loads, nullptr, nullptr, scratch};
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  FramePlace bodies[2];
  double inertia[2 * frame_inertia_numbers] = {}, motions[3 * frame_motion_numbers] = {},
                     loads[3 * frame_loads_numbers] = {}, matrix[5 * block] = {};
  std::vector<PairPlace> places;
  std::vector<double> vectors, memory;
  PairBatch batch{};
  FrameTable frames{};
};

template <class T>
void hold_kernels_against_single_elements(const Ties& ties, const VecX& away) {
  constexpr double h = 0.01;
  System single(ties.m, away, one_by_one());
  const VecX f = single.by_model(single.f), x_single = single.by_model(single.x);
  const MatX A = single.by_model(single.dense());
  VecX x = VecX::Zero(12 + Assembler::room_behind), g = x, residual = x;
  x.head(12) = x_single;
  const VecX lost = VecX::Zero(ties.m.initial.values.size());
  const double s = 2 * ties.m.model->mean_mass() / (h * h);
  Tables<T> tables(ties);
  BatchEvaluation e{
      h,        1 / h,    1 / s,        ties.m.initial.values.data(), lost.data(), ties.m.initial.rates.data(),
      x.data(), g.data(), tables.matrix};
  const FrameKernels& frames = frame_kernels<T>;
  const PairKernels& kernels = natural_kernels<TieEquations, T>;
  frames.move(tables.frames, e);
  kernels.tangent(tables.frames, tables.batch, e);
  frames.balance_tangent(tables.frames, e);
  MatX B(12, 12);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      B(i, j) = tables.matrix[Tables<T>::at(i / 6, j / 6, i % 6, j % 6)];
  e.f = residual.data();
  frames.move(tables.frames, e);
  kernels.residual(tables.frames, tables.batch, e);
  frames.balance_residual(tables.frames, e);
  // Some hundred terms in an entry, of the size of the largest.
  BOOST_TEST((g.head(12) - f).lpNorm<Eigen::Infinity>() <= 256 * eps * (1 + f.cwiseAbs().maxCoeff()));
  BOOST_TEST((residual.head(12) - f).lpNorm<Eigen::Infinity>() <= 256 * eps * (1 + f.cwiseAbs().maxCoeff()));
  BOOST_TEST((B - A).lpNorm<Eigen::Infinity>() <= 256 * eps * (1 + A.cwiseAbs().maxCoeff()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(BatchesOfNaturalElements)

// The same sums in another order and with fused multiplications: some hundred terms in an entry.
BOOST_AUTO_TEST_CASE(residual_and_tangent_are_those_of_single_elements) {
  Random random(821);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Mechanism m = loaded(random);
    const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
    System single(m, away, one_by_one());
    const VecX f = single.by_model(single.f);
    const MatX A = single.by_model(single.dense());
    for (const KernelOptions& kernels : all_kernels()) {
      System together(m, away, kernels);
      BOOST_TEST((together.by_model(together.f) - f).lpNorm<Eigen::Infinity>() <=
                 1024 * eps * (1 + f.cwiseAbs().maxCoeff()));
      BOOST_TEST((together.by_model(together.dense()) - A).lpNorm<Eigen::Infinity>() <=
                 1024 * eps * (1 + A.cwiseAbs().maxCoeff()));
      for (std::size_t e = 0; e < m.model->elements().size(); ++e)
        BOOST_TEST(together.assembler.is_batched(e));
    }
  }
}

// Central differences, whose error is eps^(2/3) of the largest entry, with a curvature of about one: ten times that.
BOOST_AUTO_TEST_CASE(the_tangent_is_the_derivative_of_the_residual) {
  Random random(822);
  const Mechanism m = loaded(random);
  const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
  const double step = std::cbrt(eps);
  for (const KernelOptions& kernels : all_kernels()) {
    System system(m, away, kernels);
    const MatX A = system.dense();
    MatX by_differences = A;
    for (Index j = 0; j < A.cols(); ++j) {
      VecX x = system.x, ahead(A.rows()), behind(A.rows());
      x[j] += step;
      BOOST_TEST_REQUIRE(system.assembler.evaluate_closely(x.data(), ahead.data(), false));
      x[j] -= 2 * step;
      BOOST_TEST_REQUIRE(system.assembler.evaluate_closely(x.data(), behind.data(), false));
      by_differences.col(j) = (ahead - behind) / (2 * step);
    }
    BOOST_TEST((by_differences - A).lpNorm<Eigen::Infinity>() <= 10 * step * step * A.cwiseAbs().maxCoeff());
  }
}

// Work comes from outside, so they enter it themselves.
BOOST_AUTO_TEST_CASE(books_are_those_of_single_elements) {
  Random random(823);
  const Mechanism m = loaded(random);
  const VecX away = random.numbers(m.model->unknowns() + m.model->multipliers(), 0.2);
  for (const KernelOptions& kernels : all_kernels()) {
    const BothBooks books(m, away, kernels);
    BOOST_TEST(difference(books.together, books.singly) <= 256 * eps * size(books.singly));
    BOOST_TEST(!books.has_all());
  }
}

// Every step has its own loads. Ten steps, each solved to eps times a condition number of 3e4 [S1]; with bodies that
// are eliminated, onto ball joints or onto wrenches, or not.
BOOST_AUTO_TEST_CASE(steps_are_those_of_single_elements) {
  for (const ChainJoint joint : {ChainJoint::spherical, ChainJoint::revolute}) {
    const auto run = [joint](const KernelOptions& kernels) {
      Random random(824);
      Mechanism m = hanging_chain(9, joint);
      for (int i = 0; i < 9; ++i)
        if (i != 4) // this one has none
          add_load(*m.model, m.bodies[static_cast<std::size_t>(i)]->port(), i == 8 ? 5 : i, random);
      NewtonOptions options;
      options.kernels = kernels;
      EnergyMomentum integrator(*m.model, options);
      for (int i = 0; i < 10; ++i)
        BOOST_REQUIRE(integrator.step(m.initial, 0.01).converged);
      return m.initial;
    };
    const State singly = run(one_by_one());
    for (KernelOptions kernels : all_kernels())
      for (const bool condenses : {true, false}) {
        kernels.condenses = condenses;
        const double difference = (run(kernels).values - singly.values).cwiseAbs().maxCoeff();
        BOOST_TEST(difference <= 10 * 3e4 * eps);
        BOOST_TEST(difference > 0); // they were not solved the same way
      }
  }
}

BOOST_AUTO_TEST_CASE(kernels_of_two_bodies_are_the_single_element) {
  Random random(825);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Ties ties(random);
    const VecX away = random.numbers(12, 0.2);
    hold_kernels_against_single_elements<double>(ties, away);
    hold_kernels_against_single_elements<Pack>(ties, away);
    const Trial trial = random_trial(*ties.m.model, step_sizes()[2], random);
    for (const Tie* tie : ties.ties) {
      BOOST_TEST(check_tangent(*tie, *ties.m.model, trial));
      BOOST_TEST(check_adds(*tie, *ties.m.model, trial));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
