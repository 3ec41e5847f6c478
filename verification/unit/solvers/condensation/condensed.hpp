#pragma once
/// Increments by condensation, for tests that hold them against the whole matrix.

#include "solvers/linear/block_solver.hpp"
#include "verification/unit/solvers/system.hpp"

#include <limits>

namespace emmy::test {

/// Newton's increment by condensation.
inline VecX increment(System& system, const KernelOptions& kernels, bool tangent, const VecX& x) {
  Assembler& assembler = system.assembler;
  BlockSolver solver(assembler.blocks(), kernels.instructions);
  const Index room = Assembler::room_behind;
  VecX at = VecX::Zero(x.size() + room), f = at, dx = at;
  at.head(x.size()) = x;
  BOOST_TEST_REQUIRE(assembler.evaluate_condensed(at.data(), f.data(), tangent));
  if (tangent)
    solver.factorise_rest();
  solver.solve_rest(assembler.has_rest() ? f.data() : nullptr, dx.data());
  assembler.expand(dx.data());
  return dx.head(x.size());
}

/// Solution of any right side by condensation, with the tangent at the iterate of a system.
inline VecX solution(System& system, const KernelOptions& kernels, const VecX& b) {
  Assembler& assembler = system.assembler;
  BlockSolver solver(assembler.blocks(), kernels.instructions);
  VecX at = VecX::Zero(b.size() + Assembler::room_behind), f = at, right = at, dx = at;
  at.head(b.size()) = system.x;
  right.head(b.size()) = b;
  BOOST_TEST_REQUIRE(assembler.evaluate_condensed(at.data(), f.data(), true));
  solver.factorise_rest();
  assembler.reduce(right.data());
  solver.solve_rest(right.data(), dx.data());
  assembler.expand(dx.data());
  return dx.head(b.size());
}

/// Relative error of solutions that are backward stable but for growth: eps times the condition number.
inline double solution_error(const MatX& A) {
  const VecX singular = A.jacobiSvd().singularValues();
  return 100 * std::numeric_limits<double>::epsilon() * singular[0] / singular[singular.size() - 1];
}

} // namespace emmy::test
