#pragma once
/// Linear systems by our own block LU: of the whole matrix, or of what is left of it when bodies are eliminated as they
/// are evaluated, onto wrenches in some parts of a model and otherwise in others. How accurate solutions are is
/// measured now and then; where that is in doubt the whole matrix is taken, to look at it and to refine.

#include "solvers/assembly/assembler.hpp"
#include "solvers/linear/block_solver.hpp"
#include "solvers/newton/findings.hpp"
#include "solvers/newton/linear_system.hpp"
#include "solvers/newton/step_norm.hpp"

namespace emmy {

class BlockSystem final : public LinearSystem {
public:
  BlockSystem(Assembler& assembler, const StepNorm& norm, Findings& findings, Instructions instructions);

  bool evaluate(Iterate& at, Factors factors, bool is_wild) override;
  bool solve(Iterate& at, Factors factors) override;
  bool solve_for(const double* b, double* x) override;
  bool is_direct() const override { return true; }
  bool is_own() const override { return true; }
  bool has_residual() const override { return !is_condensed_; }
  const double* unsolved() const override { return is_regularised() ? unsolved_.data() : nullptr; }

private:
  bool is_regularised() const { return assembler_.epsilon() > 0; }
  bool is_due(long solve) const;
  bool may_condense() const;

  // the whole matrix, or its blocks beside wrenches
  void factorise(Nodes nodes);
  void solve_with_factors(Iterate& at, bool is_first, Nodes nodes);
  bool refine_if_needed(Iterate& at, bool is_first);
  void measure_unsolved(const Iterate& at, const double* correction, bool is_first);
  void measure_reactions(const Iterate& at);

  // without the bodies that are eliminated
  void solve_condensed(Iterate& at, Factors factors);
  void solve_rest(Iterate& at, Factors factors);
  void solve_beside_wrenches(Iterate& at, Factors factors);
  void solve_wrenches(Iterate& at, Factors factors);
  void check_wrenches(Iterate& at, bool is_first);

  Assembler& assembler_;
  const StepNorm& norm_;
  Findings& findings_;
  BlockSolver blocks_;
  bool is_condensed_ = false;             ///< the factors are of what is left when bodies are eliminated
  std::vector<StepNorm::Size> corrected_; ///< by refinement
  std::vector<StepNorm::Force> forces_;
  std::vector<double> block_rate_; ///< part of an error that a solve with a proximal block leaves, kappa of [S5]
  std::vector<double> unsolved_;
  VecX scratch_, force_; ///< in every row
  VecX spare_;           ///< likewise, with room behind
};

} // namespace emmy
