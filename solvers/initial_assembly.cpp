#include "solvers/initial_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace emmy {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
/// Gaps of so many roundings of their largest term count as closed.
constexpr double rounding = 16 * eps;
/// Gaps below this [m], [rad] are none, whatever the size of the model.
constexpr double nothing = 1e-18;
/// An iteration that leaves more than this of the gaps has found all that can be closed.
constexpr double stalled = 0.98;
/// No body turns further than this in one iteration [rad]: gradients say nothing about what lies beyond.
constexpr double largest_turn = 0.7;

/// Constraints as an assembly sees them.
struct Gaps {
  SparseMatrix G;
  VecX phi, size;
  std::vector<ConstraintRow> rows;

  bool closed() const { return (phi.array().abs() <= rounding * size.array() + nothing).all(); }
  double largest() const { return phi.size() > 0 ? phi.cwiseAbs().maxCoeff() : 0; }
  std::string name_of_largest(const VecX& gap) const {
    Index worst = 0;
    gap.cwiseAbs().maxCoeff(&worst);
    return rows[static_cast<std::size_t>(worst)].name();
  }
};

Gaps gaps_at(const Model& model, const State& state, bool elastic, const VecX& strains = {}) {
  Statics s = linearise_statics(model, state);
  Gaps gaps{s.G, s.phi, s.phi_size, s.rows};
  if (!elastic)
    return gaps;
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

/// Smallest increments with G z = b, b as closely as the rows allow.
VecX smallest_move(const Gaps& gaps, const MassMetric& metric, const std::vector<bool>& held, const VecX& b) {
  const SparseMatrix G = without(held, gaps.G, false);
  Saddle saddle;
  saddle.factor(without(held, metric.W, true), G, VecX::Zero(b.size()), metric.row_scales(G), 1);
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

std::vector<bool> held_unknowns(const Model& model, const std::vector<const Body*>& bodies) {
  if (bodies.empty())
    return {};
  std::vector<bool> held(static_cast<std::size_t>(model.unknowns()), false);
  for (const Body* body : bodies)
    for (const Node& node : body->nodes())
      std::fill_n(held.begin() + node.unknown, node.unknowns(), true);
  return held;
}

std::string gap_message(const char* what, double gap, const std::string& where) {
  std::ostringstream text;
  text << what << " of " << gap << " remains in " << where
       << ": joints contradict one another or bodies that stay; check points and axes of the joints of this loop";
  return text.str();
}

/// Velocities: smallest change with G v + phi_t = 0.
void project_rates(const Model& model, const MassMetric& metric, State& state, AssemblyReport& report) {
  State unloaded = state;
  unloaded.multipliers.setZero();
  const Gaps gaps = gaps_at(model, unloaded, true);
  VecX phi_t = VecX::Zero(gaps.phi.size());
  phi_t.head(model.multipliers()) = constraint_time_rates(model, state);
  const VecX before = state.rates.cwiseAbs();
  state.rates += smallest_move(gaps, metric, {}, -(gaps.G * state.rates + phi_t));
  const VecX left = gaps.G * state.rates + phi_t;
  if (left.size() == 0)
    return;
  report.velocity_gap = left.cwiseAbs().maxCoeff();
  const VecX size = gaps.G.cwiseAbs() * (before + state.rates.cwiseAbs()) + phi_t.cwiseAbs();
  // Rates are known to rounding of the fastest, which passes through the factorisation.
  const double floor = 1e-10 * (size.maxCoeff() + std::numeric_limits<double>::min());
  if (report.velocity_gap > floor && report.converged) {
    report.converged = false;
    report.worst = gaps.name_of_largest(left);
    report.message = gap_message("a velocity gap", report.velocity_gap, report.worst);
  }
}

} // namespace

GapReport close_gaps(const Model& model, const MassMetric& metric, const GapOptions& options, State& state) {
  GapReport report;
  Gaps gaps = gaps_at(model, state, options.elastic, options.strains);
  const VecX weight = metric.row_scales(without(options.held, gaps.G, false)).cwiseInverse();
  const auto merit = [&](const Gaps& g) { return std::sqrt(g.phi.cwiseAbs2().dot(weight)); };
  for (; report.iterations < options.max_iterations && !gaps.closed(); ++report.iterations) {
    const double before = merit(gaps);
    VecX z = smallest_move(gaps, metric, options.held, -gaps.phi);
    z *= std::min(1.0, largest_turn / std::max(largest_turn, largest_rotation(model, state, z)));
    State there = moved(model, state, z);
    Gaps next = gaps_at(model, there, options.elastic, options.strains);
    for (int halvings = 0; halvings < 8 && !(merit(next) < before); ++halvings) {
      z /= 2;
      there = moved(model, state, z);
      next = gaps_at(model, there, options.elastic, options.strains);
    }
    const double after = merit(next);
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

AssemblyReport assemble(const Model& model, State& state, const AssemblyOptions& options) {
  std::vector<BodyMotion> before;
  for (const Body* body : model.bodies())
    before.push_back(body->motion(state));

  const VecX rates = state.rates, multipliers = state.multipliers;
  const MassMetric metric(model, state);
  State moving = state;
  moving.multipliers.setZero(); // springs that hold bodies together start unloaded
  model.begin(moving);
  const GapReport gaps =
      close_gaps(model, metric, {held_unknowns(model, options.fixed), true, {}, options.max_iterations}, moving);
  AssemblyReport report;
  report.iterations = gaps.iterations;
  report.converged = gaps.closed;
  report.gap = gaps.gap;
  report.worst = gaps.worst;
  if (!gaps.closed)
    report.message = gap_message("a gap", gaps.gap, gaps.worst);

  moving.rates = rates;
  project_rates(model, metric, moving, report);
  moving.multipliers = multipliers;
  state = moving;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Body* body = model.bodies()[i];
    const BodyMotion a = before[i], b = body->motion(state);
    report.bodies.push_back({body, (b.position - a.position).norm(),
                             rotation_vector(a.orientation.conjugate() * b.orientation).norm(),
                             (b.velocity - a.velocity).norm(), (b.angular_velocity - a.angular_velocity).norm()});
  }
  return report;
}

} // namespace emmy
