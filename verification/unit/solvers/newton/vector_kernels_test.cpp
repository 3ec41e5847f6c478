/// Kernels on long vectors, against the same sums written out: for every processor and for this one, with rows that
/// fill packs and rows that do not. All numbers are whole, so that sums are exact in any order.
#include "core/types.hpp"
#include "solvers/newton/choose_vector_kernels.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace emmy;
using namespace emmy::test;

namespace {

VecX whole_numbers(Random& random, Index rows) {
  return random.numbers(rows, 100).array().round();
}

template <class Check>
void for_all_kernels(Check check) {
  for (const Instructions instructions : {Instructions::portable, best_instructions()})
    for (const Index rows : {1, 3, 4, 6, 8, 11})
      BOOST_TEST_CONTEXT(word_for(instructions) << ", " << rows << " rows") {
        check(vector_kernels(instructions), rows);
      }
}

/// Backward differences of the last of some values, the value itself being the first.
MatX differences(std::vector<VecX> values, int count) {
  MatX found(values.front().size(), count);
  for (int k = 0; k < count; ++k) {
    found.col(k) = values.back();
    for (std::size_t n = values.size() - 1; n > 0; --n)
      values[n] -= values[n - 1];
  }
  return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(VectorKernels_)

// Whatever stood there before the first of them has no part in it.
BOOST_AUTO_TEST_CASE(differences_are_those_of_the_last_values) {
  for_all_kernels([](const VectorKernels& kernels, Index rows) {
    Random random(1);
    const VecX weight = whole_numbers(random, rows).cwiseAbs();
    MatX kept = MatX::Constant(rows, most_differences, -7), multipliers = kept;
    std::vector<VecX> values;
    VecX errors(most_differences);
    for (int n = 0; n <= most_differences; ++n) {
      values.push_back(whole_numbers(random, rows));
      kernels.difference(weight.data(), values.back().data(), kept.data(), rows, rows, errors.data());
      kernels.difference_multipliers(values.back().data(), multipliers.data(), rows, rows);
    }
    const MatX expected = differences(values, most_differences + 1);
    BOOST_TEST((kept == expected.leftCols(most_differences)));
    BOOST_TEST((multipliers.leftCols(multiplier_differences) == expected.leftCols(multiplier_differences)));
    BOOST_TEST((multipliers.rightCols(most_differences - multiplier_differences).array() == -7).all());
    for (int k = 0; k < most_differences; ++k)
      BOOST_TEST(errors[k] == weight.dot(expected.col(k + 1).cwiseAbs2()));
  });
}

BOOST_AUTO_TEST_CASE(increments_and_multipliers_are_extrapolated_each_in_their_way) {
  for_all_kernels([](const VectorKernels& kernels, Index rows) {
    Random random(2);
    MatX kept(rows, most_differences);
    for (int k = 0; k < most_differences; ++k)
      kept.col(k) = whole_numbers(random, rows);
    VecX is_increment = VecX::Zero(rows);
    for (Index i = 0; i < rows; i += 2)
      is_increment[i] = 1;
    const VecX before = whole_numbers(random, rows);
    for (const double trusted : {0.0, 1.0})
      for (int order = -1; order < most_differences; ++order) {
        const VecX multiplier = kept.col(0) + kept.col(1) + trusted * (kept.col(2) - kept.col(3));
        const VecX increment = order < 0 ? before : VecX(kept.leftCols(order + 1).rowwise().sum());
        VecX x = before;
        kernels.extrapolate(kept.data(), is_increment.data(), rows, rows, order, trusted, x.data());
        BOOST_TEST((x == VecX((is_increment.array() > 0).select(increment, multiplier))));
        kernels.extrapolate_multipliers(kept.data(), rows, rows, trusted, x.data());
        BOOST_TEST((x == multiplier));
      }
  });
}

BOOST_AUTO_TEST_CASE(distance_is_a_sum_of_weighted_squares) {
  for_all_kernels([](const VectorKernels& kernels, Index rows) {
    Random random(3);
    const VecX a = whole_numbers(random, rows), b = whole_numbers(random, rows), weight = whole_numbers(random, rows);
    BOOST_TEST(kernels.distance(a.data(), b.data(), weight.data(), rows) == weight.dot((a - b).cwiseAbs2()));
  });
}

BOOST_AUTO_TEST_SUITE_END()
