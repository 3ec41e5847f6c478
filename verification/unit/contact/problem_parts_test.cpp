#include "contact/problem/dense_lu.hpp"
#include "contact/problem/islands.hpp"
#include "contact/problem/pivoted_cholesky.hpp"
#include "problem_cases.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>

namespace emmy::contact {

BOOST_AUTO_TEST_SUITE(problem_parts)

BOOST_AUTO_TEST_CASE(islands_are_what_moving_parts_connect) {
  IslandFinder finder;
  std::vector<Index> island;
  BOOST_TEST(finder.find({{5, -1}, {7, 8}, {-1, 9}, {8, 3}, {-1, -1}, {3, -1}, {5, 5}}, island) == 4);
  BOOST_TEST(island == (std::vector<Index>{0, 1, 2, 1, 3, 1, 0}), boost::test_tools::per_element());
  BOOST_TEST(finder.find({}, island) == 0);
  BOOST_TEST(island.empty());
}

// Against labels that spread from contact to contact until nothing changes; one finder for all, to see that it forgets.
BOOST_AUTO_TEST_CASE(islands_are_independent_of_numbers_and_of_what_was_before) {
  Draw draw(1);
  IslandFinder finder;
  for (int i = 0; i < 200; ++i) {
    const int bodies = draw.integer(1, 40), contacts = draw.integer(1, 30);
    std::vector<std::array<Index, 2>> parts;
    for (int j = 0; j < contacts; ++j)
      parts.push_back({draw.integer(0, bodies - 1), draw.integer(-1, bodies - 1)});
    std::vector<Index> label(parts.size()), island;
    for (std::size_t j = 0; j < parts.size(); ++j)
      label[j] = static_cast<Index>(j);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t j = 0; j < parts.size(); ++j)
        for (std::size_t k = 0; k < parts.size(); ++k)
          for (const Index part : parts[j])
            if (part >= 0 && (part == parts[k][0] || part == parts[k][1]) && label[k] < label[j]) {
              label[j] = label[k];
              changed = true;
            }
    }
    const Index count = finder.find(parts, island);
    Index most = -1;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      BOOST_TEST(island[j] == island[static_cast<std::size_t>(label[j])]);
      BOOST_TEST((label[j] == static_cast<Index>(j)) == (island[j] > most)); // in the order of first contacts
      most = std::max(most, island[j]);
    }
    BOOST_TEST(count == most + 1);
  }
}

BOOST_AUTO_TEST_CASE(a_compliance_of_free_bodies_is_symmetric_with_its_own_blocks) {
  const Case c = heap(30, 0, 1);
  const MatX W = dense(c.W);
  BOOST_TEST((W - W.transpose()).cwiseAbs().maxCoeff() <= 20 * eps * W.cwiseAbs().maxCoeff());
  for (Index j = 0; j < c.contacts(); ++j)
    BOOST_TEST((W.block<3, 3>(3 * j, 3 * j) - c.W.own(j)).cwiseAbs().maxCoeff() <= 20 * eps * W.cwiseAbs().maxCoeff());
  BOOST_TEST(Eigen::SelfAdjointEigenSolver<MatX>(W).eigenvalues()[0] >= -100 * eps * W.cwiseAbs().maxCoeff());
}

// [C28] by hand: a rod of 1 kg and length 2 struck at its end, W_nn = (1 + 1 / J) / 2 with J = 1/3 about its centre.
BOOST_AUTO_TEST_CASE(a_rod_answers_at_its_end_as_computed_by_hand) {
  Case c;
  c.add_body(1, Vec3(1e-3, 1.0 / 3, 1.0 / 3).asDiagonal(), Vec3::Zero());
  c.add_contact(0, -1, Vec3::UnitX(), Vec3::UnitZ());
  c.add_contact(-1, 0, Vec3(-1, 0, 0), Vec3::UnitZ()); // as the master: all signs turn
  const MatX W = dense(c.W);
  BOOST_TEST(std::abs(W(2, 2) - 2) <= 4 * eps);
  BOOST_TEST(std::abs(W(0, 0) - 0.5) <= eps);
  BOOST_TEST(std::abs(W(5, 2) - 1) <= 4 * eps); // -(1 - 3) / 2
}

// A of rank k: x must solve as much of A x = b as can be, be the shortest, and `null` be what is left.
BOOST_AUTO_TEST_CASE(pivoted_cholesky_finds_the_shortest_solution_and_what_none_reaches) {
  Draw draw(2);
  PivotedCholesky cholesky;
  for (int i = 0; i < 200; ++i) {
    const Index n = draw.integer(1, 12), rank = draw.integer(1, static_cast<int>(n));
    MatX B = MatX::NullaryExpr(rank, n, [&] { return draw.number(); });
    B.colwise().normalize();
    const MatX A = B.transpose() * B;
    VecX b = VecX::NullaryExpr(n, [&] { return draw.number(); });
    if (i % 2 == 0)
      b = A * b;
    cholesky.matrix(n) = A;
    cholesky.factor();
    std::vector<double> x_, null_;
    cholesky.solve(std::vector<double>(b.data(), b.data() + n), x_, null_);
    const Eigen::Map<VecX> x(x_.data(), n), null(null_.data(), n);
    Eigen::SelfAdjointEigenSolver<MatX> eigen(A);
    double least = 1; // eigenvalue that is not zero
    VecX expected = VecX::Zero(n), reached = VecX::Zero(n);
    for (Index k = n - rank; k < n; ++k) {
      const VecX mode = eigen.eigenvectors().col(k);
      least = std::min(least, eigen.eigenvalues()[k]);
      expected += mode * mode.dot(b) / eigen.eigenvalues()[k];
      reached += mode * mode.dot(b);
    }
    if (least < 1e-4)
      continue; // neither can tell its rank well
    const double rounding = 100 * eps / (least * least);
    BOOST_TEST((A * null).norm() <= rounding);
    const double missed = (b - reached).norm();
    if (missed > 1e-6)
      BOOST_TEST(b.dot(null) > 0);
    if (missed < 1e-12) {
      BOOST_TEST((x - expected).norm() <= rounding);
      BOOST_TEST(null.norm() <= rounding);
    }
  }
}

BOOST_AUTO_TEST_CASE(dense_lu_solves_and_says_what_it_cannot) {
  Draw draw(3);
  DenseLU lu;
  for (const Index n : {1, 7, 3, 40}) {
    const MatX A = MatX::NullaryExpr(n, n, [&] { return draw.number(); });
    const VecX x = VecX::NullaryExpr(n, [&] { return draw.number(); });
    VecX b = A * x;
    lu.matrix(n) = A;
    BOOST_TEST(lu.factor());
    lu.solve(Eigen::Map<VecX>(b.data(), n));
    const double condition = A.norm() * A.inverse().norm();
    BOOST_TEST((b - x).norm() <= 10 * static_cast<double>(n) * eps * condition);
  }
  lu.matrix(2).setZero();
  BOOST_TEST(!lu.factor());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace emmy::contact
