#include "solvers/rates/rate_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace emmy {

namespace {

/// Larger diagonal of the factors where rows repeat others: far above rounding, which impulses that do nothing are
/// multiples of. Solutions then miss as much of a weak mode as it is weaker than this, and are refined [S5].
constexpr double shift_of_redundant = 1e-9, shift_of_others = 1e-14;
/// Rates of rows that are rounding, relative to those of the bodies.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
constexpr int most_solutions = 8;
/// A body with more joints than this stays an unknown: all of its joints would be coupled with one another.
constexpr std::size_t hub_joints = 8;

} // namespace

RateProjection::RateProjection(const RateTables& tables, bool is_redundant, Instructions instructions)
    : tables_(tables), rows_(tables), shift_(is_redundant ? shift_of_redundant : shift_of_others) {
  lay_out(tables);
  solver_ = std::make_unique<BlockSolver>(*matrix_, instructions);
  c_ = VecX::Zero(tables.rows());
  b_ = VecX::Zero(matrix_->rows());
}

/// The graph of W: joints are coupled by the bodies that they share, unless these are hubs.
void RateProjection::lay_out(const RateTables& tables) {
  const auto count = static_cast<int>(tables.joints().size());
  struct Use {
    int joint, V;
  };
  std::vector<std::vector<Use>> uses(tables.system().size());
  for (int j = 0; j < count; ++j) {
    const RateTables::Joint& joint = tables.joints()[static_cast<std::size_t>(j)];
    for (std::size_t s = 0; s < joint.bodies.size(); ++s)
      if (joint.bodies[s] != tables.bodies())
        uses[static_cast<std::size_t>(joint.bodies[s])].push_back({j, joint.V[s]});
  }
  V_.assign(static_cast<std::size_t>(tables.numbers_of_V()), 0.0);

  BlockGraph graph;
  std::vector<bool> leans(tables.joints().size(), false); // on a body that is no hub
  for (const auto& of_body : uses)
    for (const Use& use : of_body)
      if (of_body.size() <= hub_joints)
        leans[static_cast<std::size_t>(use.joint)] = true;
  std::map<std::pair<int, int>, std::vector<MetricPair>> pairs;
  for (int j = 0; j < count; ++j) {
    graph.nodes.push_back({tables.joints()[static_cast<std::size_t>(j)].rows, !leans[static_cast<std::size_t>(j)]});
    pairs[{j, j}];
  }
  graph.sides.resize(graph.nodes.size());
  struct OfHub {
    Use use;
    int hub;
  };
  std::vector<OfHub> of_hubs;
  for (const auto& of_body : uses) {
    if (of_body.size() <= hub_joints) {
      for (std::size_t a = 0; a < of_body.size(); ++a)
        for (std::size_t b = a; b < of_body.size(); ++b)
          pairs[{of_body[a].joint, of_body[b].joint}].push_back({of_body[a].V, of_body[b].V});
      continue;
    }
    const auto hub = static_cast<int>(graph.nodes.size());
    graph.nodes.push_back({rate_numbers, false});
    graph.sides.emplace_back();
    graph.couplings.push_back({hub, hub, false});
    for (const Use& use : of_body) {
      graph.couplings.push_back({use.joint, hub, false});
      of_hubs.push_back({use, hub});
      if (!leans[static_cast<std::size_t>(use.joint)])
        graph.sides[static_cast<std::size_t>(use.joint)].push_back({{hub}, false});
    }
  }
  for (const auto& [of, list] : pairs)
    graph.couplings.push_back({of.first, of.second, false});
  std::sort(graph.couplings.begin(), graph.couplings.end(),
            [](const Coupling& x, const Coupling& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  matrix_ = std::make_unique<BlockMatrix>(graph);
  for (const Coupling& c : graph.couplings) {
    matrix_->set_written(c.a, c.b);
    matrix_->set_written(c.b, c.a);
  }
  matrix_->allocate();

  for (int j = 0; j < count; ++j)
    for (int r = 0; r < tables.joints()[static_cast<std::size_t>(j)].rows; ++r)
      matrix_row_.push_back(matrix_->row_of(j) + r);
  const auto rows_of = [&](int joint) { return tables.joints()[static_cast<std::size_t>(joint)].rows; };
  for (const auto& [of, list] : pairs) {
    const auto [a, b] = of;
    blocks_.push_back({rows_of(a), rows_of(b), matrix_->address(a, b).at, a == b ? -1 : matrix_->address(b, a).at,
                       static_cast<int>(pairs_.size()), static_cast<int>(list.size())});
    pairs_.insert(pairs_.end(), list.begin(), list.end());
  }
  for (const auto& [use, hub] : of_hubs)
    hubs_.push_back({use.V, rows_of(use.joint), matrix_->address(use.joint, use.joint).at,
                     matrix_->address(use.joint, hub).at, matrix_->address(hub, use.joint).at});
  for (int hub = count; hub < static_cast<int>(graph.nodes.size()); ++hub)
    for (int i = 0; i < rate_numbers; ++i) {
      hub_rows_.push_back(matrix_->row_of(hub) + i);
      matrix_->values()[matrix_->address(hub, hub).at + i * (stride_of(rate_numbers) + 1)] = -1;
    }
  program_ = {blocks_.data(), static_cast<int>(blocks_.size()), pairs_.data(), hubs_.data(),
              static_cast<int>(hubs_.size())};
}

void RateProjection::factorise() {
  is_factorised_ = true;
  rows_.normalise(V_.data());
  tables_.kernels().metric(program_, V_.data(), shift_, matrix_->values());
  solver_->factorise();
}

/// True if what is left of the rates of rows is rounding of what they are the sum of.
bool RateProjection::is_met(const VecX& y) const {
  const auto of_body = [&](int b) { return y.segment<rate_numbers>(b * rate_numbers); };
  for (const RateTables::Joint& joint : tables_.joints()) {
    const Index at = tables_.row(joint);
    for (int r = 0; r < joint.rows; ++r) {
      double size = std::abs(rows_.by_time()[at + rate_lanes * r]);
      for (std::size_t s = 0; s < joint.bodies.size(); ++s) {
        const double* g = rows_.gradient(joint, static_cast<int>(s)) + 6 * rate_lanes * r;
        const auto length = [&](int k) { return Vec3(g[k], g[k + rate_lanes], g[k + 2 * rate_lanes]).norm(); };
        const auto rates = of_body(joint.bodies[s]);
        size += length(0) * rates.head<3>().norm() + length(3 * rate_lanes) * rates.segment<3>(4).norm();
      }
      if (!(std::abs(c_[at + rate_lanes * r]) <= rounding * size))
        return false;
    }
  }
  return true;
}

/// c becomes W^-1 c, to the accuracy of the factors.
void RateProjection::solve(VecX& c) {
  const std::vector<RateTables::Row>& rows = tables_.every_row();
  for (const int row : hub_rows_)
    b_[row] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    b_[matrix_row_[i]] = c[rows[i].number];
  solver_->solve(b_.data());
  for (std::size_t i = 0; i < rows.size(); ++i)
    c[rows[i].number] = b_[matrix_row_[i]];
}

void RateProjection::project(RateRows::Targets targets, VecX& y, VecX& m) {
  if (!is_factorised_)
    factorise();
  m.setZero();
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_solutions; ++i) {
    rows_.find_rates(y, targets, c_);
    const double left = c_.cwiseAbs().maxCoeff();
    if (!(left <= before / 2) || (i > 0 && is_met(y)))
      break;
    before = left;
    solve(c_);
    m += c_;
    rows_.kick(c_, -1, y);
    if (shift_ == shift_of_others)
      break;
  }
}

} // namespace emmy
