#pragma once
/// The assembled equations of a mechanism as plain matrices, for tests of what solves them.

#include "solvers/analysis/constraint_analysis.hpp"
#include "solvers/assembly/assembler.hpp"
#include "solvers/assembly/step_equations.hpp"
#include "solvers/integrators/integrator.hpp"
#include "verification/support/mechanisms.hpp"
#include "verification/support/random.hpp"

#include <boost/test/unit_test.hpp>

namespace emmy::test {

/// Random motion, and multipliers that matter.
inline void begin_anywhere(Mechanism& m, Random& random) {
  m.initial = m.model->rest_state();
  for (const Body* body : m.bodies)
    body->set_motion({random.vector(), random.rotation(), random.vector(), random.vector()}, m.initial);
  m.initial.multipliers = random.numbers(m.model->multipliers());
  m.initial.history.setZero(m.model->history());
  m.model->begin(m.initial);
}

/// Every set of kernels that this processor has.
inline std::vector<KernelOptions> all_kernels() {
  std::vector<KernelOptions> list;
  for (const Instructions instructions : {Instructions::portable, best_instructions()})
    for (const bool packs : {false, true}) {
      KernelOptions kernels;
      kernels.instructions = instructions;
      kernels.packs = packs;
      list.push_back(kernels);
    }
  return list;
}

/// Equations of a mechanism at an iterate, `away` from free motion; the latter in the order of the model, increments
/// before multipliers that are unknowns.
struct System {
  System(const Mechanism& m, const VecX& away, const KernelOptions& kernels = {},
         const AugmentedLagrangianOptions& augmented = {})
      : equations(*m.model), assembler(equations, augmented, kernels), x(assembler.size()), f(assembler.size()) {
    const Numbering& numbering = assembler.numbering();
    for (const auto* rows : {&numbering.row_of_unknown, &numbering.row_of_multiplier})
      std::copy_if(rows->begin(), rows->end(), std::back_inserter(order),
                   [&](Index row) { return row < assembler.size(); });
    assembler.begin_step(m.initial, 0.01);
    assembler.start_freely(x.data());
    x += by_row(away.head(assembler.size()));
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
  VecX by_row(const VecX& by_model) const {
    VecX v(by_model.size());
    for (Index i = 0; i < v.size(); ++i)
      v[order[static_cast<std::size_t>(i)]] = by_model[i];
    return v;
  }
  VecX by_model(const VecX& by_row) const {
    VecX v(by_row.size());
    for (Index i = 0; i < v.size(); ++i)
      v[i] = by_row[order[static_cast<std::size_t>(i)]];
    return v;
  }
  MatX by_model(const MatX& by_row) const {
    MatX A(by_row.rows(), by_row.cols());
    for (Index j = 0; j < A.cols(); ++j)
      for (Index i = 0; i < A.rows(); ++i)
        A(i, j) = by_row(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    return A;
  }

  TwoPointEquations equations;
  Assembler assembler;
  VecX x, f;
  std::vector<Index> order; ///< row of each unknown of the model, and of each multiplier that is one
};

/// Residual of the last step of an integrator, evaluated where it ended, relative to the largest terms.
inline double residual_of(const Model& model, const Integrator& integrator) {
  const Step s = integrator.last_step();
  TwoPointEquations equations(model);
  Assembler assembler(equations);
  const Numbering& numbering = assembler.numbering();
  VecX x(assembler.size()), f(assembler.size());
  assembler.begin_step(s.n, s.h);
  assembler.start_freely(x.data());
  const double scale = s.n.multipliers.size() == 0 ? 1 : 2 * model.mean_mass() / (s.h * s.h);
  for (std::size_t i = 0; i < numbering.row_of_unknown.size(); ++i)
    x[numbering.row_of_unknown[i]] = s.z[static_cast<Index>(i)];
  for (std::size_t i = 0; i < numbering.row_of_multiplier.size(); ++i)
    x[numbering.row_of_multiplier[i]] = s.lambda[static_cast<Index>(i)] / scale;
  BOOST_REQUIRE(assembler.evaluate_closely(x.data(), f.data()));
  assembler.measure_magnitudes();
  return assembler.gauge().relative(f.data());
}

} // namespace emmy::test
