#pragma once
/// The linear system of one iteration, for tests of what solves it.

#include "solvers/assembler.hpp"
#include "solvers/integrators/energy_momentum.hpp"
#include "verification/support/mechanisms.hpp"

#include <boost/test/unit_test.hpp>

namespace emmy::test {

/// Equations of a mechanism at an iterate.
struct System {
  System(const Mechanism& m, const VecX& away, const KernelOptions& kernels = {})
      : equations(*m.model), assembler(equations, {}, kernels), f(assembler.size()) {
    VecX x(assembler.size());
    assembler.begin_step(m.initial, 0.01);
    assembler.start_freely(x.data());
    x += away.head(x.size());
    BOOST_TEST_REQUIRE(assembler.evaluate_closely(x.data(), f.data()));
  }
  MatX dense() {
    std::vector<int> row, column;
    assembler.blocks().entries(row, column);
    MatX A = MatX::Zero(assembler.size(), assembler.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] >= 0)
        A(row[i], column[i]) += assembler.blocks().values()[i];
    return A;
  }
  TwoPoint equations;
  Assembler assembler;
  VecX f;
};

} // namespace emmy::test
