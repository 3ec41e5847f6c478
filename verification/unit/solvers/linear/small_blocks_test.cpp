/// The kernels of the factorisation on two blocks of every size, with and without sizes that the compiler knows.
#include "solvers/linear/block_factor.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <limits>

using namespace emmy;
using namespace emmy::test;

namespace {

/// Two nodes, coupled with each other, as the kernels see them.
class TwoNodes {
public:
  TwoNodes(int first, int second, const MatX& A)
      : sizes_{first, second}, values_(static_cast<std::size_t>(9 * block), 0.0), work_(2 * block, 0.0) {
    int at[2][2];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        at[i][j] = block * (2 * i + j);
        for (int c = 0; c < sizes_[j]; ++c)
          for (int r = 0; r < sizes_[i]; ++r)
            values_[static_cast<std::size_t>(at[i][j] + r + c * stride_of(sizes_[i]))] =
                A(i * first + r, j * first + c);
      }
    neighbour_ = {second, block, at[1][0], 4 * block, at[0][1]};
    target_ = at[1][1];
    const bool all_three = first == 3 && second == 3;
    steps_[0] = {first, 0, 0, at[0][0], 5 * block, 0, 1, 0, false, all_three};
    steps_[1] = {second, first, block, at[1][1], 6 * block, 1, 0, 1, false, second == 3};
  }
  VecX solve(const VecX& b, Instructions instructions) {
    const BlockProgram program{values_.data(), work_.data(), steps_, 2, &neighbour_, &target_, false};
    const BlockKernels& kernels = block_kernels(instructions);
    VecX x = b;
    kernels.factorise(program);
    kernels.solve(program, x.data(), RightSide::given);
    return x;
  }
  /// What is behind the last row of a column, in the inverses.
  double padding() const {
    double largest = 0;
    for (int i = 0; i < 2; ++i)
      for (int c = 0; c < sizes_[i]; ++c)
        for (int r = sizes_[i]; r < stride_of(sizes_[i]); ++r)
          largest = std::max(
              largest, std::abs(values_[static_cast<std::size_t>((5 + i) * block + r + c * stride_of(sizes_[i]))]));
    return largest;
  }

private:
  static constexpr int block = stride_of(largest_block) * largest_block;
  int sizes_[2];
  std::vector<double> values_, work_;
  PivotStep steps_[2];
  PivotNeighbour neighbour_;
  int target_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(SmallBlocks)

// Partial pivoting inside a block is backward stable but for growth, which is at most 2^11 and about 10 at random:
// 100 eps times the condition numbers of the matrix and of the block that is eliminated first, inside which alone
// pivots are sought.
BOOST_AUTO_TEST_CASE(blocks_of_every_size_are_eliminated) {
  Random random(81);
  for (int first = 1; first <= largest_block; ++first)
    for (int second = 1; second <= largest_block; ++second)
      for (const bool zero_diagonal : {false, true}) {
        const int n = first + second;
        if (first == 1 && zero_diagonal)
          continue; // nothing else to divide by
        MatX A(n, n);
        for (Index i = 0; i < A.size(); ++i)
          A.data()[i] = random.between(-1, 1);
        if (zero_diagonal) // no pivot where one would be looked for first
          A.diagonal().head(first).setZero();
        const auto condition = [](const MatX& of) {
          const VecX singular = of.jacobiSvd().singularValues();
          return singular[0] / singular.tail<1>()[0];
        };
        const VecX b = random.numbers(n), exact = A.fullPivLu().solve(b);
        const double error =
            100 * std::numeric_limits<double>::epsilon() * condition(A) * condition(A.topLeftCorner(first, first));
        for (const Instructions instructions : {Instructions::portable, best_instructions()}) {
          TwoNodes nodes(first, second, A);
          BOOST_TEST((nodes.solve(b, instructions) - exact).norm() <= error * exact.norm(),
                     first << " and " << second << (zero_diagonal ? ", no diagonal" : ""));
          BOOST_TEST(nodes.padding() == 0);
        }
      }
}

BOOST_AUTO_TEST_SUITE_END()
