#pragma once
/// Projection of rates onto what joints allow, in the metric of the masses (docs/theory/velocity_constraints.md [V5],
/// [V12]): m with G (y - M^-1 G^T m) + phi_t = 0.
///
/// W = G M^-1 G^T is factorised where the rows are, when that is asked for.

#include "solvers/linear/block_solver.hpp"
#include "solvers/rates/rate_rows.hpp"

#include <memory>

namespace emmy {

class RateProjection {
public:
  /// Of rows that repeat one another, or not.
  RateProjection(const RateTables& tables, bool is_redundant, Instructions instructions);

  /// Goes to where a state is, unless it is there.
  void place(const State& state) { is_factorised_ = !rows_.place(state) && is_factorised_; }
  const RateRows& rows() const { return rows_; }
  /// Makes y meet the rows, with the impulses m.
  void project(RateRows::Targets targets, VecX& y, VecX& m);

private:
  void lay_out(const RateTables& tables);
  void factorise();
  bool is_met(const VecX& y) const;
  void solve(VecX& c);

  const RateTables& tables_;
  RateRows rows_;
  bool is_factorised_ = false;
  double shift_; ///< by this part the diagonal of the factors is larger
  std::unique_ptr<BlockMatrix> matrix_;
  std::unique_ptr<BlockSolver> solver_;
  std::vector<MetricBlock> blocks_;
  std::vector<MetricPair> pairs_;
  std::vector<HubSide> hubs_;
  MetricProgram program_{};
  std::vector<int> matrix_row_; ///< of every row
  std::vector<int> hub_rows_;
  std::vector<double> V_;
  // work space
  VecX b_, c_;
};

} // namespace emmy
