// Loads four at once against one by one.
#include "elements/bodies/plain.hpp"
#include "elements/forces/load_equations.hpp"
#include "verification/support/compare.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <type_traits>

using namespace emmy;
using namespace emmy::test;

BOOST_AUTO_TEST_SUITE(LoadEquations)

namespace {

void set_lane(V3<Pack>& all, int lane, const V3<double>& one) {
  for (int i = 0; i < 3; ++i)
    all[i][lane] = one[i];
}

template <class E>
void hold_against_each_other(Random& random) {
  constexpr int V = NaturalShape<E>::variables;
  using Numbers = typename E::template Numbers<double>;
  NaturalStepOf<double, V> step[4];
  NaturalStepOf<Pack, V> step4;
  Numbers numbers[4];
  typename E::template Numbers<Pack> numbers4;
  NaturalSystemOf<double, V> system[4] = {};
  NaturalSystemOf<Pack, V> system4 = {}, residual4 = {};
  step4.inv_h = 10;
  for (int lane = 0; lane < 4; ++lane) {
    step[lane].inv_h = 10;
    const Mat3 Q = random.triad(); // base vectors that are slightly strained, as those of iterates are
    for (int a = 0; a < V; ++a) {
      const Vec3 q = Q.col(a % 3) + random.vector(0.1), dq = random.vector(0.1);
      step[lane].q_n[a] = plain(Vec3(q - dq));
      step[lane].q_n1[a] = plain(Vec3(q + dq));
      step[lane].q_m[a] = plain(q);
      set_lane(step4.q_n[a], lane, step[lane].q_n[a]);
      set_lane(step4.q_n1[a], lane, step[lane].q_n1[a]);
      set_lane(step4.q_m[a], lane, step[lane].q_m[a]);
    }
    if constexpr (!std::is_empty_v<Numbers>) {
      numbers[lane] = plain(random.vector());
      set_lane(numbers4, lane, numbers[lane]);
    }
    E::template natural<true>(step[lane], numbers[lane], system[lane]);
  }
  E::template natural<true>(step4, numbers4, system4);
  E::template natural<false>(step4, numbers4, residual4);
  // The same operations on numbers of about one; where a compiler fuses some of them, a few roundings.
  constexpr double tolerance = 20 * eps;
  for (int lane = 0; lane < 4; ++lane)
    for (int a = 0; a < V; ++a) {
      for (int i = 0; i < 3; ++i) {
        BOOST_TEST(std::abs(system4.r[a][i][lane] - system[lane].r[a][i]) <= tolerance);
        BOOST_TEST(residual4.r[a][i][lane] == system4.r[a][i][lane]);
      }
      for (int b = 0; b < V; ++b)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const double k = system[lane].k[a][b](i, j);
            BOOST_TEST(std::abs(system4.k[a][b](i, j)[lane] - k) <= tolerance);
            if (E::couples(a, b) == TangentBlock::none || (E::couples(a, b) == TangentBlock::diagonal && i != j))
              BOOST_TEST(k == 0);
          }
    }
}

} // namespace

BOOST_AUTO_TEST_CASE(packs_are_four_loads) {
  Random random(1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    hold_against_each_other<WeightEquations>(random);
    hold_against_each_other<SpaceForceEquations<InstantPart::given>>(random);
    hold_against_each_other<FollowerForceEquations>(random);
    hold_against_each_other<BodyForceEquations>(random);
    hold_against_each_other<TorqueEquations<false>>(random);
    hold_against_each_other<TorqueEquations<true>>(random);
  }
}

BOOST_AUTO_TEST_SUITE_END()
