#include "solvers/analysis/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace emmy {

namespace {

/// Gaps of so many roundings of their largest term count as closed.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
/// Gaps below this [m], [rad] are none, whatever the size of the model.
constexpr double nothing = 1e-18;
/// An iteration that leaves more than this of the gaps has found all that can be closed.
constexpr double stalled = 0.98;
/// How soft rows are made where closing them at once leads too far: near singular positions the way there is long in
/// directions that gradients hardly see.
constexpr double softnesses[] = {1e-4, 1e-3, 1e-2, 0.1, 1, 10};
/// No body turns further than this in one iteration [rad]: gradients say nothing about what lies beyond.
constexpr double largest_turn = 0.7;

/// Matrix without the columns, and for square ones the rows but the diagonal, of what is held.
SparseMatrix without(const std::vector<bool>& held, SparseMatrix A, bool square) {
  if (held.empty())
    return A;
  A.prune([&](Index i, Index j, double) {
    const bool row = square && held[static_cast<std::size_t>(i)], column = held[static_cast<std::size_t>(j)];
    return (square && i == j) || (!row && !column);
  });
  return A;
}

} // namespace

bool Gaps::closed() const {
  return (phi.array().abs() <= rounding * size.array() + nothing).all();
}

std::string Gaps::name_of_largest(const VecX& gap) const {
  Index worst = 0;
  gap.cwiseAbs().maxCoeff(&worst);
  return rows[static_cast<std::size_t>(worst)].name();
}

Gaps gaps_at(const Model& model, const State& state, const GapOptions& options) {
  Statics s = linearise_statics(model, state);
  Gaps gaps{s.G, s.phi, s.phi_size, s.rows};
  if (!options.elastic)
    return gaps;
  const VecX& strains = options.strains;
  const RigidityRows rigidity = rigidity_rows(model, state, true);
  const Index m = model.multipliers(), count = rigidity.e.size();
  Eigen::SparseMatrix<double, Eigen::RowMajor> stacked(m + count, model.unknowns());
  stacked.topRows(m) = Eigen::SparseMatrix<double, Eigen::RowMajor>(s.G).topRows(m);
  stacked.bottomRows(count) = Eigen::SparseMatrix<double, Eigen::RowMajor>(rigidity.C);
  gaps.G = stacked;
  gaps.phi.resize(m + count);
  gaps.phi << s.phi.head(m), (strains.size() > 0 ? VecX(rigidity.e - strains) : rigidity.e);
  gaps.size.resize(m + count);
  gaps.size << s.phi_size.head(m), VecX::Ones(count); // base vectors have length one
  gaps.rows.resize(static_cast<std::size_t>(m));
  gaps.rows.insert(gaps.rows.end(), rigidity.rows.begin(), rigidity.rows.end());
  return gaps;
}

SparseMatrix free_columns(const GapOptions& options, const SparseMatrix& G) {
  return without(options.held, G, false);
}

SparseMatrix free_metric(const GapOptions& options, const MassMetric& metric) {
  return without(options.held, metric.W, true);
}

VecX gap_weights(const GapOptions& options, const MassMetric& metric, const Gaps& gaps) {
  return metric.row_scales(free_columns(options, gaps.G)).cwiseInverse();
}

VecX smallest_move(const Gaps& gaps, const MassMetric& metric, const GapOptions& options, const VecX& b,
                   double softness) {
  const SparseMatrix G = free_columns(options, gaps.G);
  const VecX scales = metric.row_scales(G);
  Saddle saddle;
  saddle.factor(free_metric(options, metric), G, softness * scales, scales, 1);
  VecX z, y;
  saddle.solve(VecX::Zero(G.cols()), b, z, y);
  return z;
}

double largest_rotation(const Model& model, const State& state, const VecX& z) {
  double largest = 0;
  for (const Body* body : model.bodies())
    largest = std::max(largest, body->rotation_in(still_step(state, z)));
  return largest;
}

GapReport close_gaps(const Model& model, const MassMetric& metric, const GapOptions& options, State& state) {
  GapReport report;
  Gaps gaps = gaps_at(model, state, options);
  const VecX weight = gap_weights(options, metric, gaps);
  for (; report.iterations < options.max_iterations && !gaps.closed(); ++report.iterations) {
    const double before = gaps.misfit(weight);
    State there;
    Gaps next;
    double after = before;
    const auto move = [&](double softness) {
      VecX z = smallest_move(gaps, metric, options, -gaps.phi, softness);
      z *= std::min(1.0, largest_turn / std::max(largest_turn, largest_rotation(model, state, z)));
      for (int halvings = 0; halvings <= 8; ++halvings, z /= 2) {
        there = moved(model, state, z);
        next = gaps_at(model, there, options);
        after = next.misfit(weight);
        if (after < before)
          return;
      }
    };
    move(0);
    if (options.persistent)
      for (const double softness : softnesses)
        if (!(after <= stalled * before))
          move(softness);
    if (!(after < before))
      break;
    state = there;
    gaps = next;
    if (after > stalled * before)
      break;
  }
  report.gap = gaps.largest();
  report.closed = gaps.closed();
  if (report.gap > 0)
    report.worst = gaps.name_of_largest(gaps.phi);
  return report;
}

} // namespace emmy
