#include "solvers/analysis/constraint_analysis.hpp"

#include "solvers/analysis/saddle.hpp"

#include <Eigen/SPQRSupport>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace emmy {

namespace {

/// What is left of a row of unit length, after all others have been projected out, counts as zero below this: regular
/// mechanisms leave 1e-2 and more, dependent rows 1e-16.
constexpr double rank_tolerance = 1e-10;
/// The same close to a singular configuration: it falls like the angle that is left to go.
constexpr double near_tolerance = 0.1;
/// Share of a row in dependencies, each of which has a row of share one, above which its joint is named.
constexpr double named_share = 0.05;
/// Combinations of dependencies that are looked at. That a row whose shares are of the size of one falls below
/// named_share in all of them is a matter of one in a million.
constexpr int combinations = 5;

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Rows = std::vector<Index>;
using Kind = ConstraintRow::Kind;

/// Gradients one row each, in the metric of the masses and of unit length. Entry by entry: Eigen copies a diagonal for
/// every row that it is multiplied with, and moves all that stands behind a row which is assigned.
RowMatrix scaled(RowMatrix rows, const VecX& mass) {
  VecX norm = VecX::Zero(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    for (RowMatrix::InnerIterator entry(rows, i); entry; ++entry)
      entry.valueRef() /= std::sqrt(mass[entry.col()]);
    norm[i] = rows.row(i).norm();
  }
  const double least = norm.size() > 0 ? rank_tolerance * norm.maxCoeff() : 0;
  for (Index i = 0; i < rows.rows(); ++i)
    for (RowMatrix::InnerIterator entry(rows, i); entry; ++entry)
      entry.valueRef() *= norm[i] > least ? 1 / norm[i] : 0; // rows of rounding alone say nothing
  return rows;
}

/// Some rows as columns, filled from the first to the last.
SparseMatrix transposed(const RowMatrix& all, const Rows& rows) {
  SparseMatrix columns(all.cols(), static_cast<Index>(rows.size()));
  Index entries = 0;
  for (const Index i : rows)
    entries += all.innerVector(i).nonZeros();
  columns.reserve(entries);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    columns.startVec(static_cast<Index>(j));
    for (RowMatrix::InnerIterator entry(all, rows[j]); entry; ++entry)
      columns.insertBack(entry.col(), static_cast<Index>(j)) = entry.value();
  }
  columns.finalize();
  return columns;
}

/// Sparse QR of the transposed gradients of some rows, with columns permuted: R = [R11 R12; 0 0].
class RowQR {
public:
  enum class Order { sparse, as_given };

  RowQR(const RowMatrix& all, Rows rows, double tolerance = rank_tolerance, Order order = Order::sparse)
      : rows_(std::move(rows)) {
    if (rows_.empty())
      return;
    if (order == Order::as_given)
      qr_.setSPQROrdering(SPQR_ORDERING_FIXED);
    qr_.setPivotThreshold(tolerance);
    qr_.compute(transposed(all, rows_));
    rank_ = qr_.rank();
    if (order == Order::as_given)
      return;
    const auto places = qr_.colsPermutation(); // a copy
    for (Index i = 0; i < places.size(); ++i)
      permuted_.push_back(rows_[static_cast<std::size_t>(places.indices()[i])]);
  }

  Index rank() const { return rank_; }

  /// Rows that are independent and span all.
  Rows independent() const { return {permuted_.begin(), permuted_.begin() + rank_}; }

  /// Rows that depend on those before them, if they were taken in order: R is a staircase, and their columns have no
  /// step of their own.
  Rows repeated() const {
    Rows rest;
    if (rows_.empty())
      return rest;
    const SparseMatrix R = qr_.matrixR();
    Index steps = 0;
    for (Index j = 0; j < R.cols(); ++j) {
      Index lowest = -1;
      for (SparseMatrix::InnerIterator entry(R, j); entry; ++entry)
        if (entry.value() != 0)
          lowest = std::max(lowest, static_cast<Index>(entry.row()));
      if (lowest == steps)
        ++steps;
      else
        rest.push_back(rows_[static_cast<std::size_t>(j)]);
    }
    return rest;
  }

  /// Rows that take part in a dependency y, y^T G = 0; the columns of [-R11^-1 R12; 1] are a basis of those. There may
  /// be as many as loops, each through all of them: sums of all with random weights, in which nothing cancels, hold
  /// what any of them holds, in time that grows with R.
  Rows dependent() const {
    const auto count = static_cast<Index>(rows_.size());
    if (count == rank_)
      return {};
    const SparseMatrix R = qr_.matrixR();
    std::vector<bool> is_involved(rows_.size(), false);
    std::mt19937 random; // the same in every run
    std::normal_distribution<double> weight;
    for (int c = 0; c < combinations; ++c) {
      VecX y = VecX::Zero(count);
      for (Index j = rank_; j < count; ++j)
        y[j] = count - rank_ == 1 ? 1 : weight(random);
      for (Index j = count - 1; j >= 0; --j) { // R y = 0 from the last row up, by columns
        if (j < rank_)
          y[j] /= R.coeff(j, j);
        for (SparseMatrix::InnerIterator entry(R, j); entry && entry.row() < std::min(j, rank_); ++entry)
          y[entry.row()] -= entry.value() * y[j];
      }
      for (std::size_t i = 0; i < rows_.size(); ++i)
        if (std::abs(y[static_cast<Index>(i)]) > named_share)
          is_involved[i] = true;
    }
    Rows involved;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_involved[i])
        involved.push_back(permuted_[i]);
    std::sort(involved.begin(), involved.end());
    return involved;
  }

private:
  Rows rows_, permuted_; ///< as given, and as sparsity puts them in R
  Eigen::SPQR<SparseMatrix> qr_;
  Index rank_ = 0;
};

/// Multiplier rows, then rigidity, also where only springs provide it.
RowMatrix all_rows(const Statics& statics, const RigidityRows& rigidity, Index multipliers) {
  RowMatrix rows(multipliers + rigidity.C.rows(), statics.G.cols());
  rows.topRows(multipliers) = RowMatrix(statics.G).topRows(multipliers);
  rows.bottomRows(rigidity.C.rows()) = RowMatrix(rigidity.C);
  return rows;
}

void note_violations(const Model& model, const State& state, const Statics& statics, ConstraintAnalysis& result) {
  const VecX phi_dot = (statics.G * state.rates).head(model.multipliers()) + constraint_time_rates(model, state);
  for (Index i = 0; i < model.multipliers(); ++i) {
    const ConstraintRow& row = statics.rows[static_cast<std::size_t>(i)];
    const std::string what = row.owner->row_name(row.owner->unknowns() + row.local);
    const double beyond =
        row.kind == Kind::limit
            ? row.owner->constraints().bounds()[static_cast<std::size_t>(row.local)].beyond(statics.phi[i])
            : 0;
    if (beyond > result.penetration) {
      result.penetration = beyond;
      result.deepest = row.owner->name();
      result.deepest_row = what;
    }
    if (row.kind != Kind::joint)
      continue;
    if (std::abs(statics.phi[i]) > result.position_violation) {
      result.position_violation = std::abs(statics.phi[i]);
      result.worst_position = row.owner->name();
      result.worst_position_row = what;
    }
    if (std::abs(phi_dot[i]) > result.velocity_violation) {
      result.velocity_violation = std::abs(phi_dot[i]);
      result.worst_velocity = row.owner->name();
      result.worst_velocity_row = what;
    }
  }
}

/// The rows of a model at one configuration, without those of limits.
struct Constraints {
  Constraints(const Model& model, const State& state)
      : statics(linearise_statics(model, state, {}, /*limits=*/true)),
        rows(scaled(all_rows(statics, rigidity_rows(model, state, /*elastic=*/true), model.multipliers()),
                    MassMetric(model, state).diagonal)) {
    Rows rigid;
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto kind = i < model.multipliers() ? statics.rows[static_cast<std::size_t>(i)].kind : Kind::exact;
      if (kind != Kind::limit)
        (kind == Kind::joint ? of_joints : rigid).push_back(i);
    }
    of_bodies = RowQR(rows, rigid).independent(); // bodies may say the same twice, as springs and as conditions
  }

  Rows all() const {
    Rows chosen = of_bodies;
    chosen.insert(chosen.end(), of_joints.begin(), of_joints.end());
    return chosen;
  }

  /// Joints that rows in ascending order belong to.
  std::vector<std::string> names(const Rows& some) const {
    std::vector<std::string> result;
    for (const Index i : some) {
      if (!std::binary_search(of_joints.begin(), of_joints.end(), i))
        continue;
      const std::string& name = statics.rows[static_cast<std::size_t>(i)].owner->name();
      if (result.empty() || result.back() != name)
        result.push_back(name);
    }
    return result;
  }

  Statics statics;
  RowMatrix rows;
  Rows of_joints, of_bodies; ///< of those of bodies only independent ones
};

} // namespace

ConstraintAnalysis analyse_constraints(const Model& model, const State& state) {
  ConstraintAnalysis result;
  result.unknowns = model.unknowns();
  const Constraints constraints(model, state);
  note_violations(model, state, constraints.statics, result);
  result.equations = static_cast<Index>(constraints.of_joints.size());
  result.internal = static_cast<Index>(constraints.of_bodies.size());
  if (result.equations == 0)
    return result;
  const RowQR all(constraints.rows, constraints.all());
  result.rank = all.rank() - result.internal;
  result.redundant = constraints.names(all.dependent());
  return result;
}

SingularConfiguration find_singular(const Model& model, const State& regular, const State& state) {
  const Constraints before(model, regular), now(model, state);
  const RowQR rows_before(before.rows, before.all(), near_tolerance), rows_now(now.rows, now.all(), near_tolerance);
  SingularConfiguration result;
  result.lost = std::max<Index>(rows_before.rank() - rows_now.rank(), 0);
  if (result.lost > 0)
    result.joints = now.names(rows_now.dependent());
  return result;
}

std::vector<bool> repeated_rows(const Model& model, const State& state) {
  const Statics statics = linearise_statics(model, state);
  const RigidityRows rigidity = rigidity_rows(model, state, /*elastic=*/false);
  const RowMatrix rows = scaled(all_rows(statics, rigidity, model.multipliers()), MassMetric(model, state).diagonal);
  // In this order: what bodies keep by themselves, which cannot be left out, then multipliers of bodies, then joints. A
  // column of QR without permutations that depends on those before it is left out of R's diagonal.
  Rows order, of_joints;
  for (Index i = model.multipliers(); i < rows.rows(); ++i)
    order.push_back(i);
  for (Index i = 0; i < model.multipliers(); ++i) {
    if (i < statics.F.rows() && statics.F.coeff(i, i) != 0)
      continue; // a spring gives way
    const Kind kind = statics.rows[static_cast<std::size_t>(i)].kind;
    if (kind != Kind::limit)
      (kind == Kind::joint ? of_joints : order).push_back(i);
  }
  order.insert(order.end(), of_joints.begin(), of_joints.end());
  std::vector<bool> repeated(static_cast<std::size_t>(model.multipliers()), false);
  for (const Index i : RowQR(rows, order, rank_tolerance, RowQR::Order::as_given).repeated())
    if (i < model.multipliers())
      repeated[static_cast<std::size_t>(i)] = true;
  return repeated;
}

VecX proximal_scales(const Model& model, const State& state) {
  const VecX scale = MassMetric(model, state).row_scales(linearise_statics(model, state, {}, /*limits=*/true).G);
  return model.mean_mass() * scale.head(model.multipliers());
}

} // namespace emmy
